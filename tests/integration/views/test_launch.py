"""Launching from the browser: the form, its preflight, refusals, and one launch per form."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import Afterwards
from fleets.models import Fleet, User
from tests.factories import ConnectionFactory, FleetFactory, TeamFactory, UserFactory
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

NEW, PREVIEW, LAUNCH = "/fleets/new", "/fleets/new/preview", "/fleets/launch"
TYPED = {
    "name": "nightly-review",
    "team": "review",
    "count": "50",
    "prompt": "Review shard {index}.",
    "harness": "opencode",
    "model": "gpt-4.1-mini",
    "size": "small",
    "budget": "3.00",
    "at_once": "auto",
    "after": "delete",
    "after_delay": "30 min",
    "lifetime": "1 h",
    "task_timeout": "10 min",
    "tags": "night, review",
    "idempotency_key": "0123456789abcdef",
}
LAUNCHERS = {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404}


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory(name="research-prod")
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def preview(client: Client, **changes: str) -> str:
    headers = {"HX-Request": "true", "HX-Target": "section#preflight"}
    response = client.post(PREVIEW, {**TYPED, **changes}, headers=headers)
    assert response.status_code == 200
    return one_line(response)


def limited(limit_nusd: int, cast: Cast) -> Client:
    User.objects.filter(pk=cast.operator.pk).update(spend_limit_nusd=limit_nusd)
    return cast.client("operator")


def test_operators_see_the_form_and_viewers_are_told_who_can_help(cast: Cast) -> None:
    cast.expect(reverse("fleets:fleet_new"), "GET", LAUNCHERS)
    assert "Ask an admin for it." in one_line(cast.client("viewer").get(NEW))


def test_operators_get_a_preview_and_nobody_else(cast: Cast) -> None:
    cast.expect(reverse("fleets:fleet_preview"), "POST", LAUNCHERS, data=TYPED)


def test_operators_launch_and_nobody_else(cast: Cast) -> None:
    expected = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
    cast.expect(reverse("fleets:fleet_launch"), "POST", expected, data=TYPED)


def test_a_launch_leads_to_its_fleet_with_everything_that_was_asked_for(
    client: Client, cast: Cast
) -> None:
    response: Any = client.post(LAUNCH, TYPED)
    fleet = Fleet.objects.get()
    assert response.url == reverse("fleets:fleet_detail", args=[fleet.public_id])
    assert (fleet.name, fleet.owner, fleet.team) == ("nightly-review", cast.operator, cast.team)
    assert (fleet.agents_total, fleet.budget_nusd, fleet.at_once) == (50, 3_000_000_000, None)
    assert (fleet.after, fleet.after_delay_s, fleet.lifetime_s) == (Afterwards.DELETE, 1800, 3600)
    assert fleet.tags == ["night", "review"]


def test_a_form_sent_twice_launches_once(client: Client) -> None:
    first: Any = client.post(LAUNCH, TYPED)
    second: Any = client.post(LAUNCH, TYPED)
    assert first.url == second.url
    assert Fleet.objects.count() == 1


def test_a_form_sent_again_with_other_values_says_what_it_launched(client: Client) -> None:
    client.post(LAUNCH, TYPED)
    refused = client.post(LAUNCH, {**TYPED, "name": "another"})
    assert refused.status_code == 422
    assert "has launched the fleet nightly-review already, with other values" in one_line(refused)
    assert Fleet.objects.count() == 1

    key = refused.context["form"]["idempotency_key"].value()
    assert key != TYPED["idempotency_key"]
    client.post(LAUNCH, {**TYPED, "name": "another", "idempotency_key": key})
    assert set(Fleet.objects.values_list("name", flat=True)) == {"nightly-review", "another"}


def test_the_key_of_somebody_else_launches_a_fleet_of_ones_own(cast: Cast) -> None:
    first: Any = cast.client("operator").post(LAUNCH, TYPED)
    second: Any = cast.client("admin").post(LAUNCH, TYPED)
    assert first.url != second.url
    owners = set(Fleet.objects.values_list("owner", flat=True))
    assert owners == {cast.operator.pk, cast.admin.pk}


def test_every_form_has_a_key_of_its_own(client: Client) -> None:
    keys = {client.get(NEW).context["form"].initial["idempotency_key"] for _ in range(2)}
    assert len(keys) == 2


@pytest.mark.parametrize("broken", ["", "short", "x" * 81])
def test_a_form_without_its_key_launches_nothing_says_so_and_gets_one(
    client: Client, broken: str
) -> None:
    refused = client.post(LAUNCH, {**TYPED, "idempotency_key": broken})
    assert refused.status_code == 422
    assert "key was missing or broken" in one_line(refused)
    assert not Fleet.objects.exists()
    key = refused.context["form"]["idempotency_key"].value()
    assert client.post(LAUNCH, {**TYPED, "idempotency_key": key}).status_code == 303


def test_a_refused_form_keeps_what_was_typed_and_leads_to_the_fields(client: Client) -> None:
    typed = {**TYPED, "count": "many", "prompt": "Look at {shard}.", "name": "half-done"}
    response = client.post(LAUNCH, typed)
    page = one_line(response)
    assert response.status_code == 422
    assert not Fleet.objects.exists()
    for kept in ('value="many"', "Look at {shard}.", 'value="half-done"', TYPED["idempotency_key"]):
        assert kept in page
    assert 'href="#id_count"' in page
    assert 'href="#id_prompt"' in page
    assert "autofocus" in page[page.index('role="alert" tabindex="-1"') :][:80]
    assert 'aria-describedby="id_prompt_helptext id_prompt_error"' in page


def test_a_new_form_does_not_scold(client: Client) -> None:
    page = one_line(client.get(NEW))
    assert "aria-invalid" not in page
    assert "Still to fill in: Name, Prompt" in page
    assert "Launch 10 agents, ≤ $1.00" in page


def test_the_act_names_the_count_and_the_ceiling(client: Client) -> None:
    assert "Launch 50 agents, ≤ $3.00" in preview(client)
    assert "Launch 1 agent, ≤ $0.50" in preview(client, count="1", budget="0.5")


def test_the_preview_is_a_fragment_with_the_act_beside_it(client: Client) -> None:
    answer = preview(client)
    assert answer.lstrip().startswith("<section")
    assert '<hx-partial hx-target="#launch-act"' in answer
    assert "<form" not in answer


def test_the_preview_shows_machines_costs_holds_and_the_first_prompt(client: Client) -> None:
    answer = preview(client)
    for words in (
        "9 machines of 4.0 GiB",
        "machine",
        "3.5 / 4.0",
        "model calls",
        "The budget stops it at $3.00.",
        "one worst-case call",
        "Review shard 1.",
        "300/min",
    ):
        assert words in answer
    assert "~ $" in answer
    assert "≤ $" in answer


def test_what_is_unknown_of_the_account_is_a_dash(client: Client) -> None:
    FleetFactory(machines_running=4, connection=ConnectionFactory._meta.model.objects.first())
    answer = preview(client)
    assert "4 in use + 9 of —" in answer
    assert '<dd> — <span class="sub">not known</span>' in answer


def test_a_model_without_a_price_is_not_free(client: Client) -> None:
    answer = preview(client, model="acme/brand-new")
    assert "No price is known for acme/brand-new" in answer
    assert '<td class="num">—</td>' in answer


def test_a_warning_offers_its_repair_and_the_repair_is_applied(client: Client) -> None:
    answer = preview(client, at_once="50", budget="1.00")
    assert 'name="repair" value="at_once=auto"' in answer
    headers = {"HX-Request": "true", "HX-Target": "launch"}
    typed = {**TYPED, "at_once": "50", "budget": "1.00", "repair": "at_once=auto"}
    page = one_line(client.post(PREVIEW, typed, headers=headers))
    assert page.lstrip().startswith("<div")
    field = page[page.index('name="at_once"') :][:200]
    assert 'value="auto"' in field
    assert "autofocus" in field
    assert 'value="nightly-review"' in page


def test_a_repair_of_no_field_changes_nothing(client: Client) -> None:
    response = client.post(PREVIEW, {**TYPED, "repair": "is_admin=1"})
    assert response.status_code == 200
    assert "is_admin" not in one_line(response)


def test_without_scripts_checking_gives_the_whole_page(client: Client) -> None:
    response = client.post(PREVIEW, {**TYPED, "count": "7"})
    page = one_line(response)
    assert response.status_code == 200
    assert "<!doctype html>" in page
    assert 'value="7"' in page
    assert "Launch 7 agents, ≤ $3.00" in page
    assert not Fleet.objects.exists()


def test_a_problem_is_named_by_its_field_and_stops_the_launch(client: Client) -> None:
    answer = preview(client, lifetime="a while")
    assert '<a class="at" href="#id_lifetime">Lifetime</a>' in answer
    assert "1 problem stops launch" in answer
    assert "Fix 1 problem first" in answer


def test_over_the_own_limit_is_refused_with_who_can_help(cast: Cast) -> None:
    client = limited(1_000_000_000, cast)
    assert "an admin can raise it" in preview(client)
    response = client.post(LAUNCH, TYPED)
    assert response.status_code == 422
    assert "Over your limit of $1.00" in one_line(response)
    assert not Fleet.objects.exists()


def test_only_admins_launch_without_a_budget(cast: Cast) -> None:
    typed = {**TYPED, "budget": ""}
    refused = cast.client("operator").post(LAUNCH, typed)
    assert refused.status_code == 422
    assert "only an admin may launch without one" in one_line(refused)
    assert cast.client("admin").post(LAUNCH, typed).status_code == 303
    assert Fleet.objects.get().budget_nusd is None


def test_a_budget_that_the_platform_would_refuse_is_refused_here(client: Client) -> None:
    response = client.post(LAUNCH, {**TYPED, "budget": "0.10"})
    assert response.status_code == 422
    assert not Fleet.objects.exists()


def test_a_team_of_others_is_refused(client: Client) -> None:
    TeamFactory(name="search", slug="search")
    response = client.post(LAUNCH, {**TYPED, "team": "search"})
    assert response.status_code == 422
    assert "You are not in the team search. Yours: review." in one_line(response)


def test_an_admin_launches_for_any_team(cast: Cast) -> None:
    team = TeamFactory(name="search", slug="search")
    cast.client("admin").post(LAUNCH, {**TYPED, "team": "search"})
    assert Fleet.objects.get().team == team


def test_somebody_in_no_team_is_told_who_can_help(cast: Cast) -> None:
    cast.operator.teams.clear()
    assert "You are in no team yet." in one_line(cast.client("operator").get(NEW))


def test_a_key_in_the_prompt_is_refused_and_not_quoted(client: Client) -> None:
    answer = preview(client, prompt="use sk-proj-abcdefghijklmnopqrstuvwxyz0123456789")
    assert "1 problem stops launch" in answer
    assert "abcdefghijklmnop" not in answer


def test_what_is_typed_is_only_text(client: Client) -> None:
    response = client.post(LAUNCH, {**TYPED, "count": "x", "prompt": "</textarea><script>"})
    assert "<script>" not in one_line(response).partition("<main")[2]


def test_like_this_one_fills_everything_in(client: Client, cast: Cast) -> None:
    fleet = FleetFactory(
        name="nightly-review",
        team=cast.team,
        prompt="Review shard {index}.",
        agents_total=12,
        budget_nusd=250_000_000,
        at_once=4,
        tags=["night"],
    )
    response = client.get(NEW, {"from": fleet.public_id})
    values = response.context["form"].initial
    assert (values["name"], values["count"], values["budget"]) == ("nightly-review", "12", "0.25")
    assert (values["at_once"], values["team"], values["tags"]) == ("4", "review", "night")
    assert "Launch 12 agents, ≤ $0.25" in one_line(response)


def test_like_a_fleet_that_does_not_exist_is_not_found(client: Client) -> None:
    assert client.get(NEW, {"from": "fleet-nothing"}).status_code == 404


def test_without_an_account_there_is_no_form(db: None) -> None:
    cast = Cast.gather()
    page = one_line(cast.client("operator").get(NEW))
    assert "No platform account is connected" in page
    assert 'id="launch-form"' not in page


@pytest.mark.parametrize("count", ["1", "10000"])
def test_the_preview_costs_the_same_queries_for_one_agent_and_for_many(
    client: Client, count: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    # Session, user, teams, connection, account (connection, machines in use).
    with django_assert_num_queries(7):
        preview(client, count=count)


def test_the_list_of_teams_is_the_persons_own(cast: Cast) -> None:
    TeamFactory(name="search", slug="search")
    operator = UserFactory(teams=[cast.team])
    client = Client()
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    assert 'value="search"' not in one_line(client.get(NEW))
    assert 'value="search"' in one_line(cast.client("admin").get(NEW))
