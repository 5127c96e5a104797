"""What kind of file each is, by its name and by what stands in it, and what is read from it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.json_lines import JsonText, read_json
from fleets.domain.profile_import.candidate import Candidate, Found, Unread
from fleets.domain.profile_import.candidate_builder import Source, refused
from fleets.domain.profile_import.claude_settings import is_settings, read_settings
from fleets.domain.profile_import.codex import read_codex
from fleets.domain.profile_import.front_matter import has_front_matter
from fleets.domain.profile_import.jsonc import without_comments
from fleets.domain.profile_import.markdown_agents import read_markdown
from fleets.domain.profile_import.opencode import SIGNS, read_opencode
from fleets.domain.profile_import.own_documents import PASTED, read_own
from fleets.domain.profile_import.server_maps import is_server_map, read_server_map
from fleets.domain.profile_import.upload import TextFile, Upload, decoded, unpack
from fleets.domain.profile_schema.profile import check_profile
from fleets.domain.yaml_lines import read_yaml_documents

MAX_CANDIDATES: Final = 500
_JSON: Final = (".json", ".jsonc")
_YAML: Final = (".yaml", ".yml")
_MARKDOWN: Final = (".md", ".markdown", ".mdc")
_TOML: Final = (".toml",)
_SKILL: Final = "SKILL.md"
_OURS: Final = frozenset({"prompt", "harness", "resources", "subagents", "modes"})
_COMMANDS: Final = frozenset({"command", "commands"})
_TOML_LINE: Final = re.compile(
    r"^(?:\[{1,2}[A-Za-z_\"'][\w.\"' -]*\]{1,2}|[\w.-]+\s*=\s*\S.*)\s*$", re.MULTILINE
)


def read_uploads(uploads: Iterable[Upload]) -> Found:
    """Everything in the uploaded files and archives."""
    unpacked = unpack(uploads)
    return _read_files(unpacked.files, unpacked.unread)


def read_pasted(text: str) -> Found:
    """Everything in a text; what it is shows in its first lines."""
    content = decoded(text.encode("utf-8", "replace"))
    if content is None or not content.strip():
        return Found((), (Unread(PASTED, "There is nothing in it."),))
    return _read_files((TextFile(f"{PASTED}{_kind_of(content)}", content),), ())


def _kind_of(text: str) -> str:
    start = text.lstrip()
    if start[:1] in ("{", "[") and not _TOML_LINE.match(start):
        return ".json"
    if start.startswith(("//", "/*")):
        return ".jsonc"
    if has_front_matter(start) and not _is_yaml_stream(start):
        return ".md"
    return ".toml" if _TOML_LINE.match(_without_comments(start)) else ".yaml"


def _without_comments(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _is_yaml_stream(text: str) -> bool:
    """Whether what looks like front matter is a stream of documents: then each is an object."""
    try:
        documents = read_yaml_documents(text, place="")
    except InvalidInput:
        return False
    return len(documents) > 1 and all(isinstance(one.value, Mapping) for one in documents)


def _read_files(files: tuple[TextFile, ...], unread: tuple[Unread, ...]) -> Found:
    texts = {file.path: file.text for file in files}
    skills = {
        file.folders[-1]: file.text for file in files if file.file_name == _SKILL and file.folders
    }
    candidates: list[Candidate] = []
    passed = list(unread)
    for file in files:
        for one in _read_file(file, texts=texts, skills=skills):
            if isinstance(one, Unread):
                passed.append(one)
            else:
                candidates.append(one)
    if len(candidates) > MAX_CANDIDATES:
        reason = (
            f"{len(candidates):,} profiles; at most {MAX_CANDIDATES} at a time: import in parts."
        )
        return Found((), (Unread("the upload", reason),))
    return Found(_without_twins(candidates), tuple(passed))


def _read_file(
    file: TextFile, *, texts: Mapping[str, str], skills: Mapping[str, str]
) -> Iterator[Candidate | Unread]:
    name = file.file_name.lower()
    if name.endswith(_MARKDOWN):
        yield _markdown(file, skills=skills)
    elif name.endswith(_TOML):
        yield from read_codex(file)
    elif name.endswith((*_JSON, *_YAML)):
        yield from _data(file, texts=texts)
    else:
        kinds = "JSON, YAML, TOML, Markdown with front matter, zip"
        yield Unread(file.path, f"Nothing is read from such a file; known are {kinds}.")


def _markdown(file: TextFile, *, skills: Mapping[str, str]) -> Candidate | Unread:
    if file.file_name == _SKILL:
        return Unread(file.path, "A skill: it comes with the agents that name it.")
    if not has_front_matter(file.text):
        return Unread(file.path, "No front matter (--- with name and description): not an agent.")
    if _COMMANDS & set(file.folders):
        return Unread(file.path, "A command, not an agent.")
    return read_markdown(file, skills=skills)


def _data(file: TextFile, *, texts: Mapping[str, str]) -> Iterator[Candidate]:
    try:
        sources = _documents(file)
    except InvalidInput as error:
        yield refused(file.path, error)
        return
    if not sources:
        yield Candidate(file.path, 1, "", "", {}, (Problem("Line 1", "There is nothing in it."),))
    for source in sources:
        yield from _document(source, file, texts=texts, is_alone=len(sources) == 1)


def _documents(file: TextFile) -> list[Source]:
    if file.file_name.lower().endswith(_JSON):
        read = _json(file)
        return [Source(file.path, read.value, read.line_of)]
    documents = read_yaml_documents(file.text, place=file.path)
    sources = [Source(file.path, one.value, one.line_of) for one in documents]
    if len(sources) == 1:
        return sources
    return [
        replace(source, place=f"{file.path}, document {number}")
        for number, source in enumerate(sources, 1)
    ]


def _json(file: TextFile) -> JsonText:
    """Plain, or else with the comments and commas that editors let pass."""
    try:
        return read_json(file.text, place=file.path)
    except InvalidInput:
        plain = without_comments(file.text)
        if plain == file.text:
            raise
        return read_json(plain, place=file.path)


def _document(
    source: Source, file: TextFile, *, texts: Mapping[str, str], is_alone: bool
) -> Iterator[Candidate]:
    value: Any = source.value
    if isinstance(value, Mapping) and not _is_ours(value):
        if _is_opencode(value, file):
            yield read_opencode(source, texts=texts)
            return
        if is_settings(value):
            yield read_settings(source)
            return
        if is_server_map(value):
            yield read_server_map(source)
            return
    yield from read_own(source, is_alone=is_alone)


def _is_ours(value: Mapping[str, Any]) -> bool:
    """Whether it is an entry, or a profile the schema accepts as it stands."""
    return bool({"profileId", "profile"} & set(value)) or not check_profile(value).issues


def _is_opencode(value: Mapping[str, Any], file: TextFile) -> bool:
    is_named = file.file_name.lower().partition(".")[0] == "opencode"
    is_said = "opencode" in str(value.get("$schema", ""))
    is_ours = bool(_OURS & set(value)) or not isinstance(value.get("model"), str)
    return is_named or is_said or bool(SIGNS & set(value)) or not is_ours


def _without_twins(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """Two profiles of one id in one upload are both refused: nobody can tell which is meant."""
    places: dict[str, list[str]] = {}
    for one in candidates:
        if one.slug and not one.problems:
            places.setdefault(one.slug, []).append(f"{one.place} line {one.line}")
    return tuple(
        replace(one, problems=(_twin(one, places[one.slug]),))
        if not one.problems and len(places.get(one.slug, ())) > 1
        else one
        for one in candidates
    )


def _twin(candidate: Candidate, places: list[str]) -> Problem:
    others = [place for place in places if place != f"{candidate.place} line {candidate.line}"]
    also = f" ({others[0]})" if others else ""
    words = (
        f"The id {candidate.slug} stands twice in this upload{also}: give one another profileId."
    )
    return Problem(f"Line {candidate.line}", words)
