"""The table of pictures: every page in every state worth looking at, over the demo fleets.

`tests/meta/test_pictures.py` compares it with the table of pages: a page without a picture fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet
from django.urls import reverse
from playwright.sync_api import Page as Window

from fleets.models import (
    Definition,
    Fleet,
    Operation,
    Profile,
    ProfileBulkChange,
    ProfileExample,
    ProfileText,
    Turn,
    TurnEvent,
    User,
)
from fleets.services.profile_texts import read_missing_texts
from tests.browser.world import (
    VERDICTS,
    follow_something,
    make_bulk_change,
    make_import,
    make_shared_text,
    make_trial,
    seen_on_platform,
)
from tests.integration.cast import NOBODY

ADMIN: Final = "admin"
OPERATOR: Final = "operator"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture. `who` is a user of the data set; `act` does something on the page first."""

    name: str
    url_name: str
    path: Callable[[], str]
    who: str = OPERATOR
    act: Callable[[Window], None] | None = None
    is_before_data: bool = False


def _plain(url_name: str, query: str = "") -> Callable[[], str]:
    return lambda: reverse(url_name) + query


def _fleet(name: str, query: str = "", url_name: str = "fleets:fleet_detail") -> Callable[[], str]:
    return lambda: reverse(url_name, args=[Fleet.objects.get(name=name).public_id]) + query


def _agent(name: str, *, state: str) -> Callable[[], str]:
    def path() -> str:
        fleet = Fleet.objects.get(name=name)
        agent = fleet.agents.filter(state=state)[0]
        return reverse("fleets:fleet_agent", args=[fleet.public_id, agent.agent_id])

    return path


def _event() -> str:
    """A tool call of the first completed agent, at the address of its own."""
    turn = Turn.objects.filter(run__fleet__name="nightly-review", outcome="completed")[0]
    event = TurnEvent.objects.filter(turn_id=turn.pk, type="message.part.updated").order_by(
        "event_id"
    )[1]
    names = [turn.agent.fleet.public_id, turn.agent.agent_id, turn.pk, event.event_id]
    return reverse("fleets:agent_event", args=names)


def _operation(kind: str, *, state: str, fleet: str = "") -> Callable[[], str]:
    def path() -> str:
        found: QuerySet[Operation] = Operation.objects.filter(kind=kind, state=state)
        if fleet:
            found = found.filter(fleet__name=fleet)
        return reverse("fleets:operation_detail", args=[found[0].public_id])

    return path


def _import() -> str:
    """A reading of files with one profile of each verdict."""
    import_id = make_import(User.objects.get(username=OPERATOR))
    return reverse("fleets:profile_import_preview", args=[import_id])


def _on_platform() -> str:
    """A profile that somebody has changed on the platform, and others in other states."""
    seen_on_platform("code-reviewer")
    return reverse("fleets:profile_platform_compare", args=["code-reviewer"])


def _skill() -> str:
    """A skill that two profiles share, and a third has changed; the same one in every look."""
    if not Profile.objects.filter(slug="tester-0").exists():
        make_shared_text(User.objects.get(username=OPERATOR))
        read_missing_texts()
    return reverse("fleets:profile_skill", args=[_digest("tester-0")])


def _skill_difference() -> str:
    return f"{_skill()}?with={_digest('tester-2')}"


def _skill_update() -> str:
    _skill()
    digest = _digest("tester-0")
    return f"{reverse('fleets:profile_bulk')}?q=text:{digest}&kind=skill&skill_old={digest}"


def _digest(slug: str) -> str:
    return ProfileText.objects.get(profile__slug=slug).digest


def _following() -> str:
    """News of what is followed; the same in every look."""
    if not Profile.objects.filter(slug="followed-one").exists():
        follow_something(User.objects.get(username=OPERATOR))
    return reverse("fleets:profile_following")


def _followed_catalog() -> str:
    _following()
    catalog = Profile.objects.get(slug="followed-one").catalog.slug
    return f"{reverse('fleets:profile_list')}?catalog={catalog}"


def _bulk_done() -> str:
    """A bulk change with every outcome, undone; the same one in every look."""
    done = ProfileBulkChange.objects.first()
    bulk_id = done.public_id if done else make_bulk_change(User.objects.get(username=OPERATOR))
    return reverse("fleets:profile_bulk_change", args=[bulk_id])


