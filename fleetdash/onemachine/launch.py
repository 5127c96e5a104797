"""Becomes another program, after giving up root and tying its life to its parent's.

Run by path, with the standard library only::

    python launch.py [--user NAME] [--folder PATH] [--die-with SIGNAL] [--stdin PATH] -- CMD…

`{folder}` in CMD becomes a path to the folder that works even where the user may not pass through
the folders above it: root opens the folder, and the program reaches it through the open descriptor.
So nothing above the data folder ever has to be opened up to others.
"""

import argparse
import ctypes
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(death_signal: signal.Signals) -> None:
    """Ask the kernel for a signal when the parent ends, however it ends (Linux only)."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_PDEATHSIG failed")
    if os.getppid() == 1 and os.environ.get("FLEETDASH_SUPERVISED"):
        # The parent was gone before the kernel knew of the wish.
        sys.exit(1)


def reachable(folder: str) -> str:
    """A path to `folder` for a process that may lack the right to walk there."""
    if os.geteuid() != 0 or not os.path.isdir("/proc/self/fd"):
        return folder
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    os.set_inheritable(descriptor, True)
    return f"/proc/self/fd/{descriptor}"


def become(user: str) -> None:
    """Give up root for good; nothing to do for anyone else."""
    if os.geteuid() != 0:
        return
    try:
        entry = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    except (KeyError, OSError) as error:
        sys.exit(f"root cannot become {user}, and the servers do not run as root: {error}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run a program tied to its parent.")
    parser.add_argument("--user")
    parser.add_argument("--folder")
    parser.add_argument("--stdin")
    parser.add_argument("--die-with", default="SIGTERM")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    command: list[str] = arguments.command
    if arguments.stdin:
        os.dup2(os.open(arguments.stdin, os.O_RDONLY), 0)
    if arguments.folder:
        folder = reachable(arguments.folder)
        # The working folder tells whose process this is, long after its parent is gone.
        os.chdir(arguments.folder)
        command = [part.replace("{folder}", folder) for part in command]
    if arguments.user:
        become(arguments.user)
    # Last: the kernel forgets the wish when a process changes its user.
    die_with_parent(signal.Signals[arguments.die_with])
    try:
        os.execvp(command[0], command)  # noqa: S606 - becoming another program is the purpose
    except OSError as error:
        sys.exit(f"{command[0]} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
