"""`manage.py profiles change|undo` does what the pages of a bulk change do."""

from pathlib import Path

import pytest
from django.core.management import call_command

from fleets.domain.profile_parts import text_digest
from fleets.management.fleet_commands import exit_codes
from fleets.models import Profile, ProfileBulkChange
from tests.factories import CatalogFactory, ProfileFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


def run(*words: object) -> int:
    """The exit code of `manage.py profiles …` as ana."""
    try:
        call_command("profiles", *map(str, words), "--as", "ana")
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_a_change_is_shown_first_done_when_told_and_undone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    UserFactory(username="ana")
    skill = {"kind": "inline", "name": "pytest", "content": "Use -k."}
    body = {"model": {"default": "old"}, "resources": {"skills": [skill]}}
    for slug in ("a", "b"):
        ProfileFactory(slug=slug, body={**body, "name": slug})
    change = ("change", "model", "--from", "old", "--to", "new")
    assert run(*change) == exit_codes.BAD_INPUT
    assert "Say which profiles" in capsys.readouterr().err
    assert run("change", "model", "nobody", "--to", "new") == exit_codes.BAD_INPUT
    assert "no profile nobody" in capsys.readouterr().err
    assert run(*change, "--all") == 0
    told = capsys.readouterr().err
    assert "model.default: old → new" in told
    assert "--yes does it" in told
    assert not ProfileBulkChange.objects.exists()
    assert run(*change, "--filter", "model:old", "--yes", "--note", "retired") == 0
    bulk = ProfileBulkChange.objects.get()
    assert f"{bulk.public_id}: 2 changed" in capsys.readouterr().out
    assert run("undo", bulk.public_id) == 0
    assert "2 brought back" in capsys.readouterr().out
    assert set(Profile.objects.values_list("model", "newest")) == {("old", 3)}
    assert run("undo", bulk.public_id) == exit_codes.BAD_INPUT
    assert run("undo", "none") == exit_codes.BAD_INPUT
    text = tmp_path / "skill.md"
    text.write_text("Use -x.")
    renewed = ("change", "skill", "a", "--from", text_digest("Use -k."), "--to-file", text)
    assert run(*renewed, "--yes", "--draft") == 0
    assert Profile.objects.get(slug="a").newest == 4
    text.write_bytes(b"\xff")
    assert run(*renewed) == exit_codes.BAD_INPUT


def test_what_is_refused_is_said_with_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    UserFactory(username="ana")
    theirs = CatalogFactory(team=TeamFactory())
    ProfileFactory(slug="a", catalog=theirs)
    assert run("change", "add-tag", "--all", "--to", "x", "--yes") == exit_codes.BAD_INPUT
    assert "team that is not yours" in capsys.readouterr().err
