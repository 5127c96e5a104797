"""Secrets by name, and the machines that see them."""

import pytest

from tests.unit.emulator.bench import Bench

PATH = "/sandbox/v1/secrets"


@pytest.fixture
def bench() -> Bench:
    made = Bench(failure_share=0.0)
    assert made.call("POST", PATH, {"name": "TOKEN", "value": "one"}).status == 201
    return made


def test_a_name_is_taken_once_and_free_again_after_its_deletion(bench: Bench) -> None:
    again = {"name": "TOKEN", "value": "two"}
    assert bench.call("POST", PATH, again).status == 409
    assert bench.call("GET", f"{PATH}/TOKEN").json == {"value": "one"}
    assert bench.call("DELETE", f"{PATH}/TOKEN").status == 200
    assert bench.call("GET", f"{PATH}/TOKEN").status == 404
    assert bench.call("DELETE", f"{PATH}/TOKEN").status == 404
    assert bench.call("POST", PATH, again).status == 201


def test_list_shows_names_and_times_and_no_value(bench: Bench) -> None:
    bench.run_for(5)
    assert bench.call("PATCH", f"{PATH}/TOKEN", {"value": "two"}).status == 200
    (row,) = bench.call("GET", PATH).json["secrets"]
    assert set(row) == {"name", "createdAt", "updatedAt"}
    assert row["updatedAt"] > row["createdAt"]


def test_machine_sees_the_value_of_its_create(bench: Bench) -> None:
    bench.call("POST", PATH, {"name": "OTHER", "value": "x"})
    (named,) = bench.fleet(defaults={"secrets": ["TOKEN"]})
    (every,) = bench.fleet(fleet_id="fleet-b", defaults={"secrets": "all"})
    bench.call("PATCH", f"{PATH}/TOKEN", {"value": "two"})
    commands = f"/sandbox/v1/sandboxes/{named}/runtime/terminals/commands"
    reply = bench.call("POST", commands, {"command": "echo $TOKEN-$OTHER"})
    assert reply.json["result"]["stdout"] == "one-\n"
    assert {"TOKEN", "OTHER"} <= set(bench.world.machines[every].env)


def test_only_the_account_key_reads_and_writes(bench: Bench) -> None:
    _key_id, secret = bench.mint(1)
    for method, path, body in (
        ("GET", PATH, None),
        ("GET", f"{PATH}/TOKEN", None),
        ("POST", PATH, {"name": "A", "value": "b"}),
        ("PATCH", f"{PATH}/TOKEN", {"value": "b"}),
        ("DELETE", f"{PATH}/TOKEN", None),
    ):
        assert bench.call(method, path, body, key=secret).status == 403
    assert bench.call("GET", f"{PATH}/TOKEN").json == {"value": "one"}


@pytest.mark.parametrize("name", ["", "1A", "a-b", "a b", "x" * 129])
def test_name_is_that_of_a_variable(bench: Bench, name: str) -> None:
    assert bench.call("POST", PATH, {"name": name, "value": "v"}).status == 400
