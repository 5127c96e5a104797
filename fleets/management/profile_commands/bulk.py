"""`manage.py profiles change` and `undo`: one change to many profiles, shown first."""

from pathlib import Path
from typing import Any

from django.utils import timezone

from fleets.domain.errors import InvalidInput, OverLimit
from fleets.domain.profile_change_form import read_change
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.models import Profile
from fleets.selectors.bulk_selection import MOST_PROFILES, BulkSelection
from fleets.selectors.profile_bulk import BulkPreview, judged, selected_profiles
from fleets.selectors.profile_bulk_record import get_bulk_change
from fleets.services.actor import Actor
from fleets.services.profile_bulk import (
    BulkOrder,
    change_profiles,
    new_bulk_id,
    undo_bulk_change,
)


def change(console: Console, options: dict[str, Any], *, actor: Actor) -> int:
    """Show what it would do to each profile; do it when told to. The exit code."""
    kind = options["kind"].replace("-", "_")
    typed = {"old": options["from"], "new": _new(options), "path": options["field"]}
    made = read_change({"kind": kind, **{f"{kind}_{name}": one for name, one in typed.items()}})
    selection = BulkSelection.of({"q": options["filter"]}, slugs=options["slugs"])
    preview = judged(_meant(selection, options, actor), made, actor.user, now=timezone.now())
    _show(console, preview)
    taken = {row.profile.slug for row in preview.changed}
    refused = len(preview.rows) - len(taken) - sum(row.is_unchanged for row in preview.rows)
    if not options["yes"] or not taken:
        console.say("Nothing is written yet: --yes does it." if taken else "Nothing would change.")
        return exit_codes.BAD_INPUT if refused else 0
    bulk = change_profiles(
        BulkOrder(
            public_id=new_bulk_id(),
            change=made,
            seen={row.profile.slug: row.number or 0 for row in preview.rows},
            taken=taken,
            selection=selection.words,
            note=options["note"],
            is_published=not options["draft"],
        ),
        actor=actor,
    )
    console.result(f"{bulk.public_id}: {bulk.count} changed")
    return exit_codes.BAD_INPUT if refused else 0


def undo(console: Console, options: dict[str, Any], *, actor: Actor) -> int:
    """Bring back what every profile of a bulk change said before. The exit code."""
    bulk = get_bulk_change(options["bulk_id"]) if "\0" not in options["bulk_id"] else None
    if bulk is None:
        raise InvalidInput.at("ID", f"There is no bulk change {options['bulk_id'][:40]}.")
    bulk = undo_bulk_change(bulk, actor=actor)
    left = bulk.items.exclude(undo_reason="")
    for item in left:
        console.say(f"{item.slug}: {item.undo_reason}")
    count = bulk.items.filter(undone_number__isnull=False).count()
    console.result(f"{bulk.public_id}: {count} brought back")
    return exit_codes.BAD_INPUT if left else 0


def _new(options: dict[str, Any]) -> str:
    path: Path | None = options["to_file"]
    if path is None:
        return str(options["to"])
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidInput.at("to-file", f"{path} cannot be read as text.") from None


def _meant(selection: BulkSelection, options: dict[str, Any], actor: Actor) -> list[Profile]:
    user = actor.user
    assert user is not None
    if not options["slugs"] and not options["filter"] and not options["all"]:
        raise InvalidInput.at("", "Say which profiles: their ids, --filter WORDS, or --all.")
    found = selected_profiles(selection, user)
    missing = sorted(set(options["slugs"]) - {one.slug for one in found})
    if missing:
        raise InvalidInput.at("", f"There is no profile {missing[0][:63]}.")
    if len(found) > MOST_PROFILES:
        words = f"More than {MOST_PROFILES} are meant: narrow the filter."
        raise OverLimit(words, limit=str(MOST_PROFILES))
    return found


def _show(console: Console, preview: BulkPreview) -> None:
    for row in preview.rows:
        why = f": {row.why}" if row.why else ""
        console.say(f"{row.profile.slug} r{row.number or '—'} {row.outcome.label}{why}")
        for problem in row.problems:
            console.say(f"  {problem.message}")
        for one in row.changes:
            console.say(f"  {one.path}: {one.before} → {one.after}")
