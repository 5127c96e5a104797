"""The arguments of `manage.py fleet`. Values stay text: the domain reads them."""

import argparse
from collections.abc import Callable
from typing import Any, Final

_ACTS: Final = {
    "show": "one fleet: its agents, machines and money",
    "watch": "follow a fleet until its work has ended",
    "interrupt": "stop one agent's turn; its conversation stays, the others go on",
    "cancel": "stop the work; the machines stay",
    "cut": "lower the key's cap to what is spent: nothing more is paid for",
    "delete": "remove machines and keys; the record stays",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add every subcommand to Django's parser."""
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    _add_run(acts.add_parser("run", help="launch a fleet and wait for it"))
    listing = acts.add_parser("list", help="the newest fleets")
    listing.add_argument("--all", action="store_true", help="deleted ones too")
    _add_common(listing)
    for name, words in _ACTS.items():
        act = acts.add_parser(name, help=words)
        act.add_argument("fleet", metavar="ID", help="the fleet's id, or its name")
        _add_common(act)
        more = _MORE.get(name)
        if more:
            more(act)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", nargs="?", help="{agent_id} and {index} are filled in; or stdin")
    options = {
        "--agents": ("N|FILE.json", "how many agents, or a file in which each is its own"),
        "--tasks": ("FILE", "a list of tasks that the agents drain: a line each, JSON or CSV"),
        "--answer": (
            "FILE|JSON",
            "what a good answer is, as JSON or a file with it",
        ),
        "--machines": ("N", "machines without agents: so many workers, until their lifetime ends"),
        "--machine": ("FILE|JSON", "what machines get: image, git, files, setup, secrets, egress"),
        "--size": ("nano|small|medium|large", "the size of every machine (default small)"),
        "--lifetime": ("60m", "of the machines, at most (default 60 min)"),
        "--placement": ("auto|dedicated|K", "who shares a machine (default auto: by memory)"),
        "--model": ("M", "the model (default gpt-4.1-mini)"),
        "--harness": ("H", "the harness (default opencode)"),
        "--profile": (
            "P",
            "of the catalog, for all: its id, then expect r12, fixed r12 or a label",
        ),
        "--max-spend-usd": ("X", "the budget; without one nothing stops its spending"),
        "--at-once": ("auto|K", "agents in flight at once (default auto: as the budget can hold)"),
        "--after": ("delete|stop|keep", "the machines after the last task (default delete)"),
        "--name": ("NAME", "the fleet's name (default: from the prompt)"),
        "--team": ("SLUG", "the team (default: your first)"),
        "--parent": ("ID", "launch it as a child of this fleet, within what its budget has left"),
        "--parent-agent": ("A", "with --parent: the agent for whom it is launched"),
        "--definition": ("NAME", "launch this definition; other options are put over it"),
        "--rows": ("FILE.csv", "with --definition: these rows instead of its own"),
        "--fleet": ("ID", "run this fleet again instead of launching one"),
        "--only": ("a,b", "with --fleet: only these agents, of a pool these tasks"),
    }
    for option, (metavar, words) in options.items():
        parser.add_argument(option, metavar=metavar, help=words)
    switches = {
        "--coordinator": "with --machines: one more machine, which the platform calls so",
        "--same-session": "with --tasks: an agent does all its tasks in its one session",
        "--failed": "with --fleet: only what did not complete",
        "--fresh": "with --fleet: new sessions instead of going on with theirs",
    }
    for switch, words in switches.items():
        parser.add_argument(switch, action="store_true", help=words)
    _add_as(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON document at the end")
    output.add_argument("--events", action="store_true", help="print JSON lines as things happen")


def _add_common(parser: argparse.ArgumentParser) -> None:
    _add_as(parser)
    parser.add_argument("--reason", metavar="TEXT", help="why, for the audit")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _add_as(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as", dest="username", metavar="USERNAME", help="who acts (default: the only admin)"
    )


def _add_cancel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only-this", action="store_true", help="leave its children and its key alone"
    )


def _add_interrupt(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="AGENT", help="the agent's id")


def _add_delete(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")


_MORE: Final[dict[str, Callable[[argparse.ArgumentParser], Any]]] = {
    "interrupt": _add_interrupt,
    "cancel": _add_cancel,
    "delete": _add_delete,
}
