"""Many open pages in one process: `python -m bench.viewers` reads what to open from its input.

A few of them read what they get; the others only take it, as their work would be a browser's.
"""

import asyncio
import json
import re
import resource
import sys
import time
from dataclasses import dataclass, field

READING = 10
# Opening all at once would measure the opening.
PAUSE_S = 0.004
_MARK = re.compile(rb"mark-(\d+)-")


@dataclass
class Viewers:
    """What all of them got. `seen` is when each of the reading ones first saw each mark."""

    opened: int = 0
    refused: int = 0
    resyncs: int = 0
    hints: int = 0
    received: int = 0
    seen: list[tuple[int, float]] = field(default_factory=list)


async def _watch(number: int, order: dict[str, str], told: Viewers) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(order["port"]), limit=2**22)
    head = [f"GET {order['path']} HTTP/1.1", "Host: 127.0.0.1", f"Cookie: {order['cookie']}"]
    writer.write("\r\n".join([*head, "", ""]).encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in answer.splitlines()[0]:
        told.refused += 1
        return
    told.opened += 1
    known: set[int] = set()
    try:
        while chunk := await reader.read(2**18):
            told.received += len(chunk)
            if number >= READING:
                continue
            now = time.time()
            told.resyncs += chunk.count(b"event: resync")
            told.hints += chunk.count(b"fleet-tab")
            for mark in map(int, _MARK.findall(chunk)):
                if mark not in known:
                    known.add(mark)
                    told.seen.append((mark, now))
    finally:
        writer.close()


async def _run(order: dict[str, str]) -> Viewers:
    told = Viewers()
    tasks = []
    for number in range(int(order["count"])):
        tasks.append(asyncio.create_task(_watch(number, order, told)))
        await asyncio.sleep(PAUSE_S)
    while told.opened + told.refused < len(tasks):
        await asyncio.sleep(0.05)
    sys.stdout.write("open\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return told


def main() -> None:
    """Open, say `open`, watch until a line comes, then tell what was seen."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    told = asyncio.run(_run(json.loads(sys.stdin.readline())))
    json.dump(vars(told), sys.stdout)


if __name__ == "__main__":
    main()
