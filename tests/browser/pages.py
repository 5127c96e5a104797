"""The table of every address: which are pages, who may come, and what the others are.

A page of this table is opened by `test_every_page.py`; an address missing from both tables fails
`tests/meta/test_urls.py`. A new page adds its line here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.urls import reverse
from playwright.sync_api import Page as Window
from playwright.sync_api import expect

from tests.browser.world import World
from tests.integration.cast import NOBODY


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `who` is the least of the cast that may open it, `path` where it is in a world.

    `act` brings the page into a state that only scripts reach, such as an open dialog.
    """

    name: str
    url_name: str
    path: Callable[[World], str]
    who: str = "viewer"
    status: int = 200
    act: Callable[[Window], None] | None = None


Path = Callable[[World], str]


def _plain(url_name: str, query: str = "") -> Callable[[World], str]:
    return lambda world: reverse(url_name) + query


def _fleet(query: str = "", url_name: str = "fleets:fleet_detail") -> Callable[[World], str]:
    return lambda world: reverse(url_name, args=[world.fleet.public_id]) + query


def _open_stop_sheet(window: Window) -> None:
    window.get_by_role("link", name="Stop…").click()
    expect(window.locator("#dialog")).to_be_visible()


def _open_account_menu(window: Window) -> None:
    window.get_by_role("button", name="Account:").click()
    expect(window.locator("#account-menu")).to_be_visible()


def _open_keys(window: Window) -> None:
    window.keyboard.press("?")
    expect(window.locator("#keys-dialog")).to_be_visible()


def _launch_nothing(window: Window) -> None:
    window.locator(".head").click()
    window.locator("#launch-act button").click(force=True)  # marked as not ready, yet it answers
    expect(window.get_by_role("alert")).to_be_visible()


def _choose_row(window: Window) -> None:
    window.locator("[data-pick]").first.check()
    expect(window.get_by_role("button", name="Change…")).to_be_visible()


def _preview_bulk(window: Window) -> None:
    window.get_by_label("To", exact=True).first.fill("gpt-5-mini")
    window.get_by_role("button", name="Preview").click()
    expect(window.get_by_role("heading", name="Preview")).to_be_visible()


def _agent(query: str) -> Callable[[World], str]:
    def path(world: World) -> str:
        names = [world.fleet.public_id, world.agent.agent_id]
        return reverse("fleets:fleet_agent", args=names) + query

    return path


def _event(world: World) -> str:
    names = [world.fleet.public_id, world.agent.agent_id, world.turn_pk, world.event]
    return reverse("fleets:agent_event", args=names)


def _profile(query: str = "", url_name: str = "fleets:profile_detail") -> Callable[[World], str]:
    return lambda world: reverse(url_name, args=[world.profile.slug]) + query


def _example(world: World) -> str:
    address = reverse("fleets:profile_example", args=[world.profile.slug])
    return f"{address}?example={world.example_pk}"


def _trial(world: World) -> str:
    return reverse("fleets:profile_trial", args=[world.profile.slug, world.trial_pk])


def _definition(query: str = "", url_name: str = "fleets:definition_detail") -> Path:
    return lambda world: reverse(url_name, args=[world.definition.slug]) + query


