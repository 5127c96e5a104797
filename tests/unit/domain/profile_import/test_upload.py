"""Uploads: archives within bounds, paths that stay inside, bytes that are text."""

import io
import stat
import time
import zipfile

import pytest

from fleets.domain.profile_import import upload
from tests.unit.domain.profile_import.readings import reasons, said, uploaded

AGENT = "---\nname: a\n---\nx"
MIB = 1_024 * 1_024
SLOWEST_S = 10


def zipped(*files: tuple[str | zipfile.ZipInfo, str | bytes]) -> bytes:
    """An archive of these files."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return into.getvalue()


def test_an_archive_is_read_like_a_folder() -> None:
    content = zipped(
        ("x/.claude/agents/a.md", AGENT),
        ("__MACOSX/x/._a.md", b"\0"),
        ("x/.DS_Store", b"\0"),
        ("x/b.json", '{"name": "b"}'),
    )
    found = uploaded(("agents.zip", content))
    assert [one.slug for one in found.candidates] == ["a", "b"]
    assert found.candidates[0].place == "x/.claude/agents/a.md"
    assert found.unread == ()


@pytest.mark.parametrize(
    "path", ["../a.md", "x/../../a.md", "/etc/a.md", "C:/a.md", "..\\a.md", "\\\\host\\a.md"]
)
def test_paths_that_lead_out_are_refused_in_archives_and_folders(path: str) -> None:
    found = uploaded(("z.zip", zipped((zipfile.ZipInfo(path), AGENT))), (path, AGENT))
    assert found.candidates == ()
    assert reasons(found).count("leads out of the folder") == 2


def test_links_archives_in_archives_and_encrypted_files_are_refused() -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    content = zipped((link, "/etc/passwd"), ("in.zip", zipped(("a.md", AGENT))), ("b.md", AGENT))
    found = uploaded(("z.zip", content))
    assert [one.place for one in found.candidates] == ["b.md"]
    assert "It is a link" in reasons(found)
    assert "archive in an archive" in reasons(found)
    locked = bytearray(zipped(("c.md", AGENT)))
    central = locked.index(b"PK\x01\x02")
    locked[central + 8] |= 1
    assert "encrypted" in reasons(uploaded(("z.zip", bytes(locked))))


def test_bombs_are_refused_before_and_while_unpacking() -> None:
    assert "times its size" in reasons(uploaded(("z.zip", zipped(("a.md", b"0" * 900_000)))))
    many = zipped(*((f"{at}.md", "x") for at in range(upload.MAX_FILES + 1)))
    assert "split it" in reasons(uploaded(("z.zip", many)))
    heavy = zipped(*((f"{at}.md", b"0" * MIB) for at in range(25)))
    assert "unpacks to more than" in reasons(uploaded(("z.zip", heavy)))
    liar = bytearray(zipped(("a.md", b"0" * 900_000)))
    central = liar.index(b"PK\x01\x02")
    liar[central + 24 : central + 28] = (10).to_bytes(4, "little")
    found = uploaded(("z.zip", bytes(liar)))
    assert found.candidates == ()


def test_archives_that_are_damaged_or_large_are_refused() -> None:
    assert "damaged" in reasons(uploaded(("z.zip", zipped(("a.md", AGENT))[:-30])))
    assert "split it" in reasons(uploaded(("z.zip", b"PK\x03\x04" + b"0" * 9 * MIB)))


def test_a_file_of_five_megabytes_is_refused_with_the_limit() -> None:
    assert "at most 1 MiB fits" in reasons(uploaded(("a.json", b"x" * 5 * MIB)))
    (yaml,) = uploaded(("a.yaml", "name: a\ndescription: " + "x" * 200_000)).candidates
    assert "Write it as JSON" in said(yaml)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\x00", b"caf\xe9: 1", b"a\0b"])
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    assert "save it as UTF-8" in reasons(uploaded(("a.yaml", content)))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_text_is_read_whatever_its_encoding(encoding: str) -> None:
    (candidate,) = uploaded(("a.yaml", "name: Öl\r\n".encode(encoding))).candidates
    assert candidate.body == {"name": "Öl"}


def test_a_name_that_is_a_secret_is_not_told() -> None:
    key = "sk-" + "live-8f3a9c1d2e4b"
    assert key not in repr(uploaded((f"{key}.bin", "x")))


def test_kinds_nobody_knows_are_listed() -> None:
    assert "known are JSON" in reasons(uploaded(("a.py", "x = 1")))


@pytest.mark.parametrize(
    ("path", "piece", "count"),
    [
        ("a.json", "/*", 200_000),
        ("a.json", ",", 400_000),
        ("a.md", "---\nname: a\ntools: " + "," * 60_000 + "\n---\n", 1),
        ("mcp.json", '{"mcpServers": {"a": {"command": "${a:-' + "${a:-" * 100_000 + '"}}}', 1),
        ("a.json", '{"metadata": {"password": "' + "{{" * 400_000 + '"}}', 1),
    ],
)
def test_no_file_makes_its_reading_take_forever(path: str, piece: str, count: int) -> None:
    before = time.process_time()
    uploaded((path, piece * count))
    assert time.process_time() - before < SLOWEST_S
