"""Calls `manage.py fleet` in the test's own process."""

import io
import json
from dataclasses import dataclass
from typing import Any

from django.core.management import call_command


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output as one JSON document."""
        read: dict[str, Any] = json.loads(self.out)
        return read

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


def fleet(*words: str) -> Said:
    """Run `fleet WORDS…`; never raises for an exit code."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("fleet", *words, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return Said(code, out.getvalue(), err.getvalue())
