"""What the launch form offers, and what is known of the account."""

import pytest
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import OperationKind, Role
from fleets.selectors.launch_options import account_facts, launch_options
from tests.factories import (
    ConnectionFactory,
    FleetFactory,
    OperationFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


def test_an_operator_is_offered_the_own_teams_and_an_admin_all() -> None:
    mine = TeamFactory(name="review", slug="review")
    TeamFactory(name="search", slug="search")
    assert launch_options(UserFactory(teams=[mine])).teams == [("review", "review")]
    admin = launch_options(UserFactory(role=Role.ADMIN))
    assert [slug for slug, _ in admin.teams] == ["review", "search"]


def test_without_a_connection_nothing_is_known() -> None:
    assert launch_options(UserFactory()).connection is None
    assert account_facts() is None


def test_machines_in_use_are_those_of_the_account_and_its_allowance_is_unknown() -> None:
    connection = ConnectionFactory(rate_per_minute=300)
    FleetFactory(connection=connection, machines_running=4)
    FleetFactory(connection=connection, machines_running=3)
    FleetFactory(machines_running=9)
    facts = account_facts()
    assert facts is not None
    assert (facts.machines_running, facts.requests_per_minute) == (7, 300)
    assert (facts.machines_allowed, facts.credit_nusd) == (None, None)


def test_options_cost_three_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    ConnectionFactory()
    user = UserFactory(teams=TeamFactory.create_batch(5))
    with django_assert_num_queries(3):
        launch_options(user)


def test_machines_of_the_sample_data_are_not_in_use() -> None:
    connection = ConnectionFactory()
    FleetFactory(connection=connection, machines_running=4)
    sample = FleetFactory(connection=connection, machines_running=473)
    OperationFactory(fleet=sample, kind=OperationKind.LAUNCH, door="demo")

    facts = account_facts()
    assert facts is not None
    assert facts.machines_running == 4
