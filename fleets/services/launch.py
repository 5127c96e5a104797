"""Orders a launch: writes the fleet with all that is in it, and the operation that makes it."""

import hashlib
import secrets
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from fleets.domain import ids
from fleets.domain.answer_document import answer_document
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed, OverLimit
from fleets.domain.money import show_limit
from fleets.domain.numbers import counted
from fleets.domain.placement import MachinePlan
from fleets.domain.placement_input import placement_word
from fleets.domain.preflight import placement_of
from fleets.domain.spec import LaunchSpec, prompt_for
from fleets.domain.status import FleetState, OperationKind, Pattern, TaskState
from fleets.live import publish
from fleets.models import (
    Agent,
    Connection,
    DefinitionRevision,
    Fleet,
    Machine,
    NodeKind,
    Operation,
    Run,
    Task,
    Team,
)
from fleets.services import audit, operations
from fleets.services.actor import Actor
from fleets.services.agent_rows import write_agents
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import recount
from fleets.services.parents import lock_parent, parent_of
from fleets.services.pool import write_list


def launch_fleet(
    spec: LaunchSpec,
    *,
    actor: Actor,
    idempotency_key: str,
    revision: DefinitionRevision | None = None,
) -> Fleet:
    """Order a launch and return its fleet; the same key of the same person returns the same fleet.

    `revision` is the definition's that it comes from.

    Raises NotAllowed, OverLimit, InvalidInput (an unknown team, no connection, more than the parent
    has left), or Conflict: the key has launched something else, the parent takes no children now.
    """
    actor.must_be_operator("launch a fleet")
    key = _own_key(idempotency_key, actor)
    before = _launched(key, spec)
    if before is not None:
        return before
    _check_limits(spec, actor)
    team = _team(spec, actor)
    parent = parent_of(spec)
    try:
        with transaction.atomic():
            return _write(spec, team, parent, actor=actor, idempotency_key=key, revision=revision)
    except IntegrityError:
        # Two clicks with one form: the first of them launched.
        twin = _launched(key, spec)
        if twin is None:
            raise
        return twin


def _own_key(idempotency_key: str, actor: Actor) -> str:
    """The key as it is kept: keys are compared among what one person sent, never across people."""
    who = actor.user.pk if actor.user else actor.door
    return f"launch-{hashlib.sha256(f'{who}:{idempotency_key}'.encode()).hexdigest()[:48]}"


