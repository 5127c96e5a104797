"""`manage.py profiles export`."""

from pathlib import Path
from typing import Any

from fleets.domain.errors import InvalidInput
from fleets.domain.profile_export import Form, export_profiles
from fleets.management.fleet_commands.console import Console
from fleets.selectors.profile_export import chosen_slugs, entries_of
from fleets.selectors.profile_filter import ProfileFilter
from fleets.services.actor import Actor

_ZIPS = (Form.JSON_ZIP, Form.YAML_ZIP)


def export(console: Console, options: dict[str, Any], *, actor: Actor) -> int:
    """Write the file, or its text to standard output; a zip needs a file."""
    if options["form"] not in list(Form):
        raise InvalidInput.at("form", f"--form is one of {', '.join(Form)}.")
    form = Form(options["form"])
    out: Path | None = options["out"]
    if out is None and form in _ZIPS:
        raise InvalidInput.at("out", "A zip goes to a file: say --out FILE.")
    assert actor.user is not None
    slugs = chosen_slugs(ProfileFilter(), options["slugs"], actor.user)
    missing = sorted(set(options["slugs"]) - set(slugs))
    if missing:
        raise InvalidInput.at("slugs", f"There is no profile {', '.join(missing)} here.")
    file = export_profiles(entries_of(slugs), form=form)
    if out is None:
        console.result(file.content.decode().removesuffix("\n"))
    else:
        out.write_bytes(file.content)
        console.say(f"{len(slugs)} profile{'' if len(slugs) == 1 else 's'} in {out}.")
    return 0
