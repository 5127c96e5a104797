"""Pages that grow (transcripts): what is new since a connection's own cursor, read from Postgres.

An entry of the stream only says that there is something; so nothing shows twice and nothing is lost
by an entry that was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grown:
    """HTML of an element that is new or has grown; its root has this id."""

    id: str
    html: str


@dataclass(frozen=True, slots=True)
class Appended:
    """What is new, where that leads, and which panels are to fetch themselves."""

    cursor: str
    items: Sequence[Grown] = ()
    hints: Sequence[str] = ()


# (topic, cursor) -> what is new; runs in a thread, for one connection.
Appender = Callable[[str, str], Appended]

_appenders: dict[str, tuple[str, Appender]] = {}


def register_appender(page: str, *, prefix: str, appender: Appender) -> None:
    """Let pages of this kind grow by what `appender` says of their topic with this prefix."""
    _appenders[page] = (prefix, appender)


def growing_topic(page: str, topics: Sequence[str]) -> str | None:
    """The topic by which a page grows; None for pages that do not."""
    if page not in _appenders:
        return None
    prefix, _ = _appenders[page]
    return next((topic for topic in topics if topic.startswith(prefix)), None)


def append(page: str, topic: str, cursor: str) -> Appended:
    """What is new of a page since the cursor."""
    return _appenders[page][1](topic, cursor)
