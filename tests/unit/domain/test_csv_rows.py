"""Rows of CSV files as people export them: found right, and nothing lost on the way."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.csv_rows import DELIMITERS, ENCODINGS, read_table
from fleets.domain.errors import InvalidInput

SAMPLE = "Straße;Größe;Notiz\nAm Weg 1;3,5;gut\nÜberall 2;4,25;schön\n"
CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=12
)


def refused(data: bytes, **chosen: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_table(data, **chosen)
    assert {problem.place for problem in caught.value.problems} == {"rows"}
    return caught.value.problems[0].message


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (SAMPLE.encode(), "utf-8"),
        (SAMPLE.encode("utf-8-sig"), "utf-8"),
        (SAMPLE.encode("utf-16"), "utf-16-le"),
        (b"\xfe\xff" + SAMPLE.encode("utf-16-be"), "utf-16-be"),
        (SAMPLE.encode("utf-16-le"), "utf-16-le"),
        (SAMPLE.encode("cp1252"), "cp1252"),
    ],
)
def test_the_encoding_is_found_with_and_without_a_mark(data: bytes, encoding: str) -> None:
    table = read_table(data)
    assert (table.encoding, table.delimiter) == (encoding, ";")
    assert table.columns == ("Straße", "Größe", "Notiz")
    assert table.rows[1] == ("Überall 2", "4,25", "schön")


@pytest.mark.parametrize(
    ("text", "delimiter", "columns"),
    [
        ("a,b\n1,2\n", ",", 2),
        ("a\tb\n1,2\t3\n", "\t", 2),
        ('a,b\n"x;y;z",2\n"p;q",3\n', ",", 2),
        ("sep=|\na|b;c\n1|2;3\n", "|", 2),
        ("task\nFix this, please\nand; that\n", "", 1),
        ("a|b|c\n1|2|3\n", "|", 3),
    ],
)
def test_the_delimiter_is_the_one_that_rows_agree_on(
    text: str, delimiter: str, columns: int
) -> None:
    table = read_table(text.encode())
    assert (table.delimiter, len(table.columns)) == (delimiter, columns)


def test_what_a_person_chooses_counts() -> None:
    assert read_table(b"a;b,c\n1;2,3\n", delimiter=",").columns == ("a;b", "c")
    assert read_table("é\n1\n".encode("cp1252"), encoding="cp1252").columns == ("é",)
    assert "this is not UTF-8" in refused(SAMPLE.encode("cp1252"), encoding="utf-8")


def test_lines_are_those_of_the_file_and_blank_ones_are_no_rows() -> None:
    table = read_table(b'a,b\r\n\r\n"one\r\ntwo",2\r\n,\r\n3,4')
    assert table.rows == (("one\ntwo", "2"), ("3", "4"))
    assert table.lines == (3, 6)


def test_columns_without_a_name_or_with_the_same_one_get_their_own() -> None:
    table = read_table(b"a,,a,\n1,2,3\n")
    assert table.columns == ("a", "column 2", "a 2")
    assert table.rows == (("1", "2", "3"),)


def test_a_short_row_is_filled_and_a_long_one_refused_with_its_line() -> None:
    assert read_table(b"a,b\n1\n").rows == (("1", ""),)
    assert read_table(b"a,b\n1,2,,\n").rows == (("1", "2"),)
    assert "Line 3 has 3 cells and the header 2" in refused(b"a,b\n1,2\n1,2,3\n")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"a,b\n", "no row below"),
        (b'a,b\n"open,2\n', "Line 2: a quotation mark opens here and never closes"),
        (b'a,b\n"x"y,2\n', "Line 2: text after a closing quotation mark"),
        (b"a,b\n1,x\0y\n", "not text"),
        (b"a\n" + b"1\n" * 10_001, "At most 10,000 rows fit; line 10002 is over"),
        (b"x" * (5 * 1024 * 1024 + 1), "at most 5 MiB"),
        (b",".join([b"a"] * 201) + b"\n1\n", "201 columns"),
        (b"a\n" + b"y" * 70_000 + b"\n", "Line 2, cell 1: at most 65,536 characters"),
        (b"a\n\x81\n", "not CP1252"),
    ],
)
def test_what_cannot_be_rows_is_refused_with_its_place(data: bytes, words: str) -> None:
    assert words in refused(data)


def test_a_credential_is_refused_by_its_line_and_never_quoted() -> None:
    secret = "ghp_" + "a1" * 12
    words = refused(f"name,token\nx,{secret}\n".encode())
    assert "Line 2, cell 2: a GitHub token" in words
    assert secret not in words


@settings(max_examples=120, deadline=None)
@given(
    rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8),
    delimiter=st.sampled_from(list(DELIMITERS)),
    encoding=st.sampled_from(ENCODINGS[:3]),
)
def test_no_cell_is_lost_or_moved(rows: list[list[str]], delimiter: str, encoding: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["first", "second", "third"])
    writer.writerows(rows)
    kept = [
        tuple(cell.replace("\r\n", "\n").replace("\r", "\n") for cell in row)
        for row in rows
        if any(cell.strip() for cell in row)
    ]
    data = out.getvalue().encode(encoding)
    if not kept:
        assert "no row below" in refused(data, delimiter=delimiter, encoding=encoding)
        return
    table = read_table(data, delimiter=delimiter, encoding=encoding)
    assert list(table.rows) == kept
    assert list(table.lines) == sorted(set(table.lines))