def _preview_bulk(window: Window) -> None:
    window.select_option("[name=model_old]", index=0)
    window.fill("[name=model_new]", "gpt-5-mini")
    window.get_by_role("button", name="Preview").click()
    window.wait_for_timeout(900)


def _preview_nonsense(window: Window) -> None:
    window.select_option("[name=kind]", "field")
    window.fill("[name=field_path]", "modell.small")
    window.get_by_role("button", name="Preview").click()
    window.wait_for_timeout(900)


def _choose_two(window: Window) -> None:
    for at in (0, 2):
        box = window.locator("[data-pick]").nth(at)
        if box.is_visible():
            box.check()


def _fill_in(window: Window) -> None:
    window.fill("[name=name]", "nightly-review")
    window.fill("[name=count]", "50")
    window.fill("[name=prompt]", "Review part {index} of the repository; you are {agent_id}.")
    window.fill("[name=budget]", "3")
    window.wait_for_timeout(900)


def _fill_in_too_little(window: Window) -> None:
    _fill_in(window)
    window.fill("[name=count]", "400")
    window.fill("[name=budget]", "0.25")
    window.wait_for_timeout(900)


def _send_nothing(window: Window) -> None:
    window.evaluate(
        "() => { const form = document.getElementById('launch-form');"
        " form.noValidate = true; form.requestSubmit(); }"
    )
    window.wait_for_timeout(900)


def _sign_in_wrongly(window: Window) -> None:
    window.fill("[name=login]", "operator")
    window.fill("[name=password]", "not-the-password")
    window.keyboard.press("Enter")
    window.wait_for_timeout(700)


def _page_of(fleet: str, state: str) -> Picture:
    return Picture(f"fleet {state}", "fleets:fleet_detail", _fleet(fleet))


_STATES: Final = {
    "running": "nightly-review",
    "running without a budget": "label-support-tickets",
    "running with a tree": "literature-sweep",
    "running with 2500 agents": "census-2500",
    "creating": "spring-cleaning",
    "waiting": "contract-redlines",
    "held": "changelog-writers",
    "cut off": "scrape-and-sort",
    "cancelling": "runaway-refactor",
    "deleting": "old-experiment",
    "finished": "release-notes",
    "finished and counting down": "accessibility-audit",
    "failed": "browser-matrix",
    "budget exhausted": "tight-purse",
    "cancelled": "wrong-branch",
    "deleted": "weekly-digest-47",
    "platform unreachable": "upgrade-dependencies",
}


def _profile(name: str, query: str = "", page: str = "profile_detail") -> Callable[[], str]:
    return lambda: reverse(f"fleets:{page}", args=[Profile.objects.get(name=name).slug]) + query


def _definition(name: str, query: str = "", page: str = "definition_detail") -> Callable[[], str]:
    return lambda: reverse(f"fleets:{page}", args=[Definition.objects.get(name=name).slug]) + query


LIST: Final = "fleets:fleet_list"
DEFINITIONS: Final = "fleets:definition_list"
SKILLS: Final = "fleets:profile_skills"
FOLLOWING: Final = "fleets:profile_following"
BULK: Final = "fleets:profile_bulk"


def _example() -> str:
    row = ProfileExample.objects.get(profile__slug="code-reviewer", position=3)
    return f"{reverse('fleets:profile_example', args=['code-reviewer'])}?example={row.pk}"


def _trial(*verdicts: tuple[str, str]) -> Callable[[], str]:
    """A trial of the demo reviewer; without `verdicts` one that is at work."""

    def path() -> str:
        profile = Profile.objects.get(slug="code-reviewer")
        owner = User.objects.get(username="operator")
        told = verdicts or VERDICTS
        pk = make_trial(profile, team=owner.teams.all()[0], owner=owner, verdicts=told)
        return reverse("fleets:profile_trial", args=["code-reviewer", pk])

    return path


PROFILES: Final = "fleets:profile_list"
NEW: Final = "fleets:fleet_new"

