"""A CSV file that a form brought: read, kept, or refused with its lines."""

from dataclasses import dataclass, field

from django.http import HttpRequest

from fleets.domain.csv_rows import DELIMITERS, ENCODINGS, MAX_CSV_BYTES
from fleets.domain.errors import InvalidInput, Problem
from fleets.selectors.definition_rows import stored_rows
from fleets.services.actor import Actor
from fleets.services.definition_rows import store_rows

FILE = "rows_file"


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of it: fields of the form to change, and what is wrong with the file."""

    fields: dict[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def upload_of(request: HttpRequest) -> Upload:
    """Store a chosen file, or the rows the form has read otherwise; `rows` is then their mark."""
    chosen = request.FILES.get(FILE)
    posted = request.POST
    delimiter = posted.get("delimiter", "")
    encoding = posted.get("encoding", "")
    delimiter = delimiter if delimiter in DELIMITERS else ""
    encoding = encoding if encoding in ENCODINGS else ""
    kept = stored_rows(posted.get("rows", ""))
    if chosen is not None:
        # One byte more than fits, so that the domain says what is too long.
        data, name = chosen.read(MAX_CSV_BYTES + 1), chosen.name or "rows.csv"
        if kept is not None and bytes(kept.data) != data:
            # What was chosen for another file says nothing of this one.
            delimiter, encoding = "", ""
    elif kept is not None and (delimiter, encoding) != (kept.delimiter, kept.encoding):
        data, name = bytes(kept.data), kept.file_name
    else:
        return Upload()
    try:
        rows, _ = store_rows(
            data, file_name=name, delimiter=delimiter, encoding=encoding, actor=Actor.of(request)
        )
    except InvalidInput as error:
        return Upload(problems=error.problems)
    return Upload({"rows": rows.digest, "delimiter": rows.delimiter, "encoding": rows.encoding})
