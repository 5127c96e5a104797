"""Writes the list that a pool of agents drains; nobody has a task of it yet."""

from fleets.domain.pool import task_prompt
from fleets.domain.spec import LaunchSpec
from fleets.domain.status import TaskState
from fleets.models import Run, Task

_BATCH = 1_000


def write_list(run: Run, spec: LaunchSpec) -> None:
    """The tasks of a launch, in their order, in the caller's transaction."""
    template = spec.template
    Task.objects.bulk_create(
        (
            Task(
                run=run,
                position=position,
                name=task.task_id,
                prompt=task_prompt(task, index=position, template=template),
                item=task.message if template.source else "",
                state=TaskState.QUEUED,
            )
            for position, task in enumerate(spec.tasks, start=1)
        ),
        batch_size=_BATCH,
    )