PAGES: Final = (
    Page("fleets", "fleets:fleet_list", _plain("fleets:fleet_list")),
    Page(
        "fleets, none found",
        "fleets:fleet_list",
        _plain("fleets:fleet_list", "?q=no-such-fleet"),
    ),
    Page(
        "fleets, one looked into",
        "fleets:fleet_list",
        lambda world: f"{reverse('fleets:fleet_list')}?peek={world.fleet.public_id}",
    ),
    Page(
        "fleets, account menu open",
        "fleets:fleet_list",
        _plain("fleets:fleet_list"),
        act=_open_account_menu,
    ),
    Page("fleets, keys shown", "fleets:fleet_list", _plain("fleets:fleet_list"), act=_open_keys),
    Page("launch", "fleets:fleet_new", _plain("fleets:fleet_new"), who="operator"),
    Page(
        "launch, refused",
        "fleets:fleet_new",
        _plain("fleets:fleet_new"),
        who="operator",
        act=_launch_nothing,
    ),
    Page("fleet", "fleets:fleet_detail", _fleet()),
    Page("fleet, agents as a table", "fleets:fleet_detail", _fleet("?tab=agents&view=table")),
    Page("fleet, one agent looked into", "fleets:fleet_detail", _fleet("?agent=agent-0")),
    Page(
        "fleet, stop sheet", "fleets:fleet_detail", _fleet(), who="operator", act=_open_stop_sheet
    ),
    Page("fleet, machines", "fleets:fleet_detail", _fleet("?tab=machines")),
    Page("fleet, results", "fleets:fleet_detail", _fleet("?tab=results")),
    Page("fleet, events", "fleets:fleet_detail", _fleet("?tab=events")),
    Page("fleet, settings", "fleets:fleet_detail", _fleet("?tab=settings"), who="operator"),
    Page(
        "fleet being made",
        "fleets:fleet_detail",
        lambda world: reverse("fleets:fleet_detail", args=[world.creating.public_id]),
    ),
    Page(
        "agent",
        "fleets:fleet_agent",
        lambda world: reverse(
            "fleets:fleet_agent", args=[world.fleet.public_id, world.agent.agent_id]
        ),
    ),
    Page("agent, tools", "fleets:fleet_agent", _agent("?tab=tools")),
    Page("agent, ledger", "fleets:fleet_agent", _agent("?tab=ledger")),
    Page("agent, events", "fleets:fleet_agent", _agent("?tab=events")),
    Page("event", "fleets:agent_event", _event),
    Page(
        "run again",
        "fleets:fleet_run_again",
        _fleet(url_name="fleets:fleet_run_again"),
        who="operator",
    ),
    Page("stop", "fleets:fleet_stop", _fleet(url_name="fleets:fleet_stop"), who="operator"),
    Page("delete", "fleets:fleet_delete", _fleet(url_name="fleets:fleet_delete"), who="operator"),
    Page(
        "operation",
        "fleets:operation_detail",
        lambda world: reverse("fleets:operation_detail", args=[world.operation.public_id]),
    ),
    Page("profiles", "fleets:profile_list", _plain("fleets:profile_list")),
    Page("import", "fleets:profile_import", _plain("fleets:profile_import"), who="operator"),
    Page(
        "import, preview",
        "fleets:profile_import_preview",
        lambda world: reverse("fleets:profile_import_preview", args=[world.import_id]),
        who="operator",
    ),
    Page(
        "profiles, one chosen",
        "fleets:profile_list",
        _plain("fleets:profile_list"),
        "operator",
        act=_choose_row,
    ),
    Page("skills", "fleets:profile_skills", _plain("fleets:profile_skills")),
    Page(
        "skill",
        "fleets:profile_skill",
        lambda world: reverse("fleets:profile_skill", args=[world.text_digest]),
    ),
    Page("following", "fleets:profile_following", _plain("fleets:profile_following"), "operator"),
    Page("bulk change", "fleets:profile_bulk", _plain("fleets:profile_bulk"), who="operator"),
    Page(
        "bulk change, preview",
        "fleets:profile_bulk",
        _plain("fleets:profile_bulk"),
        who="operator",
        act=_preview_bulk,
    ),
    Page(
        "bulk change, done",
        "fleets:profile_bulk_change",
        lambda world: reverse("fleets:profile_bulk_change", args=[world.bulk_id]),
        who="operator",
    ),
    Page("platform catalog", "fleets:profile_platform", _plain("fleets:profile_platform")),
    Page(
        "profile on the platform",
        "fleets:profile_platform_compare",
        _profile(url_name="fleets:profile_platform_compare"),
        who="operator",
    ),
    Page("export", "fleets:profile_export", _plain("fleets:profile_export")),
    Page("profile", "fleets:profile_detail", _profile()),
    Page("profile, revisions", "fleets:profile_detail", _profile("?tab=revisions"), who="operator"),
    Page("profile, examples", "fleets:profile_detail", _profile("?tab=examples"), who="operator"),
    Page("profile, example", "fleets:profile_example", _example, who="operator"),
    Page(
        "profile, trying", "fleets:profile_try", _profile(url_name="fleets:profile_try"), "operator"
    ),
    Page("profile, trial", "fleets:profile_trial", _trial, who="operator"),
    Page("profile, new", "fleets:profile_new", _plain("fleets:profile_new"), who="operator"),
    Page(
        "profile, form",
        "fleets:profile_edit",
        _profile(url_name="fleets:profile_edit"),
        who="operator",
    ),
    Page(
        "profile, source",
        "fleets:profile_edit",
        _profile("?view=source", url_name="fleets:profile_edit"),
        who="operator",
    ),
    Page("profile, difference", "fleets:profile_diff", _profile(url_name="fleets:profile_diff")),
    Page(
        "profile, deleting",
        "fleets:profile_delete",
        _profile(url_name="fleets:profile_delete"),
        who="operator",
    ),
    Page("definitions", "fleets:definition_list", _plain("fleets:definition_list")),
    Page("definition", "fleets:definition_detail", _definition()),
    Page("definition, prompts", "fleets:definition_detail", _definition("?tab=prompts")),
    Page(
        "definition, difference",
        "fleets:definition_diff",
        _definition(url_name="fleets:definition_diff"),
    ),
    Page(
        "definition, launching",
        "fleets:definition_launch",
        _definition(url_name="fleets:definition_launch"),
        who="operator",
    ),
    Page(
        "definitions, importing",
        "fleets:definition_import",
        _plain("fleets:definition_import"),
        "operator",
    ),
    Page("definition, new", "fleets:definition_new", _plain("fleets:definition_new"), "operator"),
    Page(
        "definition, editing",
        "fleets:definition_edit",
        _definition(url_name="fleets:definition_edit"),
        who="operator",
    ),
    Page(
        "definition, deleting",
        "fleets:definition_delete",
        _definition(url_name="fleets:definition_delete"),
        who="operator",
    ),
    Page("health", "fleets:health", _plain("fleets:health")),
    Page("account", "fleets:account", _plain("fleets:account"), who="stranger"),
    Page("hand over", "fleets:hand_over", _plain("fleets:hand_over"), who="operator"),
    Page("sign in", "account_login", _plain("account_login"), who=NOBODY),
    Page("sign-up is closed", "account_signup", _plain("account_signup"), who=NOBODY),
    Page("account is inactive", "account_inactive", _plain("account_inactive"), who=NOBODY),
    Page("sign out", "account_logout", _plain("account_logout"), who="stranger"),
    Page(
        "change the password",
        "account_change_password",
        _plain("account_change_password"),
        who="stranger",
    ),
    Page(
        "sign in again",
        "account_reauthenticate",
        _plain("account_reauthenticate"),
        who="stranger",
    ),
    Page("not there", "fleets:fleet_list", lambda _: "/nothing/here", who="stranger", status=404),
    Page("not allowed", "fleets:fleet_new", _plain("fleets:fleet_new"), status=403),
)


