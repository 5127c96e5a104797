"""`manage.py profiles import|export` does what the pages do."""

from pathlib import Path

import pytest
from django.core.management import call_command

from fleets.domain.status import Role
from fleets.management.fleet_commands import exit_codes
from fleets.models import Profile, ProfileImport
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

JUDGE = "---\nname: judge\npermissionMode: plan\n---\nx"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two agents, one of which would lose a rule, and a file nothing is read from."""
    UserFactory(username="ana", role=Role.ADMIN)
    agents = tmp_path / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "judge.md").write_text(JUDGE)
    (agents / "poet.md").write_text("---\nname: poet\n---\nx")
    (tmp_path / "picture.png").write_bytes(b"\x89\0")
    return tmp_path


def run(*words: object) -> int:
    """The exit code of `manage.py profiles …` as ana."""
    try:
        call_command("profiles", *map(str, words), "--as", "ana")
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_a_folder_is_shown_first_and_written_when_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("import", folder) == 0
    told = capsys.readouterr().err
    assert "rule lost, line 3: permissionMode" in told
    assert "not read" in told
    assert "--yes imports them" in told
    assert not Profile.objects.exists()
    assert not ProfileImport.objects.exists()
    assert run("import", folder, "--yes") == exit_codes.BAD_INPUT
    assert "poet r1: new" in capsys.readouterr().out
    assert run("import", folder, "--yes", "--accept-losses", "--draft") == 0
    assert Profile.objects.get(slug="judge").head is None
    assert Profile.objects.get(slug="poet").head is not None


def test_what_is_exported_is_unchanged_when_imported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", folder, "--yes", "--accept-losses")
    out = folder / "all.zip"
    assert run("export", "--form", "json-zip", "--out", out) == 0
    capsys.readouterr()
    assert run("import", out) == 0
    assert capsys.readouterr().err.count("unchanged") == 2
    assert run("export", "poet", "--form", "yaml") == 0
    assert "name: poet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["export", "nobody"], "no profile nobody"),
        (["export", "--form", "xml"], "--form is one of"),
        (["export", "--form", "json-zip"], "--out FILE"),
        (["import", "/nowhere.md"], "There is no file"),
    ],
)
def test_what_cannot_be_done_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(*words) == exit_codes.BAD_INPUT
    assert said in capsys.readouterr().err
