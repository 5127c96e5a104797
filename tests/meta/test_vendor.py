"""Files of others are those that the manifest names, unchanged, with their licence."""

import hashlib
import json
from pathlib import Path

import pytest

VENDOR = Path(__file__).parents[2] / "static" / "vendor"
PACKAGES = json.loads((VENDOR / "manifest.json").read_text())["packages"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_every_file_is_the_one_that_was_published(package: dict[str, object]) -> None:
    files = package["files"]
    assert isinstance(files, dict)
    found = {name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in files}
    assert found == files


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_every_package_says_its_version_and_brings_its_licence(package: dict[str, str]) -> None:
    assert package["version"]
    assert package["licence"]
    assert (VENDOR / package["licence_file"]).is_file()


def test_no_file_lies_there_that_the_manifest_does_not_name() -> None:
    named = {"manifest.json"}
    for package in PACKAGES:
        named |= {*package["files"], package["licence_file"]}
    assert {path.name for path in VENDOR.iterdir()} == named
