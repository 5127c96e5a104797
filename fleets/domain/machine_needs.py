"""What the machines of a fleet get before the first turn: image, repository, files, set-up.

Secrets are named, never written; paths stay within the workspace; hosts are plain domain names.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.credentials import find_credentials
from fleets.domain.duration_input import parse_duration_s
from fleets.domain.errors import InvalidInput
from fleets.domain.named_fields import fields, line
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.shapes import Note, Shape, boolean, kind_of, list_of
from fleets.domain.profile_schema.texts import is_env_name, is_well_formed
from fleets.domain.profile_schema.urls import parse_url

DEFAULT_ENVIRONMENT: Final = "universal"
MAX_FILES: Final = 50
MAX_FILE_BYTES: Final = 256 * 1_024
MAX_ALL_FILES_BYTES: Final = 1_024 * 1_024
MAX_COMMAND_CHARS: Final = 8_000
MAX_SECRETS: Final = 50
MAX_DOMAINS: Final = 200
DEFAULT_SETUP_TIMEOUT_S: Final = 300
MAX_SETUP_TIMEOUT_S: Final = 1_800
MAX_PATH_CHARS: Final = 300

_NO_SPACE: Final = re.compile(r"[^\s]+")
_SSH_URL: Final = re.compile(r"[A-Za-z0-9_-]+@[A-Za-z0-9.-]+:[^\s:]+")
_DOMAIN: Final = re.compile(
    r"(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,62}"
)


@dataclass(frozen=True, slots=True)
class GitSource:
    """A repository that every machine begins with; `ref` "" is its default branch."""

    url: str
    ref: str = ""


@dataclass(frozen=True, slots=True)
class FileToWrite:
    """A text file in the workspace of every machine; `path` is relative to it."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class SetupCommand:
    """A command that must exit 0 on a machine before its first turn."""

    command: str
    timeout_s: int = DEFAULT_SETUP_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class Egress:
    """The only hosts that machines may reach; `with_implicit` adds the platform's own list."""

    domains: tuple[str, ...]
    with_implicit: bool = True


@dataclass(frozen=True, slots=True)
class MachineNeeds:
    """All of it. Empty means the platform's own default (`universal`, no repository, no files)."""

    image: str = ""
    template: str = ""
    git: GitSource | None = None
    files: tuple[FileToWrite, ...] = ()
    setup: SetupCommand | None = None
    secrets: tuple[str, ...] = ()
    egress: Egress | None = None

    @property
    def has_preparation(self) -> bool:
        """Whether something is left to do on a machine once it runs."""
        return bool(self.files or self.setup)

    @property
    def sentence(self) -> str:
        """What machines get, in a few words; "" for nothing of their own."""
        parts = [
            f"image {self.image}" if self.image else "",
            f"template {self.template}" if self.template else "",
            f"git {self.git.url}{'@' + self.git.ref if self.git.ref else ''}" if self.git else "",
            _counted(len(self.files), "file"),
            "set-up command" if self.setup else "",
            _counted(len(self.secrets), "secret"),
            f"egress {_counted(len(self.egress.domains), 'domain')}" if self.egress else "",
        ]
        return ", ".join(part for part in parts if part)

    @property
    def as_json(self) -> dict[str, Any]:
        """As a definition writes it; what is empty is left out."""
        found: dict[str, Any] = {"image": self.image, "template": self.template}
        if self.git:
            found["git"] = {"url": self.git.url, **({"ref": self.git.ref} if self.git.ref else {})}
        found["files"] = [{"path": one.path, "content": one.content} for one in self.files]
        if self.setup:
            found["setup"] = {
                "command": self.setup.command,
                "timeout": f"{self.setup.timeout_s} s",
            }
        found["secrets"] = list(self.secrets)
        if self.egress:
            found["egress"] = {
                "domains": list(self.egress.domains),
                "includeImplicit": self.egress.with_implicit,
            }
        return {name: value for name, value in found.items() if value}


def needs_of(value: Mapping[str, Any]) -> MachineNeeds:
    """The needs of a value in which `NEEDS` found no issue."""
    git, setup, egress = value.get("git"), value.get("setup"), value.get("egress")
    return MachineNeeds(
        image=str(value.get("image", "")),
        template=str(value.get("template", "")),
        git=GitSource(git["url"], git.get("ref", "")) if git else None,
        files=tuple(FileToWrite(one["path"], one["content"]) for one in value.get("files", [])),
        setup=SetupCommand(setup["command"], _timeout_s(setup.get("timeout"))) if setup else None,
        secrets=tuple(value.get("secrets", [])),
        egress=Egress(tuple(egress["domains"]), egress.get("includeImplicit", True))
        if egress
        else None,
    )


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}" if count else ""


def _refuse(note: Note, path: Path, words: str) -> None:
    note.append(Issue(Code.CUSTOM, path, words))


def _image(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str) or not _NO_SPACE.fullmatch(value) or len(value) > 300:
        _refuse(note, path, "is the name of an environment or an image, such as universal")
    return value


def _url(value: Any, path: Path, note: Note) -> Any:
    url = parse_url(value) if isinstance(value, str) else None
    is_web = url is not None and url.scheme in ("https", "http", "ssh", "git")
    is_ssh = isinstance(value, str) and _SSH_URL.fullmatch(value) is not None
    if not (is_web or is_ssh) or len(str(value)) > 500:
        _refuse(note, path, "is an address such as https://github.com/acme/monorepo.git")
    elif url is not None and url.has_user and url.scheme != "ssh":
        _refuse(note, path, "has a user or password in it: name a secret of the account instead")
    return value


