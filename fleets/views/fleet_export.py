"""The filter's fleets as CSV or JSON, streamed."""

import csv
import io
import json
from collections.abc import Iterable, Iterator

from django.http import HttpRequest, HttpResponseBadRequest, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleets.access import role_required, user_of
from fleets.domain.spreadsheet import safe_cell
from fleets.domain.status import Role
from fleets.selectors.fleet_export import Record, fleet_records
from fleets.selectors.fleet_filter import FleetFilter


@require_safe
@role_required(Role.VIEWER)
def fleet_export(request: HttpRequest) -> HttpResponseBase:
    """A file of every fleet that the filter finds; `format` is csv or json."""
    kind = request.GET.get("format", "csv")
    if kind not in ("csv", "json"):
        return HttpResponseBadRequest("The format is csv or json.")
    chosen = FleetFilter.of(request.GET.dict())
    now = timezone.now()
    # What the file was made of goes with it: the filter, the clock's zone, the moment.
    origin = {"filter": chosen.query(), "timeZone": "UTC", "generatedAt": now.isoformat()}
    records = fleet_records(chosen, user_of(request), now=now)
    lines = _csv(records, origin) if kind == "csv" else _json(records, origin)
    mime = "text/csv" if kind == "csv" else "application/json"
    response = StreamingHttpResponse(lines, content_type=f"{mime}; charset=utf-8")
    name = f"fleets-{now:%Y%m%d-%H%M%S}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _csv(records: Iterable[Record], origin: dict[str, str]) -> Iterator[str]:
    is_first = True
    for record in records:
        cells = {**record, **origin}
        if is_first:
            yield _line(list(cells))
            is_first = False
        yield _line([_cell(value) for value in cells.values()])
    if is_first:
        yield _line(["fleetId", "name", "state", *origin])


def _cell(value: str | int | None) -> str:
    return "" if value is None else safe_cell(value) if isinstance(value, str) else str(value)


def _line(cells: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def _json(records: Iterable[Record], origin: dict[str, str]) -> Iterator[str]:
    yield json.dumps(origin)[:-1] + ', "fleets": ['
    for number, record in enumerate(records):
        yield (", " if number else "") + json.dumps(record)
    yield "]}\n"
