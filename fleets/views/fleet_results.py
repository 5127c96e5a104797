"""Every answer of a fleet as a file, with full precision."""

import csv
import io
import json
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleets.access import get_fleet, role_required, user_of
from fleets.domain.spreadsheet import safe_cell
from fleets.domain.status import Role
from fleets.models import Fleet
from fleets.selectors.results import export_rows

COLUMNS: Final = (
    "taskId",
    "agentId",
    "sessionId",
    "status",
    "reason",
    "response",
    "error",
    "verdict",
    "verdictReason",
    "decidedBy",
    "traceId",
    "costUsd",
    "startedAt",
    "endedAt",
)


@require_safe
@role_required(Role.VIEWER)
def fleet_results(request: HttpRequest, public_id: str, kind: str) -> HttpResponse:
    """The answers as JSON or CSV. Cells of the CSV that a spreadsheet would compute are defused."""
    fleet = get_fleet(user_of(request), public_id)
    if kind not in ("csv", "json"):
        raise Http404
    content = _csv(fleet) if kind == "csv" else _json(fleet)
    mime = "text/csv" if kind == "csv" else "application/json"
    response = HttpResponse(content, content_type=f"{mime}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{public_id}-results.{kind}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _json(fleet: Fleet) -> str:
    document = {
        "fleetId": fleet.public_id,
        "name": fleet.name,
        "generatedAt": timezone.now().isoformat(),
        "results": list(export_rows(fleet)),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _csv(fleet: Fleet) -> str:
    written = io.StringIO()
    sheet = csv.writer(written)
    sheet.writerow(COLUMNS)
    for row in export_rows(fleet):
        sheet.writerow([safe_cell(row[name] or "") for name in COLUMNS])
    return written.getvalue()
