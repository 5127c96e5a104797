"""Profiles as files that an import reads back as unchanged: JSON, YAML, or a zip of either.

A single profile is its body alone, and its file is named by its id; several are entries that name
theirs. The same profiles make the same bytes.
"""

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from fleets.domain.errors import InvalidInput, OverLimit, Repair
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.profile_body import body_text
from fleets.domain.yaml_lines import MAX_YAML_BYTES
from fleets.domain.yaml_text import write_yaml

MANY: Final = "fleetdash-profiles"
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE: Final = 0o644 << 16


class Form(StrEnum):
    """What the file is."""

    JSON = "json"
    YAML = "yaml"
    JSON_ZIP = "json-zip"
    YAML_ZIP = "yaml-zip"


@dataclass(frozen=True, slots=True)
class Entry:
    """One profile to be written: its id and the text it is stored as."""

    slug: str
    text: str

    @property
    def body(self) -> Any:
        """The parsed text."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to hand over."""

    name: str
    content_type: str
    content: bytes


def export_profiles(entries: Sequence[Entry], *, form: Form) -> ExportFile:
    """Write them in the order given.

    Raises InvalidInput when there is none, OverLimit when an import could not read it back.
    """
    if not entries:
        raise InvalidInput.at("profiles", "There is no profile to export.")
    if form in (Form.JSON_ZIP, Form.YAML_ZIP):
        return ExportFile(f"{MANY}.zip", "application/zip", _zipped(entries, form=form))
    name = entries[0].slug if len(entries) == 1 else MANY
    if form is Form.YAML:
        text, limit = _yaml(entries), MAX_YAML_BYTES
    else:
        text, limit = _json(entries), MAX_BYTES
    content = text.encode()
    if len(content) > limit:
        _too_large(len(content), limit=limit, form=form)
    kind = "application/yaml" if form is Form.YAML else "application/json"
    return ExportFile(f"{name}.{form}", kind, content)


def _json(entries: Sequence[Entry]) -> str:
    if len(entries) == 1:
        return entries[0].text + "\n"
    listed = [{"profileId": one.slug, "profile": one.body} for one in entries]
    return body_text({"profiles": listed}) + "\n"


def _yaml(entries: Sequence[Entry]) -> str:
    if len(entries) == 1:
        return write_yaml(entries[0].body)
    return "".join(
        f"---\n{write_yaml({'profileId': one.slug, 'profile': one.body})}" for one in entries
    )


def _zipped(entries: Sequence[Entry], *, form: Form) -> bytes:
    into = io.BytesIO()
    ending = "json" if form is Form.JSON_ZIP else "yaml"
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in entries:
            text = _json([one]) if form is Form.JSON_ZIP else _yaml([one])
            if form is Form.YAML_ZIP and len(text.encode()) > MAX_YAML_BYTES:
                _too_large(len(text.encode()), limit=MAX_YAML_BYTES, form=form, slug=one.slug)
            member = zipfile.ZipInfo(f"{one.slug}.{ending}", _NO_TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _PLAIN_FILE
            archive.writestr(member, text)
    return into.getvalue()


def _too_large(size: int, *, limit: int, form: Form, slug: str = "") -> None:
    better = Form.JSON_ZIP if form is not Form.YAML or slug else Form.YAML_ZIP
    what = f"{slug} alone" if slug else "The file"
    raise OverLimit(
        f"{what} would have {size:,} bytes; an import reads at most {limit:,} of this kind.",
        limit=f"{limit:,} bytes",
        asked=f"{size:,} bytes",
        repairs=(Repair("Export as a zip of JSON files", "form", better.value),),
    )
