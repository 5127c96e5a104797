"""What an import found, as one text that a database keeps and that reads back the same."""

import json
from typing import Any

from fleets.domain.errors import Problem
from fleets.domain.profile_body import body_text
from fleets.domain.profile_import.candidate import Candidate, Found, Loss, Unread


def found_text(found: Found) -> str:
    """The text; bodies stand in it as they will be stored, key order and all."""
    return json.dumps(
        {
            "candidates": [_of_candidate(one) for one in found.candidates],
            "unread": [[one.place, one.reason] for one in found.unread],
        }
    )


def found_of(text: str) -> Found:
    """What a text was made of."""
    value = json.loads(text)
    return Found(
        tuple(_candidate(one) for one in value["candidates"]),
        tuple(Unread(*one) for one in value["unread"]),
    )


def _of_candidate(one: Candidate) -> dict[str, Any]:
    return {
        "place": one.place,
        "line": one.line,
        "slug": one.slug,
        "name": one.name,
        "body": None if one.problems else body_text(one.body),
        "problems": [[problem.place, problem.message] for problem in one.problems],
        "losses": [[loss.line, loss.what, loss.words, loss.is_rule] for loss in one.losses],
        "notes": list(one.notes),
    }


def _candidate(value: dict[str, Any]) -> Candidate:
    return Candidate(
        place=value["place"],
        line=value["line"],
        slug=value["slug"],
        name=value["name"],
        body=json.loads(value["body"]) if value["body"] else {},
        problems=tuple(Problem(*one) for one in value["problems"]),
        losses=tuple(Loss(*one) for one in value["losses"]),
        notes=tuple(value["notes"]),
    )
