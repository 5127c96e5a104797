"""The saved profile catalog (contract 6.2 and 10, row 17).

Ours: only the account key writes; revisions are kept; a profile that is made again after its
deletion goes on counting, so that no number ever names two contents.
"""

import re
from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.errors import bad_request, forbidden, not_found, wrong_state
from emulator.kept import SavedProfile
from emulator.profile_rules import check_profile
from emulator.strict import OBJECT, check_fields, read_page

JsonObject = dict[str, Any]
PROFILE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_ETAG = re.compile(r'(?:W/)?"?(\d{1,9})"?')


def list_profiles(call: Call) -> Answer:
    """Heads in the order of their making."""
    limit, offset = read_page(call.query)
    found = [one for one in call.world.profiles.values() if not one.is_deleted]
    rows = [_row(one) for one in found[offset : offset + limit]]
    return Answer({"profiles": rows, "total": len(found)})


def read(call: Call) -> Answer:
    """The head, or `revision`."""
    saved = _find(call)
    text = call.query.get("revision", str(saved.revisions[-1]["revision"]))
    if not text.isdecimal():
        raise bad_request("revision must be a number from 1.", field="revision")
    kept = next((one for one in saved.revisions if one["revision"] == int(text)), None)
    if kept is None:
        raise not_found("profile revision", f"{saved.id}@{text}")
    return _answer(saved, kept)


def put(call: Call) -> Answer:
    """201 for a new profile, 200 for a new revision of one; stale = 409 with the head's number."""
    world, profile_id = call.world, call.params["profileId"]
    _account_only(call)
    if PROFILE_ID.fullmatch(profile_id) is None:
        raise bad_request("profileId has a form that is not allowed.", field="profileId")
    profile = _profile_of(call.body)
    saved = world.profiles.get(profile_id)
    live = saved if saved is not None and not saved.is_deleted else None
    _check_condition(call, head=None if live is None else live.revisions[-1]["revision"])
    saved = saved or SavedProfile(profile_id)
    number = saved.revisions[-1]["revision"] + 1 if saved.revisions else 1
    kept: JsonObject = {"revision": number, "profile": profile, "atMs": world.now_ms()}
    saved.revisions.append(kept)
    saved.is_deleted = False
    world.profiles[profile_id] = saved
    world.touch(saved)
    return _answer(saved, kept, status=200 if live is not None else 201)


def delete(call: Call) -> Answer:
    """With `If-Match` only while that is the head; 404 when there is none."""
    check_fields(call.body, where="body", fields={})
    _account_only(call)
    saved = _find(call)
    if "if-match" in call.headers:
        _check_condition(call, head=saved.revisions[-1]["revision"])
    saved.is_deleted = True
    call.world.touch(saved)
    return Answer({"success": True})


def _profile_of(body: JsonObject) -> JsonObject:
    """The body is `{profile}`, as a read answers it, or the profile itself."""
    profile = body
    if set(body) == {"profile"}:
        check_fields(body, where="body", fields={"profile": OBJECT})
        profile = body["profile"]
    check_profile(profile, where="profile")
    return profile


def _check_condition(call: Call, *, head: int | None) -> None:
    """`If-Match: <revision>` for one that exists, `If-None-Match: *` for a new one."""
    match, none_match = call.headers.get("if-match"), call.headers.get("if-none-match")
    if (match is None) == (none_match is None):
        raise bad_request("Send either If-Match or If-None-Match.", field="If-Match")
    if none_match is not None:
        if none_match.strip() != "*":
            raise bad_request("If-None-Match must be *.", field="If-None-Match")
        if head is not None:
            raise wrong_state("A profile of this id exists.", current=str(head))
        return
    found = _ETAG.fullmatch((match or "").strip())
    if found is None:
        raise bad_request("If-Match must be a revision.", field="If-Match")
    if head is None:
        raise not_found("profile", call.params["profileId"])
    if int(found[1]) != head:
        raise wrong_state("The profile has moved on.", current=str(head), required=found[1])


def _find(call: Call) -> SavedProfile:
    profile_id = call.params["profileId"]
    saved = call.world.profiles.get(profile_id)
    if saved is None or saved.is_deleted:
        raise not_found("profile", profile_id)
    return saved


def _answer(saved: SavedProfile, kept: JsonObject, *, status: int = 200) -> Answer:
    body = {"profileId": saved.id, "revision": kept["revision"], "profile": kept["profile"]}
    return Answer(body, status=status, headers={"ETag": f'"{kept["revision"]}"'})


def _row(saved: SavedProfile) -> JsonObject:
    head = saved.revisions[-1]
    return {
        "profileId": saved.id,
        "revision": head["revision"],
        "name": head["profile"].get("name"),
        "description": head["profile"].get("description"),
        "updatedAt": iso(head["atMs"]),
    }


def _account_only(call: Call) -> None:
    if not call.is_account:
        raise forbidden("Only the account key writes the catalog.")
