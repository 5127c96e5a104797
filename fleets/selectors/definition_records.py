"""The definitions of a filter as flat records, money exact, unknown as None."""

from collections.abc import Iterator
from datetime import UTC

from django.db.models import F

from fleets.domain.money import usd_string
from fleets.models import Definition, User
from fleets.selectors.definition_filter import DefinitionFilter

_CHUNK = 500
Record = dict[str, str | int | None]


def definition_records(chosen: DefinitionFilter, user: User) -> Iterator[Record]:
    """Every definition of the filter in its order, read in chunks: no page, no limit."""
    order = F("sort_value").desc() if chosen.is_descending else F("sort_value").asc()
    rows = chosen.definitions(user).select_related("owner", "head").defer("head__body")
    for definition in rows.order_by(order, "-pk").iterator(_CHUNK):
        yield _record(definition)


def _record(definition: Definition) -> Record:
    budget, archived = definition.budget_nusd, definition.archived_at
    return {
        "id": definition.slug,
        "name": definition.name,
        "description": definition.description,
        "revision": definition.head.number if definition.head else None,
        "shape": definition.shape,
        "agents": definition.agents_count,
        "profiles": " ".join(definition.profile_slugs),
        "budgetUsd": None if budget is None else usd_string(budget),
        "tags": " ".join(definition.tags),
        "owner": definition.owner.get_username() if definition.owner else None,
        "updatedAt": definition.updated_at.astimezone(UTC).isoformat(),
        "archivedAt": archived.astimezone(UTC).isoformat() if archived else None,
    }
