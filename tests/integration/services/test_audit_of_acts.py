"""Every act of a person leaves one audit row: who, what, through which door, and why."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import transaction
from django.db.utils import ProgrammingError
from django.utils import timezone

from fleets.domain.answer_check import Verdict
from fleets.domain.errors import NotAllowed
from fleets.domain.money import NUSD_PER_USD
from fleets.domain.profile_body import body_text
from fleets.domain.profile_examples import Direction, Example
from fleets.domain.spec import LaunchSpec
from fleets.domain.status import Afterwards, OperationState, Role, TaskState, TurnState
from fleets.models import (
    Agent,
    AuditEvent,
    Connection,
    Definition,
    DefinitionRevision,
    Fleet,
    Profile,
    ProfileExample,
    ProfileFollow,
    ProfileLabel,
    User,
)
from fleets.services.actor import Actor
from fleets.services.afterwards import change_afterwards
from fleets.services.answers import decide_answer
from fleets.services.cancel import cancel_fleet
from fleets.services.catalog_orders import order_publication
from fleets.services.cut_off import cut_off_fleet, reopen_fleet
from fleets.services.definition_shelf import hand_over_definition, hand_over_definitions
from fleets.services.definitions import (
    archive_definition,
    create_definition,
    delete_definition,
    restore_definition,
    save_definition,
    unarchive_definition,
)
from fleets.services.delete import delete_fleet
from fleets.services.hold import hold_fleet, release_fleet
from fleets.services.interrupt import interrupt_agent
from fleets.services.launch import launch_fleet
from fleets.services.operations import retry_operation
from fleets.services.preferences import set_preferences
from fleets.services.profile_examples import (
    add_example,
    change_example,
    move_example,
    remove_example,
)
from fleets.services.profile_follow import (
    follow_catalog,
    follow_profile,
    unfollow_catalog,
    unfollow_profile,
)
from fleets.services.profile_labels import remove_label, set_label
from fleets.services.profile_shelf import (
    archive_profile,
    delete_profile,
    hand_over,
    hand_over_all,
    unarchive_profile,
)
from fleets.services.profiles import (
    create_profile,
    publish_revision,
    restore_revision,
    save_revision,
)
from fleets.services.prompt import prompt_agent
from fleets.services.run_again import RunAgain, run_again
from fleets.services.stop_machines import stop_machines
from tests.factories import (
    AgentFactory,
    CatalogFactory,
    ConnectionFactory,
    FleetFactory,
    MachineFactory,
    OperationFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    RunFactory,
    TaskFactory,
    TeamFactory,
    TurnFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

WHY: Final = "looping on captcha"
SERVICES = Path(__file__).resolve().parents[3] / "fleets" / "services"
# These are what an ordering service is made of, not acts of their own.
PARTS = {"begin", "record", "row", "write_audit", "order"}
# These keep what a person brings for a preview of theirs, or read; nothing that others see changes.
NO_ACTS = {"keep_import", "discard_import", "store_rows", "order_reading", "pull"}
# They write a row for each thing, or for the launch as well: see test_profile_import,
# test_profile_bulk, test_profile_try and test_hand_over.
SEVERAL_ROWS = {"confirm_import", "change_profiles", "undo_bulk_change", "start_trial"}
SEVERAL_ROWS |= {"hand_over_everything"}
SHELVED = ("profile", "catalog")
# What everybody does for themselves.
OWN = {"set_preferences", *(f"{act}follow_{what}" for act in ("", "un") for what in SHELVED)}
RECIPE: Final = {"name": "Nightly", "agents": {"count": 3}, "message": "Do {index}."}
Act = Callable[[Actor], Any]


def working(user: User, **fields: Any) -> Fleet:
    """A fleet at work, with a machine and a run."""
    fleet: Fleet = FleetFactory(owner=user, **fields)
    RunFactory(fleet=fleet, number=1)
    MachineFactory(fleet=fleet)
    return fleet


def at_rest(user: User) -> Fleet:
    """A fleet whose machines idle."""
    fleet: Fleet = FleetFactory(owner=user, work_ended_at=timezone.now())
    MachineFactory(fleet=fleet)
    return fleet


def _person(actor: Actor) -> User:
    assert actor.user is not None
    return actor.user


def _followed(actor: Actor) -> Profile:
    """A profile that the person follows, as they do its catalog."""
    profile: Profile = ProfileFactory()
    for what in ({"profile": profile}, {"catalog": profile.catalog}):
        since = {"created_at": timezone.now(), "seen_at": timezone.now()}
        ProfileFollow.objects.create(user=_person(actor), **since, **what)
    return profile


def _launch(actor: Actor) -> None:
    spec = LaunchSpec(
        name="review",
        team_slug=_person(actor).teams.get().slug,
        count=2,
        prompt="Review part {index}.",
        budget_nusd=3 * NUSD_PER_USD,
    )
    launch_fleet(spec, actor=actor, idempotency_key="form-1")


def _delete(actor: Actor) -> None:
    fleet = working(_person(actor), name="nightly")
    delete_fleet(fleet, actor=actor, reason=WHY, typed_name="nightly")


def _retry(actor: Actor) -> None:
    operation = OperationFactory(state=OperationState.FAILED, ended_at=timezone.now())
    retry_operation(operation, actor=actor)


def _done(user: User) -> Agent:
    """An agent of a fleet whose work has ended, its machine still running."""
    now = timezone.now()
    fleet = FleetFactory(owner=user, created_on_platform_at=now, work_ended_at=now)
    RunFactory(fleet=fleet, number=1, ended_at=now)
    agent: Agent = AgentFactory(machine=MachineFactory(fleet=fleet), state=TaskState.FAILED)
    return agent


def _run_again(actor: Actor) -> None:
    fleet = _done(_person(actor)).fleet
    run_again(fleet, RunAgain(message="Go on."), actor=actor, form_key="form-again")


def _prompt(actor: Actor) -> None:
    prompt_agent(_done(_person(actor)), text="Go on.", actor=actor, form_key="form-prompt")


def _interrupt(actor: Actor) -> None:
    agent = _done(_person(actor))
    task = TaskFactory(run=agent.fleet.runs.get(), agent=agent, state=TaskState.RUNNING)
    TurnFactory(run=task.run, task=task, agent=agent, state=TurnState.RUNNING)
    interrupt_agent(agent, actor=actor, reason=WHY)


def _decide(actor: Actor) -> None:
    agent = _done(_person(actor))
    task = TaskFactory(
        run=agent.fleet.runs.get(), agent=agent, state=TaskState.COMPLETED,
        verdict=Verdict.WAITING_PERSON,
    )  # fmt: skip
    decide_answer(task, verdict=Verdict.ACCEPTED, reason=WHY, actor=actor)


def _definition(**fields: Any) -> Definition:
    """A definition with two revisions that somebody else made, without the rows of its making."""
    now, owner = timezone.now(), UserFactory()
    made = Definition.objects.create(
        slug="nightly", name="Nightly", owner=owner, created_at=now, updated_at=now, **fields
    )
    for number in (1, 2):
        made.head = DefinitionRevision.objects.create(
            definition=made,
            number=number,
            body=body_text({**RECIPE, "tags": [f"r{number}"]}),
            digest=f"{number:016d}",
            author=owner,
            created_at=now,
        )
    made.save()
    return made


def _person_of(definition: Definition) -> User:
    assert definition.owner is not None
    return definition.owner


def _remove_label(actor: Actor) -> None:
    profile = ProfileFactory()
    ProfileLabel.objects.create(
        profile=profile, name="stable", revision=profile.head, set_at=timezone.now()
    )
    remove_label(profile, name="stable", actor=actor)


def _examples() -> tuple[Profile, list[ProfileExample]]:
    """A profile with two example tasks."""
    profile: Profile = ProfileFactory()
    return profile, [
        ProfileExample.objects.create(profile=profile, position=n, prompt=f"Review part {n}.")
        for n in (1, 2)
    ]


def _add_example(actor: Actor) -> None:
    profile, _ = _examples()
    add_example(profile, example=Example(prompt="Review part 3."), actor=actor)


def _change_example(actor: Actor) -> None:
    profile, (first, _) = _examples()
    seen = Example(prompt=first.prompt).mark
    change_example(profile, pk=first.pk, example=Example(prompt="No."), seen=seen, actor=actor)


def _move_example(actor: Actor) -> None:
    profile, (first, _) = _examples()
    move_example(profile, pk=first.pk, direction=Direction.DOWN, actor=actor)


def _remove_example(actor: Actor) -> None:
    profile, (first, _) = _examples()
    remove_example(profile, pk=first.pk, actor=actor)


# act → what a person does, and whether it takes a reason.
ACTS: Final[dict[str, tuple[Act, bool]]] = {
    "launch_fleet": (_launch, False),
    "hold_fleet": (lambda a: hold_fleet(working(_person(a)), actor=a, reason=WHY), True),
    "release_fleet": (
        lambda a: release_fleet(working(_person(a), held_at=timezone.now()), actor=a, reason=WHY),
        True,
    ),
    "cut_off_fleet": (lambda a: cut_off_fleet(working(_person(a)), actor=a, reason=WHY), True),
    "reopen_fleet": (
        lambda a: reopen_fleet(
            working(_person(a), cut_off_requested_at=timezone.now()), actor=a, reason=WHY
        ),
        True,
    ),
    "cancel_fleet": (lambda a: cancel_fleet(working(_person(a)), actor=a, reason=WHY), True),
    "delete_fleet": (_delete, True),
    "stop_machines": (lambda a: stop_machines(at_rest(_person(a)), actor=a, reason=WHY), True),
    "change_afterwards": (
        lambda a: change_afterwards(
            working(_person(a)), actor=a, after=Afterwards.KEEP, delay_s=600
        ),
        False,
    ),
    "retry_operation": (_retry, False),
    "run_again": (_run_again, False),
    "prompt_agent": (_prompt, False),
    "create_profile": (
        lambda a: create_profile(
            catalog=CatalogFactory(), body={"name": "reviewer"}, note=WHY, actor=a
        ),
        True,
    ),
    "save_revision": (
        lambda a: save_revision(
            ProfileFactory(), body={"name": "x"}, base=1, note=WHY, actor=a, publish=True
        ),
        True,
    ),
    "publish_revision": (
        lambda a: publish_revision(ProfileRevisionFactory().profile, number=2, actor=a),
        False,
    ),
    "restore_revision": (
        lambda a: restore_revision(
            ProfileRevisionFactory().profile, number=1, note=WHY, actor=a, publish=True
        ),
        True,
    ),
    "set_label": (lambda a: set_label(ProfileFactory(), name="stable", number=1, actor=a), False),
    "remove_label": (_remove_label, False),
    "archive_profile": (lambda a: archive_profile(ProfileFactory(), actor=a, reason=WHY), True),
    "unarchive_profile": (
        lambda a: unarchive_profile(
            ProfileFactory(archived_at=timezone.now()), actor=a, reason=WHY
        ),
        True,
    ),
    "delete_profile": (lambda a: delete_profile(ProfileFactory(), actor=a, reason=WHY), True),
    "hand_over": (
        lambda a: hand_over(ProfileFactory(), to=UserFactory(), actor=a, reason=WHY),
        True,
    ),
    "hand_over_all": (
        lambda a: hand_over_all(ProfileFactory().owner, to=UserFactory(), actor=a, reason=WHY),
        True,
    ),
    "hand_over_definition": (
        lambda a: hand_over_definition(_definition(), to=UserFactory(), actor=a, reason=WHY),
        True,
    ),
    "hand_over_definitions": (
        lambda a: hand_over_definitions(
            _person_of(_definition()), to=UserFactory(), actor=a, reason=WHY
        ),
        True,
    ),
    "add_example": (_add_example, False),
    "change_example": (_change_example, False),
    "move_example": (_move_example, False),
    "remove_example": (_remove_example, False),
    "interrupt_agent": (_interrupt, True),
    "decide_answer": (_decide, True),
    "order_publication": (
        lambda a: order_publication(ProfileFactory(), ConnectionFactory(), base=None, actor=a),
        False,
    ),
    "create_definition": (lambda a: create_definition(body=RECIPE, note=WHY, actor=a), True),
    "save_definition": (
        lambda a: save_definition(
            _definition(), body={**RECIPE, "tags": ["night"]}, base=2, note=WHY, actor=a
        ),
        True,
    ),
    "restore_definition": (
        lambda a: restore_definition(_definition(), number=1, note=WHY, actor=a),
        True,
    ),
    "archive_definition": (
        lambda a: archive_definition(_definition(), actor=a, reason=WHY),
        True,
    ),
    "unarchive_definition": (
        lambda a: unarchive_definition(
            _definition(archived_at=timezone.now()), actor=a, reason=WHY
        ),
        True,
    ),
    "delete_definition": (lambda a: delete_definition(_definition(), actor=a, reason=WHY), True),
    "follow_profile": (lambda a: follow_profile(ProfileFactory(), actor=a), False),
    "unfollow_profile": (lambda a: unfollow_profile(_followed(a), actor=a), False),
    "follow_catalog": (lambda a: follow_catalog(CatalogFactory(), actor=a), False),
    "unfollow_catalog": (lambda a: unfollow_catalog(_followed(a).catalog, actor=a), False),
    "set_preferences": (lambda a: set_preferences(_person(a), actor=a, theme="dark"), False),
}


@pytest.fixture
def connection() -> Connection:
    made: Connection = ConnectionFactory()
    return made


@pytest.fixture
def actor(connection: Connection) -> Actor:
    user: User = UserFactory(role=Role.ADMIN, teams=[TeamFactory()])
    return Actor(user=user, door="browser", request_id="abc123")


@pytest.mark.parametrize("name", ACTS)
def test_an_act_leaves_exactly_one_row_with_who_and_why(name: str, actor: Actor) -> None:
    act, has_reason = ACTS[name]
    act(actor)
    row = AuditEvent.objects.get()
    assert (row.actor, row.door, row.request_id) == (actor.user, "browser", "abc123")
    assert row.reason == (WHY if has_reason else "")
    assert row.object_id
    assert row.act
    assert row.after


@pytest.mark.parametrize("name", [name for name in ACTS if name not in OWN])
def test_who_may_only_read_is_refused_and_leaves_nothing(name: str) -> None:
    ConnectionFactory()
    viewer = UserFactory(role=Role.VIEWER, teams=[TeamFactory()])
    with pytest.raises(NotAllowed):
        ACTS[name][0](Actor(user=viewer, door="browser"))
    assert not AuditEvent.objects.exists()


def test_no_public_service_that_acts_for_somebody_is_missing_above() -> None:
    found = {
        node.name
        for path in SERVICES.glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and any(argument.arg == "actor" for argument in node.args.kwonlyargs)
    }
    assert found - PARTS - NO_ACTS - SEVERAL_ROWS == set(ACTS)


def test_the_audit_is_never_changed_and_never_removed(actor: Actor) -> None:
    set_preferences(_person(actor), actor=actor, theme="dark")
    for change in (
        lambda: AuditEvent.objects.update(reason="nothing happened"),
        lambda: AuditEvent.objects.all().delete(),
    ):
        with pytest.raises(ProgrammingError), transaction.atomic():
            change()
    assert AuditEvent.objects.get().reason == ""
