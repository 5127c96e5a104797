"""One version, said in two places."""

import tomllib

from fleetdash import __version__
from tests.meta import sources


def test_the_package_and_the_project_file_agree_on_the_version() -> None:
    project = tomllib.loads((sources.ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__
