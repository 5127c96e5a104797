"""`manage.py profiles import`: first only shown, with `--yes` written in one transaction."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.profile_import.reading import read_uploads
from fleets.domain.profile_import.upload import MAX_ARCHIVE_BYTES, MAX_FILES, Upload
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.models import Catalog
from fleets.selectors.profile_import import ImportPreview, ImportRow, import_preview
from fleets.services.actor import Actor
from fleets.services.profile_import import Choice, confirm_import, discard_import, keep_import
from fleets.services.profiles import organisation_catalog

_NEVER: Final = frozenset({".git", "node_modules", ".venv", "__pycache__"})


def import_files(console: Console, options: dict[str, Any], *, actor: Actor) -> int:
    """Show every profile and what would be lost; write them when told to."""
    found = read_uploads(_uploads(options["paths"]))
    catalog = _catalog(options["catalog"])
    kept = keep_import(found, catalog=catalog, actor=actor)
    assert actor.user is not None
    preview = import_preview(kept, actor.user)
    _show(console, preview)
    taken = [row for row in preview.rows if row.may_be_taken]
    held = [row for row in taken if row.candidate.losses and not options["accept_losses"]]
    chosen = frozenset(row.at for row in taken if row not in held)
    if not options["yes"] or not chosen:
        discard_import(kept, actor=actor)
        console.say(_advice(taken, held, is_told=options["yes"]))
        return exit_codes.BAD_INPUT if options["yes"] else 0
    choice = Choice(chosen, accepted=chosen)
    kept = confirm_import(
        kept, choice, note=options["note"], publish=not options["draft"], actor=actor
    )
    for one in kept.outcome:
        console.result(f"{one['slug']} r{one['number']}: {one['verdict']}")
    if held:
        console.say(_advice(taken, held, is_told=True))
    return exit_codes.BAD_INPUT if held or _has_refused(preview) else 0


def _uploads(paths: list[Path]) -> Iterator[Upload]:
    for path in paths:
        if path.is_dir():
            files = sorted(one for one in path.rglob("*") if one.is_file() and not one.is_symlink())
            inside = [one for one in files if not _NEVER & set(one.relative_to(path).parts)]
            if len(inside) > MAX_FILES:
                raise InvalidInput.at("", f"{path} has more than {MAX_FILES:,} files.")
            for one in inside:
                yield _upload(one, name=f"{path.name}/{one.relative_to(path).as_posix()}")
        elif path.is_file():
            yield _upload(path, name=path.name)
        else:
            raise InvalidInput.at("", f"There is no file {path}.")


def _upload(path: Path, *, name: str) -> Upload:
    try:
        with path.open("rb") as stream:
            return Upload(name.lstrip("/"), stream.read(MAX_ARCHIVE_BYTES + 1))
    except OSError as error:
        raise InvalidInput.at("", f"{path} cannot be read ({error.strerror}).") from None


def _catalog(slug: str | None) -> Catalog:
    if not slug:
        return organisation_catalog()
    found = Catalog.objects.filter(slug=slug).first()
    if found is None:
        raise InvalidInput.at("catalog", f"There is no catalog {slug}.")
    return found


def _show(console: Console, preview: ImportPreview) -> None:
    for row in preview.rows:
        one = row.candidate
        after = f" after r{row.number}" if row.number else ""
        console.say(f"{one.slug or '—'}: {row.verdict}{after} ({one.place})")
        for problem in row.problems:
            console.say(f"  {problem}")
        for loss in one.losses:
            word = "rule" if loss.is_rule else "setting"
            console.say(f"  {word} lost, line {loss.line}: {loss.what} {loss.words}")
        for note in one.notes:
            console.say(f"  {note}")
    for unread in preview.unread:
        console.say(f"not read: {unread.place}: {unread.reason}")


def _advice(taken: list[ImportRow], held: list[ImportRow], *, is_told: bool) -> str:
    if not taken:
        return "Nothing to import."
    if held and is_told:
        names = ", ".join(row.candidate.slug for row in held[:5])
        return f"Left out, as something would be lost: {names}. --accept-losses takes them too."
    return "Nothing is written yet: --yes imports them."


def _has_refused(preview: ImportPreview) -> bool:
    return any(row.problems for row in preview.rows)
