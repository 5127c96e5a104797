"""Rows out of a CSV file that somebody exported: encoding and delimiter are found, nothing is lost.

Spreadsheets write `;`, tabs or commas, with or without a byte order mark, in UTF-8, UTF-16 or
CP1252. What was found is said, so that a person can choose otherwise.
"""

import codecs
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fleets.domain.credentials import find_credentials
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.ids import MAX_AGENTS

PLACE: Final = "rows"
MAX_CSV_BYTES: Final = 5 * 1_024 * 1_024
MAX_COLUMNS: Final = 200
MAX_CELL_CHARS: Final = 64 * 1_024
PROBLEMS_SHOWN: Final = 20
DELIMITERS: Final = {";": "semicolon", "\t": "tab", ",": "comma", "|": "bar"}
ENCODINGS: Final = ("utf-8", "utf-16-le", "utf-16-be", "cp1252")

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# A separator of the file that no spreadsheet writes: then every line is one cell.
_ONE_COLUMN: Final = "\x1f"
_SAMPLE_ROWS: Final = 40
_SAMPLE_CHARS: Final = 64 * 1_024
_SEP_LINE: Final = re.compile(r"sep=([;,|\t])\r?\n", re.IGNORECASE)
_ZEROS_PERCENT: Final = 40


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a file. `columns` are unique names; every row has one cell for each.

    `lines` holds the line (from 1) where each row begins. `delimiter` is "" for a single column.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    delimiter: str
    encoding: str

    def column(self, name: str) -> int:
        """The place of a column; raises ValueError where there is none."""
        return self.columns.index(name)


def read_table(data: bytes, *, delimiter: str = "", encoding: str = "") -> Table:
    """The rows below the header. What is not chosen ("") is found.

    Raises InvalidInput at `rows` with the line of every problem; cells are never quoted there.
    """
    if len(data) > MAX_CSV_BYTES:
        raise InvalidInput.at(PLACE, f"The file has {len(data):,} bytes; at most 5 MiB fit.")
    encoding = encoding or found_encoding(data)
    text = _decoded(data, encoding)
    if not text.strip():
        raise InvalidInput.at(PLACE, "The file is empty: a header and rows are needed.")
    named = _SEP_LINE.match(text)
    body = text[named.end() :] if named else text
    delimiter = delimiter or (named[1] if named else found_delimiter(body))
    records = _records(body, delimiter, first_line=2 if named else 1)
    return _table(records, delimiter="" if delimiter == _ONE_COLUMN else delimiter, code=encoding)


