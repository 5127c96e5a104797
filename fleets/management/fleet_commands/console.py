"""Where words go: results to standard output, everything said meanwhile to standard error."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Output(Protocol):
    """What Django's command outputs offer."""

    def write(self, msg: str = "", style_func: Any = None, ending: str | None = None) -> None: ...

    def flush(self) -> None: ...

    def isatty(self) -> bool: ...


class Console:
    """A status line that is written over on a terminal, and lines everywhere else."""

    def __init__(self, out: Output, err: Output) -> None:
        self._out = out
        self._err = err
        self._shown = 0

    @property
    def is_terminal(self) -> bool:
        """Whether the status line can be written over."""
        return self._err.isatty()

    def say(self, text: str) -> None:
        """A line for the person, apart from the result."""
        self.clear()
        self._err.write(text, _plain, ending="\n")
        self._err.flush()

    def status(self, text: str) -> None:
        """The one status line; on anything but a terminal a line like any other."""
        if not self.is_terminal:
            self.say(text)
            return
        self._err.write(f"\r{text.ljust(self._shown)}", _plain, ending="")
        self._err.flush()
        self._shown = len(text)

    def clear(self) -> None:
        """Take the status line away."""
        if self._shown:
            self._err.write(f"\r{' ' * self._shown}\r", _plain, ending="")
            self._shown = 0

    def result(self, text: str) -> None:
        """A line of the result."""
        self.clear()
        self._out.write(text, ending="\n")
        self._out.flush()

    def document(self, document: Mapping[str, Any]) -> None:
        """One JSON document."""
        self.result(json.dumps(document, indent=2, ensure_ascii=False))

    def line(self, document: Mapping[str, Any]) -> None:
        """One JSON document on one line."""
        self.result(json.dumps(document, ensure_ascii=False, separators=(",", ":")))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns as wide as their widest cell."""
        widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
        for row in (head, *rows):
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.result("  ".join(cells).rstrip())


def _plain(text: str) -> str:
    return text
