"""A profile as somebody types it: JSON or YAML text, read with every problem and its line.

The text is the truth. It is written anew only when a field of a form was changed or when the other
syntax is asked for, and only if it reads back as exactly the same value.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from fleets.domain.credentials import find_credentials
from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import JsonText, Path, nodes, read_json
from fleets.domain.profile_body import body_text
from fleets.domain.profile_diff import same
from fleets.domain.profile_form import apply
from fleets.domain.profile_problems import PLACE, CheckedBody, ProfileProblem, check_body
from fleets.domain.profile_secrets import find_secrets
from fleets.domain.yaml_lines import YamlText, read_yaml
from fleets.domain.yaml_text import write_yaml

_LINE: Final = re.compile(r"Line (\d+)")


class Syntax(StrEnum):
    """How a document is written."""

    JSON = "json"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what it says. `body` None: it cannot be read at all, `problem` says why.

    `checked` is the verdict on a body that could be read.
    """

    text: str
    syntax: Syntax
    body: Any = None
    checked: CheckedBody | None = None
    problem: str = ""
    problem_line: int = 1
    _source: JsonText | YamlText | None = field(default=None, repr=False)

    @property
    def is_sound(self) -> bool:
        """Whether it can be saved."""
        return self.checked is not None and not self.checked.problems

    @property
    def problems(self) -> tuple[tuple[int, ProfileProblem], ...]:
        """Everything wrong with the line it stands in, by line."""
        if self.checked is None:
            return ((self.problem_line, ProfileProblem((), self.problem)),)
        found = [(self.line_of(one.path), one) for one in self.checked.problems]
        return tuple(sorted(found, key=lambda pair: pair[0]))

    @property
    def has_secret(self) -> bool:
        """Whether something in it looks like a secret: such a text is not kept anywhere."""
        if self.checked is None:
            return bool(find_credentials(self.text))
        return bool(find_secrets(self.body))

    def line_of(self, path: Path) -> int:
        """The line (from 1) of a place of the body, or of what is around it."""
        return self._source.line_of(path) if self._source else 1


def read_document(text: str, syntax: Syntax) -> Document:
    """Read and check a text. Never raises: what is wrong is in the document."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = read_json if syntax is Syntax.JSON else read_yaml
    try:
        source = reader(text, place=PLACE)
    except InvalidInput as error:
        words = error.problems[0].message
        line = _LINE.match(words)
        return Document(text, syntax, problem=words, problem_line=int(line[1]) if line else 1)
    return Document(text, syntax, source.value, check_body(source.value), _source=source)


def write_document(body: Any, syntax: Syntax) -> Document:
    """A body as a document of that syntax; in JSON where YAML cannot hold it."""
    text = body_text(body) if syntax is Syntax.JSON else write_yaml(body)
    document = read_document(text, syntax)
    if syntax is Syntax.YAML and (document.checked is None or not same(document.body, body)):
        return write_document(body, Syntax.JSON)
    return document


def with_form(document: Document, typed: Mapping[str, str]) -> Document:
    """The document with the changed fields of a form; the same document when none was changed."""
    if document.checked is None or not isinstance(document.body, Mapping):
        return document
    body = apply(document.body, typed)
    return document if body is document.body else write_document(body, document.syntax)


def in_syntax(document: Document, syntax: Syntax) -> Document:
    """The document in the other syntax; as it is where it cannot be read or not be written so."""
    if document.syntax is syntax or document.checked is None or not _can_travel(document.body):
        return document
    other = write_document(document.body, syntax)
    return other if same(other.body, document.body) else document


def _can_travel(body: Any) -> bool:
    return not any(isinstance(one, float) and not math.isfinite(one) for _, one in nodes(body))