class Kind(StrEnum):
    """What an address is that is no page."""

    ACT = "act"  # POST only: changes something, then redirects or answers with a fragment
    DOWNLOAD = "download"  # a file
    REDIRECT = "redirect"
    PROBE = "probe"  # JSON for machines


NO_PAGES: Final = {
    "health_live": Kind.PROBE,
    "health_ready": Kind.PROBE,
    "fleets:metrics": Kind.PROBE,
    "fleets:home": Kind.REDIRECT,
    "fleets:fleet_export": Kind.DOWNLOAD,
    "fleets:answer_decide": Kind.ACT,
    "fleets:fleet_results": Kind.DOWNLOAD,
    "fleets:agent_event_text": Kind.DOWNLOAD,
    "fleets:agent_prompt": Kind.ACT,
    "fleets:agent_interrupt": Kind.ACT,
    "fleets:fleet_preview": Kind.ACT,
    "fleets:fleet_launch": Kind.ACT,
    "fleets:fleet_hold": Kind.ACT,
    "fleets:fleet_release": Kind.ACT,
    "fleets:fleet_cut_off": Kind.ACT,
    "fleets:fleet_reopen": Kind.ACT,
    "fleets:fleet_cancel": Kind.ACT,
    "fleets:fleet_stop_machines": Kind.ACT,
    "fleets:fleet_afterwards": Kind.ACT,
    "fleets:operation_retry": Kind.ACT,
    "fleets:profile_look": Kind.ACT,
    "fleets:profile_save": Kind.ACT,
    "fleets:profile_discard": Kind.ACT,
    "fleets:profile_platform_read": Kind.ACT,
    "fleets:profile_platform_pull": Kind.ACT,
    "fleets:profile_platform_publish": Kind.ACT,
    "fleets:profile_follow": Kind.ACT,
    "fleets:profile_follow_catalog": Kind.ACT,
    "fleets:profile_following_seen": Kind.ACT,
    "fleets:profile_bulk_preview": Kind.ACT,
    "fleets:profile_bulk_confirm": Kind.ACT,
    "fleets:profile_bulk_undo": Kind.ACT,
    "fleets:profile_import_read": Kind.ACT,
    "fleets:profile_import_confirm": Kind.ACT,
    "fleets:profile_import_discard": Kind.ACT,
    "fleets:profile_export_file": Kind.DOWNLOAD,
    "fleets:profile_publish": Kind.ACT,
    "fleets:profile_restore": Kind.ACT,
    "fleets:profile_label": Kind.ACT,
    "fleets:profile_archive": Kind.ACT,
    "fleets:profile_hand_over": Kind.ACT,
    "fleets:profile_example_add": Kind.ACT,
    "fleets:profile_example_save": Kind.ACT,
    "fleets:profile_example_move": Kind.ACT,
    "fleets:profile_example_remove": Kind.ACT,
    "fleets:profile_try_preview": Kind.ACT,
    "fleets:profile_try_now": Kind.ACT,
    "fleets:profile_trial_decide": Kind.ACT,
    "fleets:definition_preview": Kind.ACT,
    "fleets:definition_from_launch": Kind.ACT,
    "fleets:definition_launch_preview": Kind.ACT,
    "fleets:definition_launch_now": Kind.ACT,
    "fleets:definition_restore": Kind.ACT,
    "fleets:definition_hand_over": Kind.ACT,
    "fleets:definition_discard": Kind.ACT,
    "fleets:definition_archive": Kind.ACT,
    "fleets:definition_clone": Kind.ACT,
    "fleets:definition_source": Kind.DOWNLOAD,
    "fleets:definition_list_export": Kind.DOWNLOAD,
    "fleets:definition_agents": Kind.DOWNLOAD,
    "fleets:account_theme": Kind.ACT,
}

# What people reach without the guards of `fleets.access`: allauth guards its own pages.
PUBLIC: Final = {
    "health_live",
    "health_ready",
    "account_login",
    "account_signup",
    "account_inactive",
    "account_logout",
    "account_change_password",
    "account_reauthenticate",
    "fleets:home",
}
