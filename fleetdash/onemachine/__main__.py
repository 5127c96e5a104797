"""`python -m fleetdash.onemachine up|down|reset|logs`: what the Makefile calls."""

import os
import sys

from fleetdash.onemachine import other_shell
from fleetdash.onemachine.plan import Plan, data_folder
from fleetdash.onemachine.refusals import Refusal


def _act(word: str) -> int:
    if word == "up":
        # Needs the installed packages; the others work without.
        from fleetdash.onemachine.up import up

        return up(Plan.read())
    if word == "down":
        print(other_shell.down(data_folder()))
    elif word == "reset":
        print(other_shell.reset(data_folder(), sure=os.environ.get("YES") == "1"))
    elif word == "logs":
        other_shell.logs(data_folder(), os.environ.get("NAME", ""))
    else:
        raise Refusal(f"{word} is not a command: say up, down, reset or logs.")
    return 0


def main() -> int:
    try:
        return _act(sys.argv[1] if len(sys.argv) > 1 else "")
    except Refusal as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