PICTURES: Final = (
    Picture("sign in", "account_login", _plain("account_login"), who=NOBODY),
    Picture("sign in refused", "account_login", _plain("account_login"), NOBODY, _sign_in_wrongly),
    Picture("sign-up is closed", "account_signup", _plain("account_signup"), who=NOBODY),
    Picture("account is inactive", "account_inactive", _plain("account_inactive"), who=NOBODY),
    Picture("sign out", "account_logout", _plain("account_logout")),
    Picture("change the password", "account_change_password", _plain("account_change_password")),
    Picture("sign in again", "account_reauthenticate", _plain("account_reauthenticate")),
    Picture("health", "fleets:health", _plain("fleets:health")),
    Picture("account", "fleets:account", _plain("fleets:account")),
    Picture("account of a stranger", "fleets:account", _plain("fleets:account"), who="stranger"),
    Picture(
        "fleets nothing yet",
        LIST,
        _plain(LIST),
        ADMIN,
        is_before_data=True,
    ),
    Picture("fleets", LIST, _plain(LIST)),
    Picture("fleets failed", LIST, _plain(LIST, "?state=failed")),
    Picture("fleets attention", LIST, _plain(LIST, "?state=attention")),
    Picture("fleets none found", LIST, _plain(LIST, "?q=nowhere")),
    Picture("launch empty", NEW, _plain(NEW)),
    Picture("launch filled in", NEW, _plain(NEW), act=_fill_in),
    Picture(
        "launch with problems",
        NEW,
        _plain(NEW),
        act=_fill_in_too_little,
    ),
    Picture("launch refused", NEW, _plain(NEW), act=_send_nothing),
    *(_page_of(fleet, state) for state, fleet in _STATES.items()),
    *(
        Picture(f"fleet {tab}", "fleets:fleet_detail", _fleet("nightly-review", f"?tab={tab}"))
        for tab in ("machines", "results", "events", "settings")
    ),
    Picture("fleet as table", "fleets:fleet_detail", _fleet("nightly-review", "?view=table")),
    Picture(
        "fleet results of failures",
        "fleets:fleet_detail",
        _fleet("browser-matrix", "?tab=results"),
    ),
    Picture("agent completed", "fleets:fleet_agent", _agent("nightly-review", state="completed")),
    Picture("agent failed", "fleets:fleet_agent", _agent("nightly-review", state="failed")),
    Picture("event", "fleets:agent_event", _event),
    Picture("agent running", "fleets:fleet_agent", _agent("nightly-review", state="running")),
    Picture(
        "run again",
        "fleets:fleet_run_again",
        _fleet("browser-matrix", url_name="fleets:fleet_run_again"),
    ),
    Picture("stop", "fleets:fleet_stop", _fleet("nightly-review", url_name="fleets:fleet_stop")),
    Picture(
        "stop without a budget",
        "fleets:fleet_stop",
        _fleet("label-support-tickets", url_name="fleets:fleet_stop"),
    ),
    Picture(
        "delete", "fleets:fleet_delete", _fleet("release-notes", url_name="fleets:fleet_delete")
    ),
    *(
        Picture(f"operation {kind} {state}".replace("_", " "), "fleets:operation_detail", path)
        for kind, state, path in (
            ("launch", "running", _operation("launch", state="running")),
            ("launch", "done", _operation("launch", state="done", fleet="nightly-review")),
            ("hold", "done", _operation("hold", state="done")),
            ("release", "done", _operation("release", state="done")),
            ("cut_off", "done", _operation("cut_off", state="done")),
            ("reopen", "done", _operation("reopen", state="done")),
            ("cancel", "running", _operation("cancel", state="running")),
            ("cancel", "done", _operation("cancel", state="done")),
            ("cancel", "failed", _operation("cancel", state="failed")),
            ("delete", "running", _operation("delete", state="running")),
            ("delete", "done", _operation("delete", state="done")),
        )
    ),
    Picture("profiles nothing yet", PROFILES, _plain(PROFILES), ADMIN, is_before_data=True),
    Picture("profiles", PROFILES, _plain(PROFILES)),
    Picture("import", "fleets:profile_import", _plain("fleets:profile_import")),
    Picture("import preview", "fleets:profile_import_preview", _import),
    Picture("platform compare", "fleets:profile_platform_compare", _on_platform),
    Picture("platform catalog", "fleets:profile_platform", _plain("fleets:profile_platform")),
    Picture("profiles chosen", PROFILES, _plain(PROFILES), act=_choose_two),
    Picture("skills", SKILLS, _plain(SKILLS)),
    Picture("skills alike", SKILLS, _plain(SKILLS, "?show=alike")),
    Picture("skill", "fleets:profile_skill", _skill),
    Picture("skill difference", "fleets:profile_skill", _skill_difference),
    Picture("skill updated", BULK, _skill_update),
    Picture("following", FOLLOWING, _following),
    Picture("following nothing", FOLLOWING, _plain(FOLLOWING), ADMIN),
    Picture("profile of a followed catalog", PROFILES, _followed_catalog),
    Picture("bulk form", BULK, _plain(BULK)),
    Picture("bulk preview", BULK, _plain(BULK), act=_preview_bulk),
    Picture("bulk refused", BULK, _plain(BULK), act=_preview_nonsense),
    Picture("bulk empty", BULK, _plain(BULK, "?q=nowhere")),
    Picture("bulk done", "fleets:profile_bulk_change", _bulk_done),
    Picture("export", "fleets:profile_export", _plain("fleets:profile_export")),
    Picture("profiles none found", PROFILES, _plain(PROFILES, "?q=nowhere")),
    *(
        Picture(f"profile {tab}", "fleets:profile_detail", _profile("code-reviewer", f"?tab={tab}"))
        for tab in ("configuration", "revisions", "examples", "used-by", "results")
    ),
    Picture(
        "profile examples none", "fleets:profile_detail", _profile("labeller", "?tab=examples")
    ),
    Picture(
        "profile example new", "fleets:profile_example", _profile("labeller", "", "profile_example")
    ),
    Picture("profile example", "fleets:profile_example", _example),
    Picture("profile try", "fleets:profile_try", _profile("code-reviewer", "", "profile_try")),
    Picture("profile try refused", "fleets:profile_try", _profile("labeller", "", "profile_try")),
    Picture("profile trial", "fleets:profile_trial", _trial()),
    Picture(
        "profile trial done",
        "fleets:profile_trial",
        _trial(*[("refused", "accepted"), ("accepted", "accepted")] * 2, ("unchecked", "refused")),
    ),
    Picture("profile new", "fleets:profile_new", _plain("fleets:profile_new")),
    Picture("profile form", "fleets:profile_edit", _profile("code-reviewer", "", "profile_edit")),
    Picture(
        "profile source",
        "fleets:profile_edit",
        _profile("code-reviewer", "?view=source", "profile_edit"),
    ),
    Picture("profile diff", "fleets:profile_diff", _profile("code-reviewer", "", "profile_diff")),
    Picture(
        "profile delete", "fleets:profile_delete", _profile("translator", "", "profile_delete")
    ),
    Picture(
        "definitions nothing yet", DEFINITIONS, _plain(DEFINITIONS), ADMIN, is_before_data=True
    ),
    Picture("definitions", DEFINITIONS, _plain(DEFINITIONS)),
    Picture("definitions none found", DEFINITIONS, _plain(DEFINITIONS, "?q=nowhere")),
    *(
        Picture(
            f"definition {tab}",
            "fleets:definition_detail",
            _definition("shard-questions", f"?tab={tab}"),
        )
        for tab in ("recipe", "prompts", "revisions", "launches")
    ),
    Picture("definition new", "fleets:definition_new", _plain("fleets:definition_new")),
    Picture("hand over", "fleets:hand_over", _plain("fleets:hand_over")),
    Picture("definition import", "fleets:definition_import", _plain("fleets:definition_import")),
    *(
        Picture(
            f"definition {page}",
            f"fleets:definition_{page}",
            _definition("shard-questions", "", f"definition_{page}"),
        )
        for page in ("diff", "launch", "edit", "delete")
    ),
    Picture("not there 404", LIST, lambda: "/nothing/here"),
    Picture("not allowed 403", NEW, _plain(NEW), who="viewer"),
    Picture("broken 500", LIST, lambda: BROKEN),
)
# No address breaks on purpose: the page that is shown then is put here by the script.
BROKEN: Final = "/pictures/broken"
