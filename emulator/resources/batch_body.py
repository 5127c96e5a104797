"""Reading the body of a batch run (contract 7 and 10, row 18); the old shape has no `backends`."""

from typing import Any

from emulator.errors import bad_request
from emulator.money import dumps
from emulator.resources.backend_body import check_backend
from emulator.shapes import anything, closed, filled, flag, from_up, listed, one_of
from emulator.strict import ANY, check_fields

JsonObject = dict[str, Any]
DEFAULT_TIMEOUT_MS = 300_000
MOST_ITEMS = 1_000
MOST_MACHINES = 10
# How many tasks of a backend a machine is made for, by scaling mode.
TASKS_PER_MACHINE = {"fastest": 1, "balanced": 4, "cheapest": MOST_ITEMS}
_TASK = closed(
    {"id": filled(120), "message": filled(), "context": anything, "timeoutMs": from_up(1)},
    required=("id", "message"),
)
_BACKEND = closed({"id": filled(120), "type": filled(), "model": anything}, required=("id", "type"))
BODY = {
    "tasks": listed(_TASK, least=1),
    "backends": listed(_BACKEND, least=1),
    "backend": anything,
    "timeoutMs": from_up(1),
    "scalingMode": one_of(*TASKS_PER_MACHINE),
    "persistent": flag,
}


def read_items(body: JsonObject) -> list[JsonObject]:
    """Every task for every backend, in this order; refuses doubles and more than 1000."""
    check_fields(body, where="body", fields=dict.fromkeys(BODY, ANY), required=("tasks",))
    for name, value in body.items():
        BODY[name](value, f"body.{name}")
    tasks, backends = body["tasks"], _backends(body)
    for name, rows in (("tasks", tasks), ("backends", backends)):
        if len({row["id"] for row in rows}) < len(rows):
            raise bad_request(f"Two of {name} have the same id.", field=f"body.{name}")
    if len(tasks) * len(backends) > MOST_ITEMS:
        raise bad_request(f"A batch may have {MOST_ITEMS} results at most.", field="body.tasks")
    default_ms = body.get("timeoutMs", DEFAULT_TIMEOUT_MS)
    pairs = [(task, backend) for task in tasks for backend in backends]
    return [
        {
            "number": number,
            "task": {"id": task["id"]},
            "backend": backend,
            "prompt": _prompt(task),
            "timeoutMs": task.get("timeoutMs", default_ms),
            "state": "queued",
            "sandboxId": None,
            "executionId": None,
            "retries": 0,
        }
        for number, (task, backend) in enumerate(pairs, start=1)
    ]


def machines_for(items: list[JsonObject], *, mode: str) -> list[str]:
    """The backend's id of each machine to make."""
    wanted: list[str] = []
    for backend_id in dict.fromkeys(item["backend"]["id"] for item in items):
        tasks = sum(item["backend"]["id"] == backend_id for item in items)
        wanted += [backend_id] * min(MOST_MACHINES, -(-tasks // TASKS_PER_MACHINE[mode]))
    return wanted


def _backends(body: JsonObject) -> list[JsonObject]:
    if "backends" in body and "backend" in body:
        raise bad_request("backend is the old name of backends.", field="body.backend")
    old = body.get("backend", {"type": "opencode"})
    if not isinstance(old, dict):
        raise bad_request("body.backend must be an object.", field="body.backend")
    found: list[JsonObject] = body.get("backends", [{"id": "default", "type": "opencode", **old}])
    for index, backend in enumerate(found):
        named = {name: value for name, value in backend.items() if name != "id"}
        check_backend(named, where=f"body.backends[{index}]")
    return found


def _prompt(task: JsonObject) -> str:
    context = task.get("context")
    if context is None:
        return str(task["message"])
    told = context if isinstance(context, str) else dumps(context)
    return f"{task['message']}\n\n{told}"
