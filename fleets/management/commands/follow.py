"""`manage.py follow`: hold the event streams of running turns. See `docs/architecture.md`."""

import asyncio
import os
import signal
import socket
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from fleets.follow import STREAMS, Follower
from fleets.gateway import close_gateway, gateway
from fleets.live.watched import living_followers


class Command(BaseCommand):
    help = "Show agents at work live. Without it everything completes, and text comes at the end."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--streams", type=int, default=STREAMS, help="event streams at once, at most 90"
        )
        parser.add_argument(
            "--check", action="store_true", help="only say whether a follower of this host lives"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        host = socket.gethostname()
        if options["check"]:
            sys.exit(not any(owner.startswith(f"{host}:") for owner in living_followers()))
        streams = max(1, min(90, options["streams"]))
        try:
            gateway().run(_follow(f"{host}:{os.getpid()}", streams, self.stdout.write))
        finally:
            close_gateway()


async def _follow(owner: str, streams: int, say: Any) -> None:
    follower = Follower(owner=owner, most=streams)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, follower.stopping.set)
    say(f"following up to {streams} streams as {owner}")
    await follower.run()