def _asked(spec: LaunchSpec) -> str:
    """A mark of everything that a launch asks for."""
    return hashlib.sha256(repr(spec).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _launched(key: str, spec: LaunchSpec) -> Fleet | None:
    operation = (
        Operation.objects.filter(kind=OperationKind.LAUNCH, idempotency_key=key)
        .select_related("fleet")
        .first()
    )
    if operation is None:
        return None
    if operation.params.get("asked") != _asked(spec):
        raise Conflict(
            f"This form has launched the fleet {operation.fleet.name} already, with other values. "
            "Press Launch again if you want another fleet with these."
        )
    return operation.fleet


def _check_limits(spec: LaunchSpec, actor: Actor) -> None:
    user = actor.user
    if user is None or user.is_admin:
        return
    if spec.budget_nusd is None:
        raise NotAllowed(
            "A fleet without a budget is launched by admins only: nothing would stop its spending. "
            "Give it a budget.",
            who_can="an admin",
        )
    limit = user.spend_limit_nusd
    if limit is not None and spec.budget_nusd > limit:
        raise OverLimit(
            f"The budget of {show_limit(spec.budget_nusd)} is over your limit of "
            f"{show_limit(limit)} for one launch. Lower it, or ask an admin.",
            limit=show_limit(limit),
            asked=show_limit(spec.budget_nusd),
            who_can="an admin",
        )


def _team(spec: LaunchSpec, actor: Actor) -> Team:
    team = Team.objects.filter(slug=spec.team_slug).first()
    if team is None:
        raise InvalidInput.at(
            "team", f"There is no team {spec.team_slug[:40]}: choose one from the list."
        )
    user = actor.user
    if user and not user.is_admin and not user.teams.filter(pk=team.pk).exists():
        raise InvalidInput.at("team", f"You are not in the team {team.name}: choose one of yours.")
    return team


def _write(
    spec: LaunchSpec,
    team: Team,
    parent: Fleet | None,
    *,
    actor: Actor,
    idempotency_key: str,
    revision: DefinitionRevision | None,
) -> Fleet:
    now = timezone.now()
    parent = lock_parent(parent) if parent is not None else None
    fleet = _write_fleet(spec, team, parent, actor=actor, now=now, revision=revision)
    plan = placement_of(spec)
    machines = _write_machines(fleet, plan.machines, has_preparation=spec.machine.has_preparation)
    agents = write_agents(fleet, spec.plans, places=_places(plan.machines, machines))
    run = Run.objects.create(
        fleet=fleet,
        number=1,
        started_by=actor.user,
        at_once=spec.at_once,
        message=spec.prompt,
        created_at=now,
    )
    _write_tasks(run, spec, agents)
    recount(fleet, now=now)
    operations.order(
        fleet,
        operations.Order(
            kind=OperationKind.LAUNCH,
            idempotency_key=idempotency_key,
            params={"asked": _asked(spec)},
            nodes=_nodes(fleet, plan.machines),
        ),
        actor=actor,
    )
    _record(fleet, spec, actor=actor, machines=len(machines), revision=revision)
    if parent is not None:
        whom = f" for {fleet.parent_agent}" if fleet.parent_agent else ""
        note(parent, Line("child", f"child {fleet.name} launched{whom} by {actor.name}"))
    publish("fleets", {"kind": "new", "ids": [fleet.pk]})
    return fleet


def _record(
    fleet: Fleet,
    spec: LaunchSpec,
    *,
    actor: Actor,
    machines: int,
    revision: DefinitionRevision | None,
) -> None:
    audit.record(
        "fleet.launch",
        actor=actor,
        object_type="fleet",
        object_id=fleet.public_id,
        after={
            "name": fleet.name,
            "agents": spec.count,
            "tasks": spec.task_count,
            "machines": machines,
            "budgetNusd": spec.budget_nusd,
            "parent": spec.parent_id,
            **({} if spec.only_machines else {"model": spec.model, "harness": spec.harness}),
            "profiles": sorted({p.profile_digest for p in spec.plans if p.profile_digest}),
            **({"definition": f"{revision.definition.slug} {revision}"} if revision else {}),
        },
    )
    note(fleet, Line("launch", f"launched by {actor.name}: {_what(spec)}"))


def _what(spec: LaunchSpec) -> str:
    if spec.only_machines is not None:
        return f"{counted(spec.only_machines.count, 'machine')} without agents"
    if spec.tasks:
        return f"{spec.task_count} tasks for {spec.count} agents"
    return f"{spec.count} agents"


def _pattern(spec: LaunchSpec) -> Pattern:
    if spec.only_machines is not None:
        return Pattern.MACHINES
    return Pattern.POOL if spec.tasks else Pattern.MAP


def _write_fleet(
    spec: LaunchSpec,
    team: Team,
    parent: Fleet | None,
    *,
    actor: Actor,
    now: datetime,
    revision: DefinitionRevision | None,
) -> Fleet:
    connection = parent.connection if parent else Connection.objects.first()
    if connection is None:
        raise InvalidInput.at(
            "connection", "No platform account is connected: run `manage.py setup` with its key."
        )
    size = spec.machine_size
    fleet = Fleet.objects.create(
        public_id=ids.new_fleet_id(secrets.token_bytes(6)),
        name=spec.name,
        team=team,
        connection=connection,
        owner=actor.user,
        tags=list(spec.tags),
        prompt=spec.prompt,
        harness="" if spec.only_machines else spec.harness,
        model="" if spec.only_machines else spec.model,
        size=spec.size,
        cpu_cores=size.vcpus,
        memory_mib=size.memory_mib,
        disk_gib=size.disk_gib,
        budget_nusd=spec.budget_nusd,
        at_once=spec.at_once,
        after=spec.after,
        after_delay_s=spec.after_delay_s,
        lifetime_s=spec.lifetime_s,
        task_timeout_s=spec.task_timeout_s,
        state=FleetState.CREATING,
        state_since=now,
        created_at=now,
        agents_total=spec.count,
        placement=placement_word(spec.placement),
        has_own_agents=bool(spec.agents),
        definition_revision=revision,
        machine_needs=spec.machine.as_json,
        answer_check=answer_document(spec.answer),
        has_own_checks=any(plan.answer is not None for plan in spec.agents),
        pattern=_pattern(spec),
        is_same_session=spec.is_same_session,
        parent=parent,
        parent_agent=spec.parent_agent if parent else "",
        depth=parent.depth + 1 if parent else 0,
    )
    fleet.root_id = parent.root_id if parent else fleet.pk
    fleet.path = [*(parent.path if parent else []), fleet.pk]
    return fleet


def _write_machines(
    fleet: Fleet, plans: tuple[MachinePlan, ...], *, has_preparation: bool
) -> dict[str, Machine]:
    rows = [
        Machine(
            fleet=fleet,
            machine_id=plan.machine_id,
            position=position,
            cpu_cores=fleet.cpu_cores,
            memory_mib=fleet.memory_mib,
            disk_gib=fleet.disk_gib,
            memory_planned_mib=plan.used_mib,
            is_dedicated=plan.is_dedicated,
            needs_preparation=has_preparation,
        )
        for position, plan in enumerate(plans, start=1)
    ]
    Machine.objects.bulk_create(rows)
    return {row.machine_id: row for row in rows}


def _places(plans: tuple[MachinePlan, ...], machines: dict[str, Machine]) -> dict[str, Machine]:
    return {agent_id: machines[plan.machine_id] for plan in plans for agent_id in plan.agent_ids}


def _write_tasks(run: Run, spec: LaunchSpec, agents: list[Agent]) -> None:
    template = spec.template
    if spec.tasks:
        write_list(run, spec)
        return
    Task.objects.bulk_create(
        Task(
            run=run,
            agent=agent,
            position=agent.position,
            prompt=prompt_for(plan, index=agent.position, template=template),
            state=TaskState.QUEUED,
        )
        for agent, plan in zip(agents, spec.plans, strict=True)
    )


def _nodes(fleet: Fleet, plans: tuple[MachinePlan, ...]) -> tuple[operations.NodePlan, ...]:
    nodes = [operations.NodePlan(NodeKind.FLEET, fleet.name, fleet.public_id)]
    if fleet.budget_nusd is not None:
        nodes.insert(0, operations.NodePlan(NodeKind.KEY, f"key of {fleet.name}", "key"))
    nodes += [
        operations.NodePlan(NodeKind.MACHINE, f"{fleet.name}/{plan.machine_id}", plan.machine_id)
        for plan in plans
    ]
    return tuple(nodes)
