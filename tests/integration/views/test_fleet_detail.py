"""The fleet page and its pieces: who sees it, what it says, what it costs."""

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.status import FleetState, OperationKind, TaskState, TurnOutcome, TurnState
from fleets.models import Fleet, SealedSecret
from tests.factories import (
    AgentFactory,
    FleetEventFactory,
    FleetFactory,
    MachineFactory,
    OperationFactory,
    TaskFactory,
    TurnFactory,
)
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

READERS = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}
HOSTILE = "<script>alert(1)</script> =HYPERLINK(1) \u202e"


def busy_fleet(cast: Cast, *, agents: int = 12) -> Fleet:
    fleet: Fleet = FleetFactory(
        name="nightly-review",
        owner=cast.operator,
        team=cast.team,
        key_id="key_1",
        key_secret=SealedSecret.seal("sk-tan-secret-9f3a"),
        agents_total=agents,
        machines_total=-(-agents // 6),
        machines_running=-(-agents // 6),
        tasks_total=agents,
        tasks_running=agents - 3,
        tasks_failed=3,
        spent_nusd=1_240_000_123,
        reserved_nusd=440_000_000,
        remaining_nusd=1_140_000_000,
        burn_nusd_per_min=270_000_000,
        started_at=timezone.now(),
    )
    run_task = None
    for n in range(agents):
        if n % 6 == 0:
            machine = MachineFactory(fleet=fleet, position=n // 6, machine_id=f"m{n // 6 + 1}")
        state = TaskState.FAILED if n < 3 else TaskState.RUNNING
        agent = AgentFactory(machine=machine, position=n, agent_id=f"agent-{n + 1}", state=state)
        run: dict[str, Any] = {"run": run_task.run} if run_task else {}
        error = "tool timeout" if n < 3 else ""
        run_task = TaskFactory(
            agent=agent, position=n, state=state, error=error, response=HOSTILE, **run
        )
    return fleet


def page(cast: Cast, fleet: Fleet, query: str = "", who: str = "operator") -> str:
    url = reverse("fleets:fleet_detail", args=[fleet.public_id])
    response = cast.client(who).get(f"{url}{query}")
    assert response.status_code == 200
    return one_line(response)


@pytest.mark.parametrize("query", ["", *(f"?tab={t}" for t in ("machines", "results", "events"))])
def test_everybody_with_a_role_may_read_every_tab(query: str) -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    url = reverse("fleets:fleet_detail", args=[fleet.public_id])
    cast.expect(f"{url}{query}", "GET", READERS)


def test_everybody_with_a_role_may_read_an_agent_and_the_results() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    cast.expect(reverse("fleets:fleet_agent", args=[fleet.public_id, "agent-1"]), "GET", READERS)
    for kind in ("csv", "json"):
        url = reverse("fleets:fleet_results", args=[fleet.public_id, kind])
        cast.expect(url, "GET", READERS)


@pytest.mark.parametrize("missing", ["fleets/fleet-none", "fleets/{}/agents/agent-99"])
def test_what_is_not_there_is_404_for_everybody(missing: str) -> None:
    cast = Cast.gather()
    url = "/" + missing.format(busy_fleet(cast).public_id)
    cast.expect(url, "GET", dict.fromkeys(READERS, 404))


def test_the_head_says_state_owner_key_money_and_the_title_says_failures() -> None:
    cast = Cast.gather()
    html = page(cast, busy_fleet(cast))

    assert "<title>Fleet nightly-review · 3 failed · Fleets</title>" in html
    for words in ("key held here", "operator-1 · team review", "$1.25", "$0.27/min"):
        assert words in html
    assert 'title="$1.240000123"' in html
    assert "sk-tan-secret" not in html


def test_a_shared_cause_is_said_once() -> None:
    cast = Cast.gather()
    assert re.search(r"3 failed, one cause:</b> tool timeout", page(cast, busy_fleet(cast)))


def test_failed_agents_stand_first_and_every_square_has_its_letter_and_name() -> None:
    cast = Cast.gather()
    html = page(cast, busy_fleet(cast))

    body = html[html.index("<tbody") :]
    assert body.index("agent-1<") < body.index("agent-4<")
    assert 'aria-label="agent-1: failed"' in html
    assert ">F</text>" in html


def test_the_page_costs_the_same_number_of_queries_for_12_and_for_120_agents(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    cast = Cast.gather()
    for agents in (12, 120):
        fleet = busy_fleet(cast, agents=agents)
        client = cast.client("operator")
        with django_assert_num_queries(10):
            client.get(reverse("fleets:fleet_detail", args=[fleet.public_id]))


def test_the_answers_of_agents_are_escaped_and_never_markup() -> None:
    cast = Cast.gather()
    html = page(cast, busy_fleet(cast), "?tab=results")

    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_the_csv_defuses_formulas_and_the_json_keeps_the_answer_whole() -> None:
    cast = Cast.gather()
    agent = AgentFactory()
    task = TaskFactory(agent=agent, response="=2+3", state=TaskState.COMPLETED)
    TurnFactory(task=task, state=TurnState.ENDED, outcome=TurnOutcome.COMPLETED, cost_nusd=3_100)
    client = cast.client("viewer")
    files = {
        kind: client.get(
            reverse("fleets:fleet_results", args=[agent.fleet.public_id, kind])
        ).content.decode()
        for kind in ("csv", "json")
    }

    (row,) = csv.DictReader(io.StringIO(files["csv"]))
    (result,) = json.loads(files["json"])["results"]
    assert row["response"] == "'=2+3"
    assert result["response"] == "=2+3"
    assert row["costUsd"] == result["costUsd"] == "0.0000031"


def test_the_peek_opens_beside_the_page_and_keeps_the_filter_in_the_address() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    url = reverse("fleets:fleet_detail", args=[fleet.public_id])
    response = cast.client("viewer").get(
        f"{url}?agent=agent-2",
        headers={
            "HX-Request": "true",
            "HX-Target": "aside#fleet-peek",
            "HX-Current-URL": f"http://testserver{url}?state=failed",
        },
    )

    html = response.content.decode()
    assert html.lstrip().startswith('<aside class="peek" id="fleet-peek"')
    assert response.headers["HX-Push-Url"] == f"{url}?state=failed&agent=agent-2"
    assert "session-" in html


def test_an_unknown_agent_in_the_address_opens_no_peek() -> None:
    cast = Cast.gather()
    assert 'id="fleet-peek" hidden' in page(cast, busy_fleet(cast), "?agent=nobody")


@pytest.mark.parametrize("target", ["fleet-state", "fleet-tab"])
def test_a_panel_that_refreshes_itself_gets_only_its_own_part(target: str) -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    response = cast.client("viewer").get(
        reverse("fleets:fleet_detail", args=[fleet.public_id]),
        headers={"HX-Request": "true", "HX-Target": f"div#{target}"},
    )

    html = response.content.decode()
    assert f'id="{target}"' in html
    assert "<html" not in html


def test_readers_see_no_way_to_act_and_operators_do() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)

    assert 'data-can="read"' in page(cast, fleet, who="viewer")
    assert 'data-can="operate"' in page(cast, fleet)
    assert 'method="post" action="/fleets/' not in page(cast, fleet, "?tab=settings", "viewer")
    assert "/afterwards" in page(cast, fleet, "?tab=settings")


def test_an_unbudgeted_fleet_says_that_nothing_limits_it() -> None:
    cast = Cast.gather()
    assert "No budget: nothing but the check" in page(cast, FleetFactory(budget_nusd=None))


def test_money_that_is_unknown_is_a_dash_and_never_zero() -> None:
    cast = Cast.gather()
    html = page(cast, FleetFactory(budget_nusd=3 * NUSD_PER_USD, spent_nusd=None))

    balance = html[html.index('<dl class="balance">') : html.index("</dl>")]
    assert "—" in balance
    assert "$0<" not in balance


def test_a_fleet_that_stopped_early_says_why_in_one_sentence() -> None:
    cast = Cast.gather()
    fleet = FleetFactory(state=FleetState.BUDGET_EXHAUSTED, stop_sentence="Stopped at $0.014.")

    assert "Budget out:</b> Stopped at $0.014." in page(cast, fleet)


def test_the_countdown_of_the_machines_is_visible_with_what_they_cost() -> None:
    cast = Cast.gather()
    due = timezone.now() + timedelta(minutes=29, seconds=12)
    fleet = FleetFactory(state=FleetState.FINISHED, cleanup_due_at=due, machines_running=9)

    html = page(cast, fleet)
    assert re.search(r"machines go in <b><time [^>]*data-t=\"until\"[^>]*>29 m 1\d s", html)
    assert "/h until then" in html
    assert "keep them" in html


def test_a_fleet_that_is_over_says_what_happened() -> None:
    cast = Cast.gather()
    fleet = FleetFactory(
        state=FleetState.FINISHED, tasks_total=50, tasks_completed=47, tasks_failed=3
    )
    assert "Finished: 47 of 50 completed, 3 failed." in page(cast, fleet)


def test_a_cut_off_that_is_not_confirmed_is_not_said_to_be_one() -> None:
    cast = Cast.gather()
    html = page(cast, FleetFactory(cut_off_requested_at=timezone.now(), state=FleetState.HELD))

    assert "the platform has not confirmed it yet" in html
    assert "refuses every further call" not in html


def test_an_open_peek_fetches_only_what_changed_of_its_agent() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    agent = fleet.agents.get(agent_id="agent-2")
    html = (
        cast.client("viewer")
        .get(
            reverse("fleets:fleet_agent", args=[fleet.public_id, "agent-2"]),
            headers={"HX-Request": "true", "HX-Target": f"div#peek-{agent.pk}"},
        )
        .content.decode()
    )

    assert f'<div id="peek-{agent.pk}"' in html
    assert "<html" not in html


def test_a_deleted_fleet_is_a_history_page_without_acts() -> None:
    cast = Cast.gather()
    html = page(cast, FleetFactory(state=FleetState.DELETED, deleted_at=timezone.now()))

    assert "this is what was" in html
    assert "Stop…" not in html


def test_an_unreachable_platform_keeps_the_last_data_and_says_how_old_it_is() -> None:
    cast = Cast.gather()
    seen = timezone.now() - timedelta(minutes=4)
    html = page(cast, FleetFactory(last_error="No answer.", platform_seen_at=seen))

    assert "No answer." in html
    assert "4 min ago" in html


def test_nothing_that_matches_shows_the_filter_and_the_way_back() -> None:
    cast = Cast.gather()
    html = page(cast, busy_fleet(cast), "?q=zebra")

    assert "Nothing matches" in html
    assert "Clear filters" in html


def test_a_fleet_without_agents_and_machines_says_so() -> None:
    cast = Cast.gather()
    fleet = FleetFactory(state=FleetState.CREATING)

    assert "No agents yet" in page(cast, fleet)
    assert "No machines yet" in page(cast, fleet, "?tab=machines")
    assert "No results yet" in page(cast, fleet, "?tab=results")
    assert "Nothing has happened yet" in page(cast, fleet, "?tab=events")


def test_above_200_agents_the_grid_leads_and_above_2000_bars_take_its_place() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    Fleet.objects.filter(pk=fleet.pk).update(agents_total=2_500, tasks_completed=2_488)

    html = page(cast, fleet)
    assert 'id="fleet-bars"' in html
    assert 'class="cell"' not in html


def test_events_are_listed_with_their_agent_and_can_be_read_for_one() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    agent = fleet.agents.get(agent_id="agent-7")
    FleetEventFactory(fleet=fleet, agent=agent, kind="agent_failed", text="failed: tool timeout")
    FleetEventFactory(fleet=fleet, text="something else")

    only = page(cast, fleet, "?tab=events&only=agent-7")
    log = only[only.index('class="events log"') :]
    assert "failed: tool timeout" in log
    assert "something else" not in log


def test_operations_of_the_fleet_are_linked() -> None:
    cast = Cast.gather()
    fleet = busy_fleet(cast)
    operation = OperationFactory(fleet=fleet, kind=OperationKind.CUT_OFF)

    assert reverse("fleets:operation_detail", args=[operation.public_id]) in page(cast, fleet)


def test_what_was_spent_is_told_as_of_its_reading_while_more_may_come() -> None:
    cast = Cast.gather()
    over = {"state": FleetState.CANCELLED, "spent_nusd": 170_000, "tasks_total": 4}
    fleet = FleetFactory(key_seen_at=timezone.now(), **over)
    assert re.search(r"\$0\.00017 spent so far, read at <time", page(cast, fleet))

    gone = FleetFactory(**{**over, "state": FleetState.DELETED}, deleted_at=timezone.now())
    html = page(cast, gone)
    assert "$0.00017 spent." in html
    assert "unspent, key revoked" in html
    assert re.search(r"remaining ?</dt>", html) is None


def test_a_fleet_being_deleted_shows_no_figures_of_work() -> None:
    cast = Cast.gather()
    now = timezone.now()
    fleet = FleetFactory(
        state=FleetState.DELETING,
        delete_requested_at=now,
        created_on_platform_at=now,
        burn_nusd_per_min=270_000_000,
        spent_nusd=1,
        remaining_nusd=2,
    )
    html = page(cast, fleet)
    for words in ("of lifetime left", "<dt>burn</dt>", "out in", "then delete"):
        assert words not in html


def test_a_page_carries_when_the_platform_was_read() -> None:
    cast = Cast.gather()
    at = timezone.now() - timedelta(seconds=45)
    fleet = FleetFactory(platform_seen_at=at, key_seen_at=at)

    assert f'id="fleet-state" data-read-at="{at.isoformat()}"' in page(cast, fleet)


def test_a_delay_of_seconds_is_shown_as_it_is_and_saved_as_it_was() -> None:
    cast = Cast.gather()
    fleet = FleetFactory(owner=cast.operator, after_delay_s=20)
    assert 'name="delay" value="20 s"' in page(cast, fleet, "?tab=settings")

    url = reverse("fleets:fleet_afterwards", args=[fleet.public_id])
    cast.client("operator").post(url, {"after": "stop", "delay": "20 s"})
    fleet.refresh_from_db()
    assert (fleet.after, fleet.after_delay_s) == ("stop", 20)
