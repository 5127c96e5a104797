"""What a machine does besides its agents: commands, files, capabilities (contract 2.4, 3.6)."""

from collections.abc import Mapping

from fleets.platform_api import operations as op
from fleets.platform_api.answers.capabilities import RuntimeCapabilities, parse_capabilities
from fleets.platform_api.answers.commands import CommandResult, parse_command
from fleets.platform_api.answers.files import parse_content
from fleets.platform_api.encoding import given
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.resources.base import Resource

TIMED_OUT = "EXEC_TIMEOUT"
COMMAND_TIMEOUT_MS = 60_000
# What an answer may take beyond the command itself.
ANSWER_MARGIN_S = 15.0


class Runtime(Resource):
    """One machine's own runtime, through the platform's proxy (contract 2.4)."""

    async def command(
        self,
        sandbox_id: str,
        command: str,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout_ms: int = COMMAND_TIMEOUT_MS,
    ) -> CommandResult:
        """Runs a shell line and waits for it. Never repeated: a command may not be harmless twice.

        One that takes longer than `timeout_ms` was stopped and is a result (`timed_out`), not an
        error. Raises WrongState when the machine does not run.
        """
        body = given(command=command, cwd=cwd, env=env, timeout=timeout_ms)
        try:
            reply = await self._send(
                op.RUNTIME_COMMAND,
                path={"sandbox_id": sandbox_id},
                body=body,
                answer_s=timeout_ms / 1000 + ANSWER_MARGIN_S,
            )
        except PlatformError as error:
            if error.code != TIMED_OUT:
                raise
            return CommandResult(None, "", "", duration_ms=timeout_ms, timed_out=True)
        return reply.parse(parse_command)

    async def read_file(self, sandbox_id: str, path: str) -> str:
        """A text file's content. Raises NotFound for a file that is not there."""
        reply = await self._send(
            op.RUNTIME_READ,
            path={"sandbox_id": sandbox_id},
            body={"path": path, "encoding": "utf8"},
        )
        return reply.parse(parse_content)

    async def write_file(self, sandbox_id: str, path: str, *, content: str) -> None:
        """Writes a text file, over what was there. Raises BadRequest for one that is too large."""
        await self._send(
            op.RUNTIME_WRITE,
            path={"sandbox_id": sandbox_id},
            body={"path": path, "content": content},
        )

    async def capabilities(self, sandbox_id: str) -> RuntimeCapabilities:
        """What this machine's runtime can do (3.6)."""
        reply = await self._send(op.RUNTIME_CAPABILITIES, path={"sandbox_id": sandbox_id})
        return reply.parse(parse_capabilities)
