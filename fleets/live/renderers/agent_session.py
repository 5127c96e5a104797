"""An agent's session page: the head is patched, the newest turn's transcript grows."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

from django.template.loader import render_to_string
from django.urls import reverse

from fleets.domain.transcript import TranscriptFold
from fleets.live.appends import Appended, Grown, register_appender
from fleets.live.channels import Change
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece, register
from fleets.models import Agent, Turn
from fleets.selectors.session import session_head
from fleets.selectors.session_turns import session_turns
from fleets.selectors.transcript import frames_after

PAGE: Final = "agent_session"
_PARTS: Final = "fleets/_session_parts.html"
_TRANSCRIPT: Final = "transcript"
_KEPT: Final = 64


class _Folds:
    """Turns that somebody looks at, folded once for all connections of the process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._folds: OrderedDict[int, TranscriptFold] = OrderedDict()

    def read(self, turn_pk: int) -> TranscriptFold:
        """The turn's fold with everything that is stored by now."""
        with self._lock:
            fold = self._folds.pop(turn_pk, None) or TranscriptFold()
            fold.add_all(frames_after(turn_pk, fold.upto))
            self._folds[turn_pk] = fold
            while len(self._folds) > _KEPT:
                self._folds.popitem(last=False)
            return fold


_folds = _Folds()


def session_changes(topic: str, changes: Sequence[Change]) -> Sequence[Piece]:
    """What these changes touch beside the transcript; at a turn's end that is read anew, whole."""
    # The page hears its fleet too, so that the hub can say which changes are this agent's.
    if not any(change["kind"] == "agent" for change in changes):
        return []
    agent = _agent(topic)
    if agent is None:
        return []
    turns = session_turns(agent)
    context = {"session": session_head(agent), "turns": turns, "here": _here(agent)}
    context["turn"] = turns[-1] if turns else None
    names = ["session-title", "session-meta", "session-turns"]
    pieces: list[Piece] = [_part(name, name, context) for name in names]
    if turns:
        pieces.append(_part("turn-head", f"turn-{turns[-1].pk}", context))
        pieces.append(_part("turn-foot", f"turn-{turns[-1].pk}-foot", context))
    if not turns or not turns[-1].is_running:
        # What a stream lost the tick has read by now, and the form may be used again.
        pieces += [Hint(_TRANSCRIPT), Hint("composer")]
    return pieces


def session_news(topic: str, cursor: str) -> Appended:
    """Items of the newest turn that are new or have grown since the cursor."""
    agent = _agent(topic)
    turn_pk = _newest(agent) if agent else None
    shown, upto = _read(cursor)
    if agent is None or turn_pk is None:
        return Appended(cursor)
    if turn_pk != shown:
        return Appended(f"{turn_pk}.0", hints=[_TRANSCRIPT, "composer"])
    fold = _folds.read(turn_pk)
    news = [item for item in fold.items if item.last > upto]
    reached = f"{turn_pk}.{max(upto, fold.upto)}"
    if len(news) > MAX_PARTIALS:
        return Appended(reached, hints=[_TRANSCRIPT])
    here = _here(agent)
    return Appended(reached, [_grown(item, turn_pk, here) for item in news])


def _grown(item: Any, turn_pk: int, here: str) -> Grown:
    context = {"item": item, "turn_pk": turn_pk, "here": here}
    html = render_to_string("fleets/_session_item.html", context).strip()
    return Grown(f"i-{turn_pk}-{item.key}", html)


def _agent(topic: str) -> Agent | None:
    pk = int(topic.partition(":")[2])
    return Agent.objects.select_related("machine", "fleet").filter(pk=pk).first()


def _newest(agent: Agent) -> int | None:
    turns = Turn.objects.filter(agent=agent).order_by("-pk")
    return turns.values_list("pk", flat=True).first()


def _here(agent: Agent) -> str:
    return reverse("fleets:fleet_agent", args=[agent.fleet.public_id, agent.agent_id])


def _read(cursor: str) -> tuple[int, int]:
    """Turn and frame of a cursor; what nobody of us wrote begins at nothing."""
    turn, _, upto = cursor.partition(".")
    is_ours = turn.isdecimal() and upto.isdecimal() and len(cursor) < 40
    return (int(turn), int(upto)) if is_ours else (0, 0)


def _part(name: str, target: str, context: dict[str, Any]) -> Partial:
    return Partial(target, render_to_string(f"{_PARTS}#{name}", context))


register(PAGE, session_changes)
register_appender(PAGE, prefix="session:", appender=session_news)
