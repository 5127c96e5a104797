"""What arrived, as the page shows it."""

from emulator.clock import iso
from emulator.journal import Entry
from emulator.page_parts import Html, fold, section, table, text
from emulator.world import World

LATEST = 100


def journal(world: World) -> str:
    """The latest requests, the newest first; a body unfolds."""
    latest = list(world.journal.entries)[-LATEST:]
    rows = [
        (
            one.seq,
            iso(one.at_ms)[11:23],
            one.operation,
            _request(one),
            one.status,
            one.key_id,
            one.fault,
        )
        for one in reversed(latest)
    ]
    heads = ("Seq", "Time", "Operation", "Request", "Status", "Key", "Fault")
    return section("journal", f"Journal, the latest {LATEST}", table(heads, rows))


def _request(entry: Entry) -> str:
    """The request, which unfolds to its body where it has one."""
    line = f"{entry.method} {entry.path}"
    return Html(fold(line, f"<pre>{text(entry.body)}</pre>")) if entry.body else line
