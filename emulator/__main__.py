"""`python -m emulator`."""

import argparse
import logging
import os
import sys
from pathlib import Path

from emulator.config import DEFAULT_ACCOUNT_KEY, PACE_FACTORS, Config
from emulator.offers import PLANS
from emulator.server import run

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def read_arguments(arguments: list[str]) -> Config:
    """The configuration of a command line; argparse ends the process on a bad one."""
    parser = argparse.ArgumentParser(prog="python -m emulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 = a free one")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--state", type=Path, help="keep the world in this SQLite file")
    # By the environment it does not show in the machine's list of processes.
    parser.add_argument(
        "--account-key", default=os.environ.get("EMULATOR_ACCOUNT_KEY") or DEFAULT_ACCOUNT_KEY
    )
    parser.add_argument("--control", action="store_true", help="answer below /_emulator/")
    parser.add_argument("--pace", choices=sorted(PACE_FACTORS), default="real")
    parser.add_argument("--plan", choices=sorted(PLANS), default="enterprise")
    parser.add_argument("--rate-per-minute", type=int, help="0 = no limit; else the plan's")
    parser.add_argument("--failure-share", type=float, default=0.06)
    parser.add_argument(
        "--exec",
        dest="exec_root",
        metavar="FOLDER",
        type=Path,
        help="run commands of machines for real, in folders below this one; no sandbox",
    )
    config = Config(**vars(parser.parse_args(arguments)))
    if config.exec_root is not None and config.host not in LOOPBACK:
        parser.error("--exec runs commands on this computer: it needs a loopback --host")
    return config


def main() -> int:
    """Serve until a signal; the exit code."""
    logging.basicConfig(level=logging.INFO, format="emulator: %(levelname)s %(message)s")
    config = read_arguments(sys.argv[1:])
    if config.exec_root is not None:
        logging.getLogger("emulator").warning(
            "commands of machines run for real on this computer, as the user who started this, "
            "below %s: nothing confines them",
            config.exec_root,
        )
    return run(config, announce=_announce)


def _announce(url: str) -> None:
    sys.stdout.write(f"emulator listening on {url}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
