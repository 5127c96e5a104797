"""A list as a file, CSV or JSON, streamed: every row of the filter, and what it was made of."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from django.http import HttpResponseBadRequest, HttpResponseBase, StreamingHttpResponse

from fleets.domain.spreadsheet import safe_cell

Record = Mapping[str, str | int | None]


def list_file(
    records: Iterable[Record],
    *,
    name: str,
    kind: str,
    filter_query: str,
    columns: Sequence[str],
    now: datetime,
) -> HttpResponseBase:
    """The file; `kind` is csv or json, `columns` the first ones where there is no row."""
    if kind not in ("csv", "json"):
        return HttpResponseBadRequest("The format is csv or json.")
    # What the file was made of goes with it: the filter, the clock's zone, the moment.
    origin = {"filter": filter_query, "timeZone": "UTC", "generatedAt": now.isoformat()}
    is_table = kind == "csv"
    lines = _csv(records, origin, columns) if is_table else _json(records, origin, name=name)
    mime = "text/csv" if is_table else "application/json"
    response = StreamingHttpResponse(lines, content_type=f"{mime}; charset=utf-8")
    file_name = f"{name}-{now:%Y%m%d-%H%M%S}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _csv(
    records: Iterable[Record], origin: dict[str, str], columns: Sequence[str]
) -> Iterator[str]:
    is_first = True
    for record in records:
        cells = {**record, **origin}
        if is_first:
            yield _line(list(cells))
            is_first = False
        yield _line([_cell(value) for value in cells.values()])
    if is_first:
        yield _line([*columns, *origin])


def _cell(value: str | int | None) -> str:
    return "" if value is None else safe_cell(value) if isinstance(value, str) else str(value)


def _line(cells: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def _json(records: Iterable[Record], origin: dict[str, str], *, name: str) -> Iterator[str]:
    yield json.dumps(origin)[:-1] + f', "{name}": ['
    for number, record in enumerate(records):
        yield (", " if number else "") + json.dumps(record)
    yield "]}\n"