def _ref(value: Any, path: Path, note: Note) -> Any:
    is_ref = isinstance(value, str) and _NO_SPACE.fullmatch(value) and not value.startswith("-")
    if not is_ref or len(value) > 200:
        _refuse(note, path, "is a branch, tag or commit, such as main")
    return value


def _file_path(value: Any, path: Path, note: Note) -> Any:
    words = ""
    if not isinstance(value, str) or not value or len(value) > MAX_PATH_CHARS:
        words = f"is a path of at most {MAX_PATH_CHARS} characters"
    elif value.startswith(("/", "~")) or "\\" in value or re.match(r"[A-Za-z]:", value):
        words = "is a path below the workspace, such as data/input.json"
    elif any(step in ("", ".", "..") for step in value.split("/")):
        words = "must not have . or .. or empty steps in it"
    elif any(ord(char) < 0x20 for char in value) or not is_well_formed(value):
        words = "has characters in it that no path has"
    if words:
        _refuse(note, path, words)
    return value


def plain_text(*, most_bytes: int, is_needed: bool = False) -> Shape:
    """Text without credentials, NUL or broken characters; `is_needed`: more than white space."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, str):
            _refuse(note, path, f"must be text, not {kind_of(value)}")
            return value
        if "\0" in value or not is_well_formed(value):
            _refuse(note, path, "has characters in it that are not text")
            return value
        if is_needed and not value.strip():
            _refuse(note, path, "must not be empty")
        size = len(value.encode("utf-8"))
        if size > most_bytes:
            _refuse(note, path, f"has {size:,} bytes; at most {most_bytes:,} fit")
        found = find_credentials(value)
        if found:
            words = f"line {found[0].line}: {found[0].form}; name a secret under secrets instead"
            _refuse(note, path, words)
        return value

    return check


def _files(value: Any, path: Path, note: Note) -> None:
    paths = [one["path"] for one in value]
    if len(paths) > MAX_FILES:
        _refuse(note, path, f"has {len(paths):,} files; at most {MAX_FILES} fit")
    if sum(len(one["content"].encode()) for one in value) > MAX_ALL_FILES_BYTES:
        _refuse(note, path, "has more than 1 MiB in all: put the files into the repository")
    for at, one in enumerate(paths):
        if one in paths[:at]:
            _refuse(note, (*path, at, "path"), "is written a second time")


def _all_different(*, most: int, what: str) -> Any:
    def check(value: Any, path: Path, note: Note) -> None:
        if len(value) > most:
            _refuse(note, path, f"has {len(value):,} {what}; at most {most} fit")
        for at, one in enumerate(value):
            if one in value[:at]:
                _refuse(note, (*path, at), "stands here a second time")

    return check


def _secret_name(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str) or not is_env_name(value) or find_credentials(value):
        _refuse(note, path, "is the name of a secret of the account, such as GITHUB_TOKEN")
    return value


def _domain(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str) or not _DOMAIN.fullmatch(value) or len(value) > 253:
        words = "is a domain in small letters, such as api.github.com or *.example.com"
        _refuse(note, path, words)
    return value


def _timeout(value: Any, path: Path, note: Note) -> Any:
    try:
        _timeout_s(value)
    except InvalidInput as error:
        _refuse(note, path, error.problems[0].message.rstrip("."))
    return value


def _timeout_s(value: Any) -> int:
    if value is None:
        return DEFAULT_SETUP_TIMEOUT_S
    return parse_duration_s(str(value), place="timeout", least_s=1, most_s=MAX_SETUP_TIMEOUT_S)


def _one_base(value: Any, path: Path, note: Note) -> None:
    if "image" in value and "template" in value:
        _refuse(note, (*path, "template"), "and an image exclude each other: leave one out")


def _list(item: Shape, rule: Any, *, least: int = 0) -> Shape:
    shape = list_of(item, least=least)

    def check(value: Any, path: Path, note: Note) -> Any:
        own: Note = []
        result = shape(value, path, own)
        if not own:
            rule(value, path, own)
        note.extend(own)
        return result

    return check


_command: Final = plain_text(most_bytes=MAX_COMMAND_CHARS, is_needed=True)
NEEDS: Final = fields(
    {
        "image": _image,
        "template": line(most_chars=120),
        "git": fields({"url": _url, "ref": _ref}, required=("url",)),
        "files": _list(
            fields(
                {"path": _file_path, "content": plain_text(most_bytes=MAX_FILE_BYTES)},
                required=("path", "content"),
            ),
            _files,
        ),
        "setup": fields(
            {
                "command": plain_text(most_bytes=MAX_COMMAND_CHARS, is_needed=True),
                "timeout": _timeout,
            },
            required=("command",),
        ),
        "secrets": _list(_secret_name, _all_different(most=MAX_SECRETS, what="secrets")),
        "egress": fields(
            {
                "domains": _list(
                    _domain, _all_different(most=MAX_DOMAINS, what="domains"), least=1
                ),
                "includeImplicit": boolean,
            },
            required=("domains",),
        ),
    },
    rule=_one_base,
)
