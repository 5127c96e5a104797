"""What a renderer gives back, and the registry that finds it by page.

A renderer is a plain function `(topic, changes) -> list of Partial and Hint`. It runs in a thread,
once per process and flush, for everybody who looks at the page: its markup knows no viewer.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from django.utils.html import format_html
from django.utils.safestring import mark_safe

from fleets.live.channels import Change

# More rows than this in one flush become a hint: the page fetches its own fragment instead.
MAX_PARTIALS = 100


@dataclass(frozen=True, slots=True)
class Partial:
    """HTML for `#target`. Rows and cells morph; SVG parts cannot be sent without their <svg>."""

    target: str
    html: str
    swap: str = "outerMorph"

    def __post_init__(self) -> None:
        # White space around the element would be left beside it, again with every patch.
        object.__setattr__(self, "html", self.html.strip())

    def markup(self) -> str:
        """The element htmx understands."""
        return format_html(
            '<hx-partial hx-target="#{}" hx-swap="{}">{}</hx-partial>',
            self.target,
            self.swap,
            mark_safe(self.html),  # noqa: S308  # rendered by our own templates
        )


@dataclass(frozen=True, slots=True)
class Hint:
    """The element with this id (`data-refresh`) fetches its own fragment, soon."""

    target: str


Piece = Partial | Hint
Renderer = Callable[[str, Sequence[Change]], Sequence[Piece]]

_renderers: dict[str, list[Renderer]] = {}


def register(page: str, renderer: Renderer) -> None:
    """Let `renderer` answer for changes on pages of the kind `page`."""
    listed = _renderers.setdefault(page, [])
    if renderer not in listed:
        listed.append(renderer)


@cache
def load_renderers() -> None:
    """Import every module of `fleets.live.renderers`; each registers itself."""
    from fleets.live import renderers

    for module in pkgutil.iter_modules(renderers.__path__):
        importlib.import_module(f"{renderers.__name__}.{module.name}")


def render(page: str, topic: str, changes: Sequence[Change]) -> list[Piece]:
    """Everything the renderers of a page say to these changes."""
    load_renderers()
    pieces: list[Piece] = []
    for renderer in _renderers.get(page, []):
        pieces.extend(renderer(topic, changes))
    return pieces
