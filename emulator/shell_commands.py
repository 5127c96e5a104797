"""The commands of the scripted shell, each a function of the shell and its arguments."""

from collections.abc import Callable

from emulator.ids import rng_for
from emulator.shell import HOME, WORKSPACE, Shell, run_script

Command = Callable[[Shell, list[str]], int]
VERSIONS = {"node": "v22.11.0", "python": "Python 3.12.7", "python3": "Python 3.12.7"}
FILES = {
    f"{WORKSPACE}/README.md": "# Workspace\n\nWhat agents work on.\n",
    f"{WORKSPACE}/src/app.py": "def main() -> int:\n    return 0\n",
    f"{HOME}/.profile": "export LANG=C.UTF-8\n",
    "/etc/os-release": 'NAME="Emulated Linux"\nID=emulated\n',
}
LONGEST_SEQUENCE = 200_000


def _echo(shell: Shell, words: list[str]) -> int:
    if words[:1] == ["-n"]:
        shell.stdout.append(" ".join(words[1:]))
    else:
        shell.stdout.append(" ".join(words) + "\n")
    return 0


def _printf(shell: Shell, words: list[str]) -> int:
    text = words[0] if words else ""
    for word in words[1:]:
        text = text.replace("%s", word, 1)
    shell.stdout.append(text.replace("\\n", "\n").replace("\\t", "\t"))
    return 0


def _env(shell: Shell, words: list[str]) -> int:
    if words:
        found = shell.env.get(words[0])
        shell.stdout += [] if found is None else [f"{found}\n"]
        return int(found is None)
    shell.stdout += [f"{name}={value}\n" for name, value in sorted(shell.env.items())]
    return 0


def _ls(shell: Shell, words: list[str]) -> int:
    names = [word for word in words if not word.startswith("-")]
    place = shell.path(names[0] if names else ".")
    every = {**FILES, **shell.machine.files}
    if place in every:
        shell.stdout.append(f"{place}\n")
        return 0
    prefix = place.rstrip("/") + "/"
    found = {path[len(prefix) :].partition("/")[0] for path in every if path.startswith(prefix)}
    if not found:
        return shell.fail("ls", f"cannot access '{place}': No such file or directory", code=2)
    hidden = any("a" in word.lower() for word in words if word.startswith("-"))
    shell.stdout += [f"{name}\n" for name in sorted(found) if hidden or not name.startswith(".")]
    return 0


def _cat(shell: Shell, words: list[str]) -> int:
    code = 0
    for word in words:
        path = shell.path(word)
        text = shell.machine.files.get(path, FILES.get(path))
        if path.startswith(("/bin/", "/usr/bin/")):
            text = "\x7fELF" + _noise(shell, count=2_000)
        if text is None:
            code = shell.fail("cat", f"{word}: No such file or directory")
        else:
            shell.stdout.append(text)
    return code


def _noise(shell: Shell, *, count: int) -> str:
    """Bytes as the wire shows them: what is no UTF-8 becomes the replacement character."""
    data = rng_for("noise", shell.machine.id, count).randbytes(min(count, 1_048_576))
    return data.decode(errors="replace")


def _head(shell: Shell, words: list[str]) -> int:
    if len(words) != 3 or words[0] != "-c" or not words[1].isdecimal():
        return shell.fail("head", "only `head -c N FILE` is scripted", code=2)
    count = int(words[1])
    if words[2] in ("/dev/urandom", "/dev/random"):
        shell.stdout.append(_noise(shell, count=count))
        return 0
    written = len(shell.stdout)
    code = _cat(shell, words[2:])
    shell.stdout[written:] = ["".join(shell.stdout[written:])[:count]]
    return code


def _sequence(shell: Shell, words: list[str]) -> int:
    if len(words) not in (1, 2) or not all(word.isdecimal() for word in words):
        return shell.fail("seq", "one or two numbers are needed", code=2)
    first = int(words[0]) if len(words) == 2 else 1
    last = min(int(words[-1]), first + LONGEST_SEQUENCE)
    shell.stdout.append("".join(f"{number}\n" for number in range(first, last + 1)))
    return 0


def _sleep(shell: Shell, words: list[str]) -> int:
    try:
        seconds = float(words[0].rstrip("s"))
        if not 0 <= seconds <= 1e9:
            raise ValueError
    except (IndexError, ValueError):
        return shell.fail("sleep", "invalid time interval")
    shell.took_ms += seconds * 1000
    return 0


def _exit(shell: Shell, words: list[str]) -> int:
    shell.is_over = True
    return int(words[0]) % 256 if words and words[0].isdecimal() else shell.code


def _cd(shell: Shell, words: list[str]) -> int:
    shell.cwd = shell.path(words[0]) if words else HOME
    return 0


def _version_of(name: str) -> Command:
    def tell(shell: Shell, words: list[str]) -> int:
        if words[:1] in (["--version"], ["-V"], ["-v"]):
            shell.stdout.append(VERSIONS[name] + "\n")
            return 0
        return shell.fail(name, "the scripted shell runs no programs", code=126)

    return tell


def _sub_shell(shell: Shell, words: list[str]) -> int:
    if len(words) < 2 or words[0] not in ("-c", "-lc"):
        return shell.fail("sh", "only `sh -c COMMAND` is scripted", code=2)
    run_script(shell, words[1])
    shell.is_over = False
    return shell.code


def _says(text: str) -> Command:
    def tell(shell: Shell, _words: list[str]) -> int:
        shell.stdout.append(f"{text}\n")
        return 0

    return tell


def _pwd(shell: Shell, _words: list[str]) -> int:
    shell.stdout.append(f"{shell.cwd}\n")
    return 0


def _hostname(shell: Shell, _words: list[str]) -> int:
    shell.stdout.append(f"{shell.machine.id}\n")
    return 0


def _processors(shell: Shell, _words: list[str]) -> int:
    shell.stdout.append(f"{shell.machine.resources['cpuCores']}\n")
    return 0


def _quiet(code: int) -> Command:
    return lambda _shell, _words: code


COMMANDS: dict[str, Command] = {
    "echo": _echo, "printf": _printf, "env": _env, "printenv": _env, "ls": _ls, "cat": _cat,
    "head": _head, "seq": _sequence, "sleep": _sleep, "exit": _exit, "cd": _cd, "pwd": _pwd,
    "hostname": _hostname, "nproc": _processors, "sh": _sub_shell, "bash": _sub_shell,
    "whoami": _says("agent"), "uname": _says("Linux"), "true": _quiet(0), "false": _quiet(1),
    "mkdir": _quiet(0), "export": _quiet(0), **{name: _version_of(name) for name in VERSIONS},
}  # fmt: skip
