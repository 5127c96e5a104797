"""Nothing in templates or scripts that the content policy forbids, or that htmx evaluates."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
PYTHON = sorted(
    path for folder in ("fleets", "fleetdash") for path in (ROOT / folder).rglob("*.py")
)

FORBIDDEN = {
    "a style attribute": re.compile(r"""\sstyle\s*=\s*["'{]"""),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "an inline script": re.compile(
        r"<script\b(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", re.IGNORECASE
    ),
    "an inline handler": re.compile(r"""\son[a-z]+\s*=\s*["']""", re.IGNORECASE),
    "hx-on": re.compile(r"\b(?:data-)?hx-on\b"),
    "a js: value": re.compile(r"""["'{\s:](?:js|javascript):""", re.IGNORECASE),
    "a trigger filter": re.compile(r"""hx-trigger\s*=\s*("[^"]*\[[^"]*"|'[^']*\[[^']*')"""),
    "hx-sse:close": re.compile(r"hx-sse:close"),
    "something from another host": re.compile(r"""(?:src|href)\s*=\s*["'](?:https?:)?//"""),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_contains(what: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group(0).strip()}"
        for path in TEMPLATES
        for match in FORBIDDEN[what].finditer(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize("what", ["a style attribute", "an inline handler", "hx-on"])
def test_no_tag_or_view_writes(what: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group(0).strip()}"
        for path in PYTHON
        for match in FORBIDDEN[what].finditer(path.read_text())
        if "<" in path.read_text()[max(0, match.start() - 200) : match.start()]
    ]
    assert found == []


@pytest.mark.parametrize(
    "word", [r"\beval\(", r"new Function", r"\.innerHTML\b", r"\.style\b", r"document\.write"]
)
def test_no_script_of_ours_uses(word: str) -> None:
    assert [path.name for path in SCRIPTS if re.search(word, path.read_text())] == []


def test_scripts_of_ours_stay_small() -> None:
    assert [path.name for path in SCRIPTS if len(path.read_text().splitlines()) > 100] == []


def test_htmx_is_configured_by_one_full_json_object() -> None:
    found = [
        match
        for path in TEMPLATES
        for match in re.findall(r"name=\"htmx-config\"\s+content='([^']*)'", path.read_text())
    ]
    (config,) = found
    assert json.loads(config)["noSwap"] == [204, 304, 401, 403, 404, "5xx"]
    assert "open" in json.loads(config)["morphIgnore"]


def test_every_icon_that_a_template_names_is_drawn() -> None:
    sprite = (ROOT / "static" / "icons" / "icons.svg").read_text()
    drawn = set(re.findall(r'id="i-([\w-]+)"', sprite))
    used = {
        (name, str(path.relative_to(ROOT)))
        for path in TEMPLATES
        for name in re.findall(r'{% icon "([\w-]+)"', path.read_text())
    }
    assert {pair for pair in used if pair[0] not in drawn} == set()


def test_the_checks_can_fail() -> None:
    bad = {
        "a style attribute": '<p style="color:red">',
        "a style element": "<style>p{}</style>",
        "an inline script": "<script>go()</script>",
        "an inline handler": '<p onclick="go()">',
        "hx-on": '<p hx-on:click="go()">',
        "a js: value": '<p hx-vals="js:{a: 1}">',
        "a trigger filter": '<p hx-trigger="click[ctrlKey]">',
        "hx-sse:close": '<p hx-sse:close="end">',
        "something from another host": '<img src="https://example.org/x.png">',
    }
    assert {what for what, html in bad.items() if FORBIDDEN[what].search(html)} == set(FORBIDDEN)
