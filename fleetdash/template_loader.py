"""Templates as they are written, sent without their indentation.

Templates may be indented as deep as reading asks for: HTML makes one space of a line break and of
whatever whitespace follows it, so the indentation is dropped when a template is read, once, and a
list of two hundred rows does not carry it. The line breaks stay, and with them the line numbers of
error messages. No template may indent what is preformatted (`tests/meta/test_templates.py`).
"""

import re
from typing import Final

from django.template import Origin
from django.template.loaders import filesystem

_INDENTATION: Final = re.compile(r"\n[ \t]+")


class Loader(filesystem.Loader):
    """Reads the project's own templates, each line from its first visible character."""

    def get_contents(self, origin: Origin) -> str:
        """The text of a template. Raises `TemplateDoesNotExist` where there is none."""
        contents: str = super().get_contents(origin)
        return _INDENTATION.sub("\n", contents)
