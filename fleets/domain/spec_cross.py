"""What no single field of a launch can know: fields that do not go together."""

from typing import TYPE_CHECKING

from fleets.domain.errors import Problem, Repair
from fleets.domain.harnesses import harness_named
from fleets.domain.numbers import show_duration_s
from fleets.domain.prices import OFFERED_MODELS, provider_of
from fleets.domain.spec_fields import MAX_PROMPT_BYTES

if TYPE_CHECKING:
    from fleets.domain.spec import LaunchSpec


def cross_problems(spec: "LaunchSpec") -> list[Problem]:
    """What does not go together, each at the field that is easier to change."""
    problems = []
    if spec.task_timeout_s > spec.lifetime_s:
        lifetime = show_duration_s(spec.lifetime_s)
        problems.append(
            Problem(
                "task_timeout",
                f"A task may take {show_duration_s(spec.task_timeout_s)}, but the machines live"
                f" only {lifetime}.",
                Repair(f"Use {lifetime}", "task_timeout", lifetime),
            )
        )
    if spec.tasks and spec.prompt:
        problems += message_problems(spec)
    problem = None if spec.agents else _provider_problem(spec)
    return [*problems, problem] if problem else problems


def message_problems(spec: "LaunchSpec") -> list[Problem]:
    """The message around each task of a pool: it holds the task, and both together fit."""
    if "task" not in spec.template.fields:
        repair = Repair("Put {task} at its end", "prompt", f"{spec.prompt}\n\n{{task}}")
        words = "The message must hold {task}: each of the tasks is put there."
        return [Problem("prompt", words, repair)]
    longest = max(len(task.message.encode()) for task in spec.tasks)
    size = len(spec.prompt.encode()) + longest
    if size > MAX_PROMPT_BYTES:
        words = f"With the longest task the message has {size:,} bytes; 64 KiB fit."
        return [Problem("prompt", words)]
    return []


def _provider_problem(spec: "LaunchSpec") -> Problem | None:
    harness = harness_named(spec.harness)
    provider = provider_of(spec.model)
    if harness is None or harness.provider is None or provider in (None, harness.provider):
        return None
    offered = [model for model in OFFERED_MODELS if provider_of(model) == harness.provider]
    return Problem(
        "model",
        f"{harness.name} runs only models of {harness.provider}; {spec.model} is of {provider}.",
        Repair(f"Use {offered[0]}", "model", offered[0]) if offered else None,
    )
