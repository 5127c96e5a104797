"""Faults within a stream of events: left out, sent twice, out of order, or never again."""

from emulator.faults import Fault
from emulator.ids import rng_for

END = b"\n\n"
KINDS = ("drop_event", "duplicate_event", "reorder_event")


class EventFault:
    """One stream's frames as its caller gets them.

    Which frames are struck depends on the fault, the stream's identity and each frame's id, never
    on how the frames happened to be grouped.
    """

    def __init__(self, fault: Fault, *, seed: int, identity: str) -> None:
        self._fault = fault
        self._place = (seed, fault.id, identity, fault.seen[identity])
        self._late = b""

    def pass_on(self, piece: bytes, *, is_last: bool) -> bytes:
        """What is sent instead of the piece; a frame is never split over two pieces."""
        sent = b""
        for frame in piece.split(END):
            if not frame:
                continue
            whole = frame + END
            if not self._strikes(frame):
                sent += whole + self._late
                self._late = b""
            elif self._fault.kind == "duplicate_event":
                sent += whole + whole
            elif self._fault.kind == "reorder_event":
                sent += self._late
                self._late = whole
        if is_last:
            sent += self._late
        return sent

    def _strikes(self, frame: bytes) -> bool:
        number = _id_of(frame)
        if number is None:
            return False
        if self._fault.event is not None:
            return number == self._fault.event
        return rng_for(*self._place, number).random() < self._fault.share


def count_of(piece: bytes) -> int:
    """How many frames with an id the piece holds."""
    return sum(_id_of(frame) is not None for frame in piece.split(END))


def first_of(piece: bytes, *, count: int) -> bytes:
    """The piece's first frames."""
    return b"".join(frame + END for frame in piece.split(END)[:count] if frame)


def _id_of(frame: bytes) -> int | None:
    name, _, rest = frame.partition(b": ")
    text = rest.partition(b"\n")[0]
    return int(text) if name == b"id" and text.isdigit() else None
