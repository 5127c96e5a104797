"""`.env.example` has every variable that anything reads, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LINE = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$")
_SETTING = re.compile(r"""(?:env\.\w+\(|required\(env,|boolean\(env,)\s*"([A-Z_]+)\"""")
_COMPOSE = re.compile(r"\$\{([A-Z_]+)")
_ELSEWHERE = re.compile(r"""environ(?:ment)?(?:\.get\(|\[)"([A-Z_]+)"[\])]?""")
# Set by our own processes for each other, or by the tools around us.
_INTERNAL = {"MAKELEVEL", "FLEETDASH_SUPERVISED", "NAME", "YES"}


def documented() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    return {match[1]: match[2] for line in lines if (match := _LINE.match(line))}


def read_by_the_product() -> set[str]:
    found = set(_SETTING.findall((ROOT / "fleetdash" / "settings.py").read_text()))
    found |= set(_COMPOSE.findall((ROOT / "docker-compose.yml").read_text()))
    for path in (ROOT / "fleetdash").rglob("*.py"):
        found |= set(_ELSEWHERE.findall(path.read_text()))
    return found - _INTERNAL


def test_every_variable_that_is_read_is_in_the_example() -> None:
    assert read_by_the_product() - set(documented()) == set()


def test_every_variable_has_a_line_of_meaning_above_it() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    for number, line in enumerate(lines):
        if match := _LINE.match(line):
            above = lines[number - 1]
            explained = above.startswith("# ") or _LINE.match(above)
            assert explained, f"{match[1]} has no explanation"


def test_the_example_holds_no_secret() -> None:
    for name, value in documented().items():
        if re.search(r"PASSWORD|KEY|SECRET", name):
            assert value == "", name


def test_names_that_nothing_reads_are_not_in_the_example() -> None:
    sources = [
        *(ROOT / "fleetdash").rglob("*.py"),
        *(ROOT / "tests" / "support").rglob("*.py"),
        ROOT / "docker-compose.yml",
        ROOT / "Makefile",
    ]
    text = "\n".join(path.read_text() for path in sources)
    prefixed = {"PLATFORM_SANDBOX_URL", "PLATFORM_ID_URL", "PLATFORM_ROUTER_URL"}
    unread = {name for name in set(documented()) - prefixed if not re.search(rf"\b{name}\b", text)}
    assert unread == set()
