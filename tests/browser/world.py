"""Something true to show on every page: a fleet at work, one being made, an operation."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.profile_change import ChangeKind, ProfileChange
from fleets.domain.profile_import.reading import read_uploads
from fleets.domain.profile_import.upload import Upload
from fleets.domain.profile_parts import text_digest
from fleets.domain.status import (
    FleetState,
    OperationKind,
    OperationState,
    Origin,
    TaskState,
    TurnOutcome,
    TurnState,
)
from fleets.models import (
    Agent,
    AgentProfile,
    Connection,
    Definition,
    Fleet,
    NodeKind,
    Operation,
    Profile,
    ProfileExample,
    ProfileFollow,
    ProfileLabel,
    ProfileTrial,
    Run,
    Team,
    User,
)
from fleets.platform_api.answers.profiles import SavedProfile
from fleets.services.actor import Actor
from fleets.services.definition_rows import store_rows
from fleets.services.definitions import create_definition, save_definition
from fleets.services.profile_bulk import BulkOrder, change_profiles, undo_bulk_change
from fleets.services.profile_import import keep_import
from fleets.services.profiles import organisation_catalog
from fleets.services.remote_profiles import take_saved
from fleets.services.tree_counts import recount_above
from tests.agent_frames import session_of
from tests.factories import (
    AgentFactory,
    FleetEventFactory,
    FleetFactory,
    MachineFactory,
    OperationFactory,
    OperationNodeFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    RunFactory,
    TaskFactory,
    TurnFactory,
    UserFactory,
)

EVENT = 4
# Of each example of a trial, by side: what it is compared with, and what is tried.
VERDICTS = (
    ("refused", "accepted"),
    ("waiting_person", ""),
    ("accepted", "accepted"),
    ("refused", "accepted"),
    ("accepted", "refused"),
)
ANSWER = '{"file": "src/parser.py", "line": 7, "severity": "major"}\n<script>alert(1)</script>'
CENT_NUSD = NUSD_PER_USD // 100
STATES = (
    TaskState.COMPLETED,
    TaskState.FAILED,
    TaskState.RUNNING,
    TaskState.QUEUED,
    TaskState.BUDGET_EXHAUSTED,
    TaskState.NOT_STARTED,
)


@dataclass(frozen=True, slots=True)
class World:
    """The rows that pages are opened for."""

    fleet: Fleet
    creating: Fleet
    agent: Agent
    operation: Operation
    turn_pk: int
    event: int
    profile: Profile
    example_pk: int
    trial_pk: int
    import_id: str
    definition: Definition
    bulk_id: str
    text_digest: str


def make_world(team: Team, owner: User) -> World:
    """One of everything, owned by `owner`."""
    fleet = FleetFactory(
        name="nightly-review-with-a-name-as-long-as-they-come",
        team=team,
        owner=owner,
        started_at=timezone.now() - timedelta(minutes=3),
        tags=["nightly", "review"],
        key_id="key-1",
        key_last_four="91be",
        key_cap_nusd=3 * NUSD_PER_USD,
        spent_nusd=123 * CENT_NUSD + 7,
        reserved_nusd=0,
        remaining_nusd=177 * CENT_NUSD - 7,
        burn_nusd_per_min=11 * CENT_NUSD,
        agents_total=12,
        machines_total=2,
        machines_running=2,
        tasks_total=12,
        tasks_queued=2,
        tasks_running=2,
        tasks_completed=2,
        tasks_failed=2,
        tasks_budget=2,
        tasks_not_started=2,
    )
    agents = _work(fleet)
    for kind, text in (("launched", "launched by ops-1"), ("agent_failed", "agent-1 failed")):
        FleetEventFactory(fleet=fleet, kind=kind, text=text)
    creating = FleetFactory(
        name="just-now", team=team, owner=owner, state=FleetState.CREATING, budget_nusd=None
    )
    _spawn_below(creating)
    turn_pk = session_of(agents[0])
    profile = make_profile(owner, fleet)
    seen_on_platform(profile.slug)
    operation = _cancel(team, owner)
    import_id = make_import(owner)
    definition = make_definition(owner, fleet)
    follow_something(owner)
    return World(
        fleet=fleet,
        creating=creating,
        agent=agents[0],
        operation=operation,
        turn_pk=turn_pk,
        event=EVENT,
        profile=profile,
        example_pk=make_examples(profile),
        trial_pk=make_trial(profile, team=team, owner=owner),
        import_id=import_id,
        definition=definition,
        bulk_id=make_bulk_change(owner),
        text_digest=make_shared_text(owner),
    )


def _spawn_below(fleet: Fleet) -> None:
    """Two levels of child fleets, made by agents, so that its page shows a tree."""
    found = {"origin": Origin.SPAWNED, "found_at": timezone.now(), "team": fleet.team}
    shard = FleetFactory(
        parent=fleet, name="shard-3", parent_agent="agent-3", spent_nusd=4 * CENT_NUSD, **found
    )
    deep = FleetFactory(
        parent=shard, name="deep-1", parent_agent="agent-1", state=FleetState.FAILED, **found
    )
    with transaction.atomic():
        recount_above(deep.path)


def _work(fleet: Fleet) -> list[Agent]:
    machines = [
        MachineFactory(fleet=fleet, position=place, machine_id=f"m{place}") for place in (0, 1)
    ]
    run = RunFactory(fleet=fleet, number=1)
    agents: list[Agent] = []
    for place in range(12):
        state = STATES[place % len(STATES)]
        agent = AgentFactory(
            machine=machines[place % 2], position=place, agent_id=f"agent-{place}", state=state
        )
        task = TaskFactory(
            agent=agent,
            run=run,
            position=place,
            state=state,
            response="Three files read, no finding." if state == TaskState.COMPLETED else "",
        )
        if state in (TaskState.COMPLETED, TaskState.FAILED):
            TurnFactory(
                task=task,
                state=TurnState.ENDED,
                outcome=TurnOutcome(state.value),
                error="" if state == TaskState.COMPLETED else "model refused the tool call",
                cost_nusd=4 * CENT_NUSD,
            )
        agents.append(agent)
    return agents


def make_profile(owner: User, fleet: Fleet) -> Profile:
    """A profile with everything a page shows: a head, a draft, a label, a fleet that has it."""
    body = {
        "name": "code-reviewer-with-a-name-as-long-as-they-come",
        "description": "Reads a shard and says what is wrong.",
        "tags": ["review", "nightly"],
        "harness": "opencode",
        "model": {"default": "gpt-4.1-mini", "maxTotalOutputTokens": 8192},
        "prompt": {"systemPrompt": "You review.", "instructions": ["Read first.\nThen answer."]},
        "resources": {"skills": [{"kind": "inline", "name": "pytest", "content": "Use -k."}]},
        "mcp": {"docs": {"url": "https://docs.example.org/mcp"}},
        "permissions": {"bash": {"git *": "allow", "rm *": "deny"}, "edit": "ask"},
        "tools": {"webfetch": False},
        "metadata": {"origin": "by hand"},
    }
    profile: Profile = ProfileFactory(slug="code-reviewer", owner=owner, body=body)
    changed = {**body, "prompt": {"systemPrompt": "You review.\nOne file at a time."}}
    ProfileRevisionFactory(
        profile=profile, body=changed, note="shorter", base=profile.head, author=owner
    )
    assert profile.head is not None
    ProfileLabel.objects.create(
        profile=profile, name="stable", revision=profile.head, set_at=timezone.now()
    )
    copy = AgentProfile.objects.create(
        fleet=fleet, digest=profile.head.digest, body=profile.head.body, revision=profile.head
    )
    fleet.agents.update(profile=copy)
    return profile


def make_examples(profile: Profile) -> int:
    """Two tasks to try it on, one without a check; the row of the first."""
    first = ProfileExample.objects.create(
        profile=profile,
        position=1,
        prompt="Review src/parser.py.\nSay the worst defect first.",
        acceptance={"shape": "json", "check": {"kind": "not_empty"}},
    )
    ProfileExample.objects.create(profile=profile, position=2, prompt="Review an empty file.")
    return first.pk


def make_trial(
    profile: Profile,
    *,
    team: Team,
    owner: User,
    verdicts: Sequence[tuple[str, str]] = VERDICTS,
) -> int:
    """Its draft against its head over the examples: one accepted, one to decide, one at work."""
    tried = profile.revisions.get(number=profile.newest)
    against = profile.head
    assert against is not None
    examples = list(profile.examples.values("prompt", "acceptance"))
    name = f"{profile.slug} r{tried.number} against r{against.number}"
    fleet = FleetFactory(name=name, team=team, owner=owner)
    run = RunFactory(fleet=fleet, number=1)
    machine = MachineFactory(fleet=fleet, position=0, machine_id="m0")
    sides = [
        (side, verdict)
        for both, _ in zip(verdicts, examples, strict=False)
        for side, verdict in zip((against, tried), both, strict=True)
    ]
    copies: dict[int, AgentProfile] = {}
    for position, (revision, verdict) in enumerate(sides, start=1):
        number = revision.number
        if number not in copies:
            copies[number] = AgentProfile.objects.create(
                fleet=fleet, digest=revision.digest, body=revision.body, revision=revision
            )
        agent = AgentFactory(
            machine=machine,
            position=position,
            agent_id=f"r{number}-{(position + 1) // 2}",
            profile=copies[number],
        )
        _answer(agent, run, verdict)
    trial = ProfileTrial.objects.create(
        profile=profile,
        revision=tried,
        against=against,
        fleet=fleet,
        examples=examples,
        count=len(examples),
        asked=sum(bool(one["acceptance"]) for one in examples),
        created_by=owner,
        created_at=timezone.now(),
    )
    return trial.pk


def _answer(agent: Agent, run: Run, verdict: str) -> None:
    """Its task, which completed with this verdict, or runs."""
    state = TaskState.COMPLETED if verdict else TaskState.RUNNING
    began = timezone.now() - timedelta(seconds=20)
    task = TaskFactory(
        agent=agent,
        run=run,
        position=agent.position,
        state=state,
        verdict=verdict,
        verdict_reason="This is no JSON." if verdict == "refused" else "",
        response=ANSWER if verdict else "",
        started_at=began,
        ended_at=began + timedelta(seconds=7 + agent.position) if verdict else None,
    )
    TurnFactory(
        task=task,
        state=TurnState.ENDED if verdict else TurnState.RUNNING,
        outcome=TurnOutcome.COMPLETED if verdict else None,
        cost_nusd=4 * CENT_NUSD + agent.position * CENT_NUSD // 7 if verdict else None,
        input_tokens=16_000 if verdict else None,
        output_tokens=640 if verdict else None,
    )


def seen_on_platform(slug: str) -> None:
    """The platform was seen to have another content of it, and a profile that is not here."""
    connection = Connection.objects.order_by("pk")[0]
    connection.catalog_read_at = timezone.now()
    connection.save()
    profile = Profile.objects.get(slug=slug)
    assert profile.head is not None
    theirs = {**json.loads(profile.head.body), "description": "Changed on the platform."}
    for name, number in ((slug, 5), ("only-there", 2)):
        saved = SavedProfile(name, number, theirs)
        take_saved(connection, saved, now=timezone.now())


def make_import(owner: User) -> str:
    """An import that waits, with one profile of each verdict and a file nothing is read from."""
    agent = (
        "---\nname: judge\ndescription: Judges\ntools: Read, Bash(git log:*)\n"
        "permissionMode: plan\ncolor: red\n---\nYou judge.\n"
    )
    files = {
        ".claude/agents/judge.md": agent,
        "profiles/code-reviewer.json": '{"name": "Code reviewer", "harness": "codex"}',
        "profiles/broken.yaml": "name: broken\nharness: codx\n",
        "profiles/poet.yaml": "name: Poet\nharness: opencode\n",
        "notes/readme.md": "# Nothing",
    }
    found = read_uploads(Upload(path, text.encode()) for path, text in files.items())
    actor = Actor(user=owner, door="browser")
    return keep_import(found, catalog=organisation_catalog(), actor=actor).public_id


def make_bulk_change(owner: User) -> str:
    """A bulk change with one profile of each outcome, undone where that was possible."""
    actor = Actor(user=owner, door="browser")
    names = {"taken-along": "gpt-4.1", "left-behind": "gpt-4.1", "another": "gpt-4.1-mini"}
    for slug, model in names.items():
        ProfileFactory(slug=slug, owner=owner, body={"name": slug, "model": {"default": model}})
    ProfileFactory(slug="put-away", owner=owner, archived_at=timezone.now())
    order = BulkOrder(
        public_id="bulk-1",
        change=ProfileChange(ChangeKind.MODEL, "gpt-4.1", "gpt-5"),
        seen=dict.fromkeys([*names, "put-away"], 1),
        taken={"taken-along"},
        selection="all profiles that are not archived",
        note="gpt-4.1 is retired",
    )
    return undo_bulk_change(change_profiles(order, actor=actor), actor=actor).public_id


def make_shared_text(owner: User) -> str:
    """A skill in two profiles, and another text of the same name; the digest of the shared one."""
    texts = ("Use -k.\nNever -x.", "Use -k.\nNever -x.", "Use -k.\nStop early.")
    for at, text in enumerate(texts):
        skill = {"kind": "inline", "name": "run-the-tests", "content": text}
        body = {"name": f"tester-{at}", "resources": {"skills": [skill]}}
        ProfileFactory(slug=f"tester-{at}", owner=owner, body=body)
    return text_digest(texts[0])


def follow_something(user: User) -> None:
    """What somebody follows has news by somebody else, which their definitions meet."""
    other = User.objects.filter(username="raj").first() or UserFactory(username="raj")
    profile = ProfileFactory(slug="followed-one", owner=other, body={"name": "followed-one"})
    actor = Actor(user, "browser")
    for name, ref in (("takes-it", {}), ("expects-it", {"revision": 1}), ("fixed", {"fixed": 1})):
        agents = {"count": 2, "profile": {"profileId": profile.slug, **ref}}
        create_definition(body={"name": name, "agents": agents, "message": "Go."}, actor=actor)
    now = timezone.now()
    body = {"name": "followed-one", "harness": "codex"}
    ProfileRevisionFactory(
        profile=profile, body=body, note="runs on codex", author=other, published_at=now
    )
    for what in ({"profile": profile}, {"catalog": profile.catalog}):
        since = now - timedelta(hours=1)
        ProfileFollow.objects.create(user=user, created_at=since, seen_at=since, **what)


def make_definition(owner: User, fleet: Fleet) -> Definition:
    """A definition with everything a page shows: rows, two revisions, a launch."""
    actor = Actor(owner, "browser")
    rows, _ = store_rows(
        "Path;Task\nsrc/a.py;Review it\nsrc/b.py;Test it\n".encode("cp1252"),
        file_name="shards.csv",
        actor=actor,
    )
    body: dict[str, Any] = {
        "name": "review-by-two-with-a-name-as-long-as-they-come",
        "description": "Two reviewers over every shard.",
        "tags": ["nightly"],
        "agents": {
            "matrix": {
                "profiles": [
                    {"profile": {"profileId": "code-reviewer"}},
                    {"name": "second", "harness": "codex", "model": {"apiKeyEnv": "OPENAI_KEY"}},
                ],
                "rows": rows.digest,
                "columns": {"task": "Task"},
            }
        },
        "message": "{task}: {path}",
        "budgetUsd": "3.00",
        "machine": {"image": "node:22", "secrets": ["GITHUB_TOKEN"]},
    }
    definition = create_definition(body=body, actor=actor)
    changed = {**body, "message": "{task}:\n{path}", "budgetUsd": "4.00"}
    save_definition(definition, body=changed, base=1, note="more room", actor=actor)
    definition.refresh_from_db()
    fleet.definition_revision = definition.head
    fleet.save(update_fields=["definition_revision"])
    return definition


def _cancel(team: Team, owner: User) -> Operation:
    now = timezone.now()
    fleet = FleetFactory(name="ran-away", team=team, owner=owner, state=FleetState.CANCELLED)
    operation: Operation = OperationFactory(
        fleet=fleet,
        kind=OperationKind.CANCEL,
        state=OperationState.FAILED,
        requested_by=owner,
        reason="looping",
        ended_at=now,
        sentence="One agent did not confirm.",
    )
    OperationNodeFactory(
        operation=operation, kind=NodeKind.KEY, label="key", state="done", key_at=now
    )
    for place, state in enumerate(("stopped", "failed", "acknowledged")):
        OperationNodeFactory(
            operation=operation,
            label=f"agent-{place}",
            ref=f"agent-{place}",
            state=state,
            requested_at=now,
        )
    return operation
