"""A trial for the data set: the reviewer's draft beside its head, the machines gone long since."""

import json
from collections.abc import Mapping
from typing import Final

from fleets.domain.answer_check import CheckKind, Verdict
from fleets.domain.profile_examples import example_of
from fleets.domain.profile_trial import place_of
from fleets.models import Agent, AgentProfile, Fleet, Profile, ProfileRevision, ProfileTrial, Task
from fleets.services.fleet_state import recount

FLEET: Final = "code-reviewer-r4-against-r3"
_FOUND: Final = [{"file": "src/parser.py", "line": 41, "severity": "major", "reason": "reads 2049"}]
_NIT: Final = {"severity": "nit", "reason": "there is nothing to review"}
# By example, what the head and then the draft answered, and what became of it.
_ANSWERS: Final = (
    ((json.dumps(_FOUND), Verdict.ACCEPTED), (json.dumps(_FOUND), Verdict.ACCEPTED)),
    (("Three findings, worst first: …", Verdict.REFUSED), (json.dumps(_FOUND), Verdict.ACCEPTED)),
    ((json.dumps(_NIT), Verdict.ACCEPTED), (json.dumps(_NIT), Verdict.ACCEPTED)),
    (("The test passes.", Verdict.ACCEPTED), ("I ran it: 1 passed.", Verdict.ACCEPTED)),
    (("Too long to read.", Verdict.REFUSED), ("Four steps are missing.", Verdict.ACCEPTED)),
)
_REASONS: Final = {
    (2, False): "This is no JSON: it begins with text.",
    (4, False): "The command exited 0.",
    (4, True): "The command exited 0.",
    (5, False): "does not say what is missing",
}


def write_trial(made: Mapping[str, Fleet]) -> None:
    """Make a trial of the fleet that the data set has for it."""
    profile = Profile.objects.get(slug="code-reviewer")
    sides = [profile.revisions.get(number=number) for number in (3, 4)]
    examples = list(profile.examples.order_by("position").values("prompt", "acceptance"))
    fleet = made[FLEET]
    copies = {side.number: _copy(fleet, side) for side in sides}
    tasks = list(Task.objects.filter(run__fleet=fleet).select_related("agent"))
    for task in tasks:
        at, is_tried = place_of(task.position)
        side = sides[is_tried]
        assert task.agent is not None
        task.agent.profile = copies[side.number]
        task.agent.answer_check = examples[at - 1]["acceptance"]
        _answer(task, at, fleet, examples[at - 1], is_tried=is_tried)
    Task.objects.bulk_update(tasks, _TASK_FIELDS)
    Agent.objects.bulk_update([task.agent for task in tasks if task.agent], _AGENT_FIELDS)
    fleet.prompt, fleet.has_own_agents, fleet.has_own_checks = "", True, True
    recount(fleet, now=fleet.state_since)
    ProfileTrial.objects.create(
        profile=profile,
        revision=sides[1],
        against=sides[0],
        fleet=fleet,
        examples=examples,
        count=len(examples),
        asked=len(examples),
        created_by=fleet.owner,
        created_at=fleet.created_at,
    )


_TASK_FIELDS: Final = (
    *("prompt", "response", "verdict", "verdict_reason", "verdict_at", "verdict_by"),
)
_AGENT_FIELDS: Final = ("profile", "answer_check")


def _copy(fleet: Fleet, revision: ProfileRevision) -> AgentProfile:
    return AgentProfile.objects.create(
        fleet=fleet,
        digest=revision.digest,
        name=revision.profile.name,
        body=revision.body,
        revision=revision,
    )


def _answer(
    task: Task, at: int, fleet: Fleet, example: Mapping[str, object], *, is_tried: bool
) -> None:
    """What the agent was asked and said, and how that was judged."""
    read = example_of(prompt=str(example["prompt"]), acceptance=example["acceptance"])
    task.prompt = read.prompt
    task.response, task.verdict = _ANSWERS[at - 1][is_tried]
    task.verdict_reason = _REASONS.get((at, is_tried), "")
    task.verdict_at = task.ended_at
    if read.check.kind is CheckKind.PERSON:
        task.verdict_by = fleet.owner
