"""The filter's fleets as CSV or JSON, streamed."""

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleets.access import role_required, user_of
from fleets.domain.status import Role
from fleets.selectors.fleet_export import fleet_records
from fleets.selectors.fleet_filter import FleetFilter
from fleets.views.list_file import list_file


@require_safe
@role_required(Role.VIEWER)
def fleet_export(request: HttpRequest) -> HttpResponseBase:
    """A file of every fleet that the filter finds; `format` is csv or json."""
    chosen = FleetFilter.of(request.GET.dict())
    now = timezone.now()
    return list_file(
        fleet_records(chosen, user_of(request), now=now),
        name="fleets",
        kind=request.GET.get("format", "csv"),
        filter_query=chosen.query(),
        columns=("fleetId", "name", "state"),
        now=now,
    )
