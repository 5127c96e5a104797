"""Short ways to read one thing and to ask what became of it."""

from fleets.domain.profile_import.candidate import Candidate, Found
from fleets.domain.profile_import.reading import read_pasted, read_uploads
from fleets.domain.profile_import.upload import Upload


def pasted(text: str) -> Candidate:
    """The one profile of a text."""
    (candidate,) = read_pasted(text).candidates
    return candidate


def uploaded(*files: tuple[str, str | bytes]) -> Found:
    """Everything of these files."""
    contents = ((path, one.encode() if isinstance(one, str) else one) for path, one in files)
    return read_uploads(Upload(path, content) for path, content in contents)


def lost(candidate: Candidate, *, rules: bool) -> list[str]:
    """Places that are lost: those of permissions, or the others."""
    return [loss.what for loss in candidate.losses if loss.is_rule is rules]


def said(candidate: Candidate) -> str:
    """Everything wrong with it, in one line."""
    return " / ".join(str(problem) for problem in candidate.problems)


def reasons(found: Found) -> str:
    """Why files were not read."""
    return " / ".join(f"{one.place}: {one.reason}" for one in found.unread)
