"""A scripted shell: it reads command lines like a shell and answers from a script.

Nothing runs on the host. Known: `;`, `&&`, `||`, quotes, `$NAME`, `> file`, `sh -c`; no pipes.
"""

import re
import shlex
from dataclasses import dataclass, field

from emulator.entities import Machine

LONGEST_OUTPUT = 1_048_576
DEFAULT_TIMEOUT_MS = 60_000
HOME = "/home/agent"
WORKSPACE = "/workspace"
_OPERATORS = {";", "&&", "||"}
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+|\?))")


@dataclass
class Shell:
    """One command line's state: where it is, its variables, what it wrote, how long it took."""

    machine: Machine
    cwd: str
    env: dict[str, str]
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    took_ms: float = 3.0
    code: int = 0
    is_over: bool = False

    def fail(self, command: str, message: str, *, code: int = 1) -> int:
        """Say what is wrong; the exit code."""
        self.stderr.append(f"{command}: {message}\n")
        return code

    def path(self, name: str) -> str:
        """The absolute path of a name, without `.` and `..`."""
        parts: list[str] = []
        start = name if name.startswith("/") else f"{self.cwd}/{name}"
        for part in start.split("/"):
            if part == "..":
                parts = parts[:-1]
            elif part not in ("", "."):
                parts.append(part)
        return "/" + "/".join(parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command line came to; `took_ms` is on the emulator's clock."""

    exit_code: int
    stdout: str
    stderr: str
    took_ms: int


def run_line(
    machine: Machine, command: str, *, cwd: str = WORKSPACE, env: dict[str, str] | None = None
) -> Outcome:
    """The outcome of a command line on that machine."""
    shell = Shell(machine, cwd, {**environment(machine), **(env or {})})
    run_script(shell, command)
    return Outcome(shell.code, _cut(shell.stdout), _cut(shell.stderr), round(shell.took_ms))


def environment(machine: Machine) -> dict[str, str]:
    """The variables of every command there (contract 1.1 names the platform's own)."""
    own = {
        "HOME": HOME,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "USER": "agent",
        "TANGLE_SANDBOX_ID": machine.id,
    }
    if machine.fleet_id:
        own |= {"TANGLE_FLEET_ID": machine.fleet_id, "TANGLE_MACHINE_IDS": machine.machine_id}
    return {**own, **machine.env}


def run_script(shell: Shell, script: str) -> None:
    """Run commands one after the other, as their operators say."""
    try:
        reader = shlex.shlex(script.replace("\n", " ; "), posix=True, punctuation_chars=True)
        reader.whitespace_split = True
        tokens = list(reader)
    except ValueError as error:
        shell.code = shell.fail("sh", f"syntax error: {error}", code=2)
        return
    words: list[str] = []
    before = ";"
    for token in [*tokens, ";"]:
        if token not in _OPERATORS:
            words.append(token)
            continue
        wanted = before == ";" or (before == "&&") == (shell.code == 0)
        if words and wanted and not shell.is_over:
            shell.code = _run_words(shell, words)
        words, before = [], token


def _run_words(shell: Shell, words: list[str]) -> int:
    # Here, not at the top: the commands need the shell for `sh -c`.
    from emulator.shell_commands import COMMANDS

    if any(word in ("|", "&", "<", "(", ")") for word in words):
        return shell.fail("sh", "the scripted shell has no pipes, jobs or subshells", code=2)
    target, mode = None, ">"
    if len(words) > 2 and words[-2] in (">", ">>"):
        words, mode, target = words[:-2], words[-2], shell.path(words[-1])
    words = [_expand(shell, word) for word in words]
    name, arguments = words[0], words[1:]
    if "=" in name and not arguments:
        variable, _, value = name.partition("=")
        shell.env[variable] = value
        return 0
    command = COMMANDS.get(name.rpartition("/")[2])
    if command is None:
        return shell.fail("sh", f"{name}: not found", code=127)
    written = len(shell.stdout)
    code = command(shell, arguments)
    if target is not None:
        text = "".join(shell.stdout[written:])
        del shell.stdout[written:]
        old = shell.machine.files.get(target, "") if mode == ">>" else ""
        shell.machine.files[target] = (old + text)[:LONGEST_OUTPUT]
    return code


def _expand(shell: Shell, word: str) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return str(shell.code) if name == "?" else shell.env.get(name, "")

    return _VARIABLE.sub(value, word)


def _cut(pieces: list[str]) -> str:
    return "".join(pieces)[:LONGEST_OUTPUT]
