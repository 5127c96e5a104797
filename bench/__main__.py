"""`python -m bench [drive|live|pages|ingest|catalog] [--agents N]`: one benchmark, or all.

`python -m bench day` is a soak, not a benchmark: it runs only by its name.
"""

import argparse
import importlib

from bench import house

AGENTS = {
    "drive": [100, 1_000, 10_000],
    "pages": [100, 10_000],
    "live": [500, 2_000],
    "ingest": [],
    "catalog": [500],
}
# For a day the numbers are fleets.
SOAKS = {"day": [200]}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", choices=sorted(AGENTS | SOAKS), help="default: all")
    parser.add_argument(
        "--agents", type=int, action="append", help="instead of the usual numbers; may be repeated"
    )
    arguments = parser.parse_args()
    house.open_house()
    for name in [arguments.name] if arguments.name else AGENTS:
        benchmark = importlib.import_module(f"bench.{name}")
        benchmark.main(arguments.agents or (AGENTS | SOAKS)[name])


if __name__ == "__main__":
    main()
