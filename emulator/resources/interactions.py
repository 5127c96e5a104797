"""Reading and answering what agents ask (contract 3.1)."""

from emulator.calls import Answer, Call
from emulator.errors import ApiError, not_found, wrong_state
from emulator.interactions import outstanding
from emulator.resources.sessions import find_session
from emulator.strict import ANY, TEXT, check_fields

OUTCOMES = ("accepted", "declined")


def list_interactions(call: Call) -> Answer:
    return Answer({"data": {"interactions": outstanding(find_session(call).interactions)}})


def answer(call: Call) -> Answer:
    """The same answer again changes nothing; another one is a 409."""
    fields = {"id": TEXT, "outcome": TEXT, "data": ANY}
    check_fields(call.body, where="body", fields=fields, required=("id", "outcome"))
    session = find_session(call)
    outcome, data = call.body["outcome"], call.body.get("data")
    if outcome not in OUTCOMES:
        message = f"outcome must be one of {', '.join(OUTCOMES)}."
        raise ApiError(400, {"error": message, "code": "INVALID_INTERACTION_ANSWER"})
    wanted = call.body["id"]
    found = next((one for one in session.interactions if one["request"]["id"] == wanted), None)
    if found is None:
        raise not_found("interaction", wanted)
    if found["outcome"] not in (None, outcome) or found["data"] not in (None, data):
        raise wrong_state("This was answered otherwise.", current=found["outcome"])
    found["outcome"], found["data"] = outcome, data
    call.world.touch(session)
    return Answer({"data": {"interaction": {"id": wanted, "outcome": outcome}}})
