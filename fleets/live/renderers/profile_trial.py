"""The page of a trial: small, and read by few, so it fetches itself when its fleet has changed."""

from collections.abc import Sequence
from typing import Final

from fleets.live.channels import Change
from fleets.live.fragments import Hint, Piece, register

PAGE: Final = "profile_trial"
# Answers, verdicts and states come with one of these.
_SHOWN: Final = frozenset({"head", "agents"})


def trial_changes(_topic: str, changes: Sequence[Change]) -> Sequence[Piece]:
    """What these changes of its fleet touch."""
    return [Hint("trial-body")] if any(one["kind"] in _SHOWN for one in changes) else []


register(PAGE, trial_changes)