def found_encoding(data: bytes) -> str:
    """The encoding by its mark, by its zero bytes (UTF-16), else UTF-8 where it fits."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:4_096]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = sample[start::2].count(0), sample[1 - start :: 2].count(0)
        if zeros * 100 > len(sample) // 2 * _ZEROS_PERCENT and not others:
            return encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def found_delimiter(text: str) -> str:
    """The delimiter under which most rows have as many cells as the header, more than one."""
    sample = text[:_SAMPLE_CHARS]
    best, best_score = _ONE_COLUMN, (0.0, 0)
    for delimiter in DELIMITERS:
        score = _fit(sample, delimiter)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _fit(sample: str, delimiter: str) -> tuple[float, int]:
    """How many of the first rows agree with the header (share), and its cells."""
    sizes: list[int] = []
    try:
        for record in csv.reader(_lines(sample), delimiter=delimiter):
            if any(cell.strip() for cell in record):
                sizes.append(len(record))
            if len(sizes) > _SAMPLE_ROWS:
                break
    except csv.Error:
        return (0.0, 0)
    if not sizes or sizes[0] < 2:
        return (0.0, 0)
    # The sample may end within a row.
    rows = sizes[1:-1] or sizes[1:]
    agreeing = sum(size == sizes[0] for size in rows)
    return ((agreeing + 1) / (len(rows) + 1), sizes[0])


def _decoded(data: bytes, encoding: str) -> str:
    if encoding not in ENCODINGS:
        known = ", ".join(ENCODINGS)
        raise InvalidInput.at(PLACE, f"Encodings are {known}, and no other.")
    for mark, marked in _MARKS:
        if marked == encoding:
            data = data.removeprefix(mark)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidInput.at(
            PLACE, f"Line {line}: this is not {encoding.upper()}. Save the file as CSV UTF-8."
        ) from None
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput.at(PLACE, "The file has characters in it that are not text.")
    return text


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; only line ends of files count, not those within Unicode text."""
    for found in re.finditer(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", text):
        yield found.group()


def _records(text: str, delimiter: str, *, first_line: int) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line where it begins; blank ones are left out."""
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    line = first_line
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InvalidInput.at(PLACE, f"Line {line}: {_said(error)}") from None
        if any(cell.strip() for cell in record):
            yield line, [re.sub(r"\r\n?", "\n", cell) for cell in record]
        line = first_line + reader.line_num


def _said(error: csv.Error) -> str:
    words = str(error)
    if "unexpected end" in words:
        return "a quotation mark opens here and never closes. Double it where it is text."
    if "expected after" in words:
        return "text after a closing quotation mark. Double each mark that is part of the text."
    if "field limit" in words:
        return f"a cell is too long: at most {MAX_CELL_CHARS:,} characters fit."
    return "this is no row of a CSV file."


def _table(records: Iterator[tuple[int, list[str]]], *, delimiter: str, code: str) -> Table:
    _, header = next(records, (1, []))
    columns = _named(header)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for line, record in records:
        while len(record) > len(columns) and not record[-1].strip():
            record.pop()
        if len(rows) == MAX_AGENTS:
            raise InvalidInput.at(PLACE, f"At most {MAX_AGENTS:,} rows fit; line {line} is over.")
        problems += _wrong(record, line, columns=len(columns))
        if len(problems) >= PROBLEMS_SHOWN:
            break
        rows.append((*record, *[""] * (len(columns) - len(record))))
        lines.append(line)
    if problems:
        raise InvalidInput(problems)
    if not rows:
        raise InvalidInput.at(PLACE, "There is a header and no row below it.")
    return Table(columns, tuple(rows), tuple(lines), delimiter, code)


def _wrong(record: list[str], line: int, *, columns: int) -> Iterator[Problem]:
    if len(record) > columns:
        yield Problem(
            PLACE,
            f"Line {line} has {len(record):,} cells and the header {columns:,}. Put quotation"
            " marks around text with delimiters in it, or choose another delimiter.",
        )
    for at, cell in enumerate(record):
        if len(cell) > MAX_CELL_CHARS:
            yield Problem(
                PLACE, f"Line {line}, cell {at + 1}: at most {MAX_CELL_CHARS:,} characters fit."
            )
        found = find_credentials(cell)
        if found:
            yield Problem(
                PLACE,
                f"Line {line}, cell {at + 1}: {found[0].form}. Agents would see and may repeat it."
                " Name a secret of the machine instead.",
            )


def _named(header: list[str]) -> tuple[str, ...]:
    """Names for all columns: an empty one gets its number, one seen before gets a suffix."""
    while len(header) > 1 and not header[-1].strip():
        header.pop()
    if len(header) > MAX_COLUMNS:
        raise InvalidInput.at(
            PLACE, f"{len(header):,} columns are too many: at most {MAX_COLUMNS} fit."
        )
    names: list[str] = []
    for number, cell in enumerate(header, start=1):
        if find_credentials(cell):
            raise InvalidInput.at(PLACE, f"Column {number}: its name looks like a credential.")
        name = " ".join(cell.split())[:80] or f"column {number}"
        again = 1
        unique = name
        while unique in names:
            again += 1
            unique = f"{name} {again}"
        names.append(unique)
    return tuple(names)
