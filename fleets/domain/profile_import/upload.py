"""Uploaded bytes as texts: archives unpacked within bounds, names and encodings checked.

Nothing is ever written to a disk; names only say where a profile came from.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.profile_import.candidate import Unread
from fleets.domain.profile_secrets import safe_path

MAX_FILES: Final = 1_000
MAX_ARCHIVE_BYTES: Final = 8 * 1_024 * 1_024
MAX_UNPACKED_BYTES: Final = 24 * 1_024 * 1_024
MAX_RATIO: Final = 100
_LONGEST_NAME: Final = 200
_SMALL_BYTES: Final = 64 * 1_024
_ENCRYPTED: Final = 0x1
_ZIP: Final = b"PK\x03\x04"
_JUNK: Final = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_MIB: Final = "1 MiB"


@dataclass(frozen=True, slots=True)
class Upload:
    """One file as it came: its path as the browser or the archive told it, and its bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class TextFile:
    """A readable file. Lines end in a line feed alone, a byte-order mark is gone."""

    path: str
    text: str

    @property
    def file_name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders it lies in, outermost first."""
        return tuple(self.path.split("/")[:-1])


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What of an upload can be read, and what cannot."""

    files: tuple[TextFile, ...]
    unread: tuple[Unread, ...]


def unpack(uploads: Iterable[Upload]) -> Unpacked:
    """Texts of all files, archives opened one level deep."""
    files: list[TextFile] = []
    unread: list[Unread] = []
    for upload in uploads:
        for one in _opened(upload):
            read = _text_file(one) if isinstance(one, Upload) else one
            if isinstance(read, Unread):
                unread.append(read)
            elif read is not None and len(files) < MAX_FILES:
                files.append(read)
            elif read is not None:
                reason = f"More than {MAX_FILES:,} files: import the folder in parts."
                return Unpacked(tuple(files), (*unread, Unread(read.path, reason)))
    return Unpacked(tuple(files), tuple(unread))


def _opened(upload: Upload) -> Iterator[Upload | Unread]:
    if not upload.content.startswith(_ZIP):
        yield upload
        return
    place = shown_name(upload.path)
    if len(upload.content) > MAX_ARCHIVE_BYTES:
        yield Unread(place, f"The archive is larger than {MAX_ARCHIVE_BYTES >> 20} MiB: split it.")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(upload.content)) as archive:
            yield from _members(archive, place)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        yield Unread(place, "The archive is damaged: make it again as a plain zip.")


def _members(archive: zipfile.ZipFile, place: str) -> Iterator[Upload | Unread]:
    members = [one for one in archive.infolist() if not one.is_dir() and not _is_junk(one.filename)]
    refusal = _bomb(members)
    if refusal:
        yield Unread(place, refusal)
        return
    left = MAX_UNPACKED_BYTES
    for member in members:
        reason = _member_problem(member)
        if reason:
            yield Unread(f"{place}: {shown_name(member.filename)}", reason)
            continue
        with archive.open(member) as stream:
            content = stream.read(min(left, MAX_BYTES) + 1)
        left -= len(content)
        if left < 0:
            yield Unread(place, _too_much())
            return
        if content.startswith(_ZIP):
            name = f"{place}: {shown_name(member.filename)}"
            yield Unread(name, "An archive in an archive is not opened: upload it by itself.")
        else:
            yield Upload(member.filename, content)


def _bomb(members: list[zipfile.ZipInfo]) -> str:
    """Why the archive as a whole is refused before anything is unpacked; "" when it is not."""
    if len(members) > MAX_FILES:
        return f"{len(members):,} files are in the archive; at most {MAX_FILES:,}: split it."
    if sum(one.file_size for one in members) > MAX_UNPACKED_BYTES:
        return _too_much()
    for one in members:
        if one.file_size > _SMALL_BYTES and one.file_size > MAX_RATIO * max(one.compress_size, 1):
            return (
                f"{shown_name(one.filename)} unpacks to over {MAX_RATIO} times its size: refused."
            )
    return ""


def _too_much() -> str:
    return f"It unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB: split it."


def _member_problem(member: zipfile.ZipInfo) -> str:
    if stat.S_ISLNK(member.external_attr >> 16):
        return "It is a link: put the file itself into the archive."
    if member.flag_bits & _ENCRYPTED:
        return "It is encrypted: make the archive without a password."
    return _path_problem(member.filename)


def _path_problem(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    if path.startswith(("/", "\\")) or ":" in parts[0] or ".." in parts:
        return "Its path leads out of the folder: make the archive from inside the folder."
    return ""


def _is_junk(path: str) -> bool:
    name = path.rpartition("/")[2]
    return path.startswith(_JUNK) or name in _JUNK or name.startswith("._")


def _text_file(upload: Upload) -> TextFile | Unread | None:
    if _is_junk(upload.path):
        return None
    place = shown_name(upload.path)
    reason = _path_problem(upload.path)
    if reason:
        return Unread(place, reason)
    size = len(upload.content)
    if size > MAX_BYTES:
        shown = f"{size:,} bytes" if size <= MAX_BYTES * 8 else "far more"
        return Unread(place, f"It has {shown}; at most {_MIB} fits: split it or shorten it.")
    text = decoded(upload.content)
    if text is None:
        return Unread(place, "It is no text in UTF-8: save it as UTF-8, or leave it out.")
    return TextFile(place, text)


def decoded(content: bytes) -> str | None:
    """The text of UTF-8 or marked UTF-16 bytes, with one kind of line end; else None."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def shown_name(path: str) -> str:
    """A path as it may be told: a name can be a secret or endless."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(str(part) for part in safe_path(tuple(parts)))[:_LONGEST_NAME]
