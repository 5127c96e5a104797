"""One kind of work that agents do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Narrative:
    """One kind of work. Tools are (tool, target, output); `{subject}` is the prompt's subject."""

    opening: str
    steps: tuple[tuple[str, str, str], ...]
    remarks: tuple[str, ...]
    findings: tuple[str, ...]
