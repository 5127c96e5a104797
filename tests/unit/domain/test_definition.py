"""Definitions: one document, read strictly, and the launch that it stands for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.csv_rows import read_table
from fleets.domain.definition import check_definition, read_definition
from fleets.domain.errors import InvalidInput, NotFoundHere, Problem
from fleets.domain.expansion import Expansion, expand
from fleets.domain.machine_needs import NEEDS, needs_of
from fleets.domain.placement import PerMachine
from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.domain.spec import prompt_for
from fleets.domain.status import Afterwards

ROWS = read_table("Path;Ask\na.py;Review\nb.py;Test\n".encode("utf-16"))
MACHINE: dict[str, Any] = {
    "image": "node:22",
    "git": {"url": "https://github.com/acme/monorepo.git", "ref": "main"},
    "files": [{"path": "notes/style.md", "content": "Be brief.\n"}],
    "setup": {"command": "npm ci", "timeout": "90 s"},
    "secrets": ["GITHUB_TOKEN"],
    "egress": {"domains": ["api.github.com", "*.example.org"], "includeImplicit": False},
}


def counted(**more: Any) -> dict[str, Any]:
    return {"name": "review", "agents": {"count": 3}, "message": "Do {index}", **more}


def matrix(**more: Any) -> dict[str, Any]:
    return {"name": "review", "agents": {"matrix": more}, "message": "{ask} {path}"}


def problems(body: Any) -> dict[str, str]:
    return {problem.place: problem.message for problem in check_definition(body).problems}


@dataclass(frozen=True)
class Saved:
    body: Mapping[str, Any]
    revision_id: int


def resolve(ref: ProfileRef) -> Saved:
    known = {"fast": {"name": "Fast", "harness": "opencode"}, "deep": {"name": "Deep"}}
    if ref.slug not in known:
        raise NotFoundHere("profile", ref.slug)
    return Saved(known[ref.slug], 40 + len(ref.slug) + (ref.number or 0))


def launch(body: Any, table: Any = ROWS) -> Expansion:
    return expand(read_definition(body), table=table, resolve=resolve)


def refused(body: Any, table: Any = ROWS) -> Problem:
    definition = read_definition(body)
    with pytest.raises(InvalidInput) as caught:
        expand(definition, table=table, resolve=resolve)
    return caught.value.problems[0]


def test_a_document_is_the_launch_that_it_says() -> None:
    spec = launch(
        counted(
            model="gpt-4.1-nano", placement={"agentsPerSandbox": 2}, budgetUsd="3.00", atOnce=2,
            lifetime="2 h", taskTimeout="5 min", afterwards="keep", tags=["a", "b"],
            machine=MACHINE,
        )
    ).spec  # fmt: skip
    assert (spec.count, spec.prompt, spec.budget_nusd) == (3, "Do {index}", 3_000_000_000)
    assert (spec.placement, spec.at_once, spec.after) == (PerMachine(2), 2, Afterwards.KEEP)
    assert (spec.lifetime_s, spec.task_timeout_s, spec.tags) == (7_200, 300, ("a", "b"))
    assert spec.machine.as_json == MACHINE


def test_three_profiles_and_two_rows_are_six_agents_with_their_own_prompts() -> None:
    profiles = [
        {"profile": {"profileId": "fast"}},
        {"profile": {"profileId": "deep", "fixed": 4}, "model": "gpt-4.1"},
        {"name": "plain", "harness": "codex", "placement": "dedicated"},
    ]
    body = matrix(profiles=profiles)
    made = launch(body)
    assert [plan.agent_id for plan in made.spec.agents[:3]] == [
        "row-1-fast", "row-1-deep", "row-1-plain",
    ]  # fmt: skip
    assert [plan.task for plan in made.spec.agents] == ["Review a.py"] * 3 + ["Test b.py"] * 3
    assert made.rows == ((1,),) * 3 + ((2,),) * 3
    assert made.profiles[:3] == ("fast", "deep", "plain")
    assert [plan.saved for plan in made.spec.agents[:3]] == [44, 48, None]
    assert [plan.model for plan in made.spec.agents[:2]] == ["gpt-4.1-mini", "gpt-4.1"]
    assert read_definition(body).refs == (
        ProfileRef("fast"),
        ProfileRef("deep", RefMode.FIXED, 4),
    )


def test_a_launch_sends_the_prompts_that_were_shown() -> None:
    made = launch(matrix())
    shown = [plan.task for plan in made.spec.agents]
    sent = [
        prompt_for(plan, index=index, template=made.spec.template)
        for index, plan in enumerate(made.spec.plans, start=1)
    ]
    assert sent == shown


def test_agents_of_one_profile_share_it_and_those_without_are_numbered() -> None:
    body = counted(agents={"count": 2, "profile": {"profileId": "fast"}})
    spec = launch(body).spec
    assert [(plan.agent_id, plan.profile_name) for plan in spec.plans] == [
        ("agent-1", "Fast"), ("agent-2", "Fast"),
    ]  # fmt: skip
    assert launch(counted()).spec.agents == ()


def test_a_list_of_agents_is_read_like_a_file_of_them() -> None:
    agents = [{"agentId": "a", "task": "x"}, {"task": "y", "profile": {"profileId": "deep"}}]
    body = {"name": "two", "agents": {"list": agents}}
    assert [plan.task for plan in launch(body).spec.agents] == ["x", "y"]
    agents.append({"agentId": "a"})
    assert "list[0] has the same id" in problems(body)["agents.list[2].agentId"]


def test_rows_that_come_with_the_launch_are_asked_for() -> None:
    body = matrix(rows="ask")
    assert read_definition(body).asks_for_rows
    assert refused(body, None).place == "rows"


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ([], "definition", "must be an object"),
        ({}, "agents", "is missing"),
        (counted(mesage="x"), "mesage", "is no field here; did you mean message?"),
        (counted(harness="codx"), "harness", "Did you mean codex?"),
        (counted(budgetUsd="0"), "budgetUsd", "refuses every call"),
        (counted(budgetUsd=True), "budgetUsd", "is dollars such as"),
        (counted(lifetime="soon"), "lifetime", "no duration"),
        (counted(taskTimeout="2 h"), "taskTimeout", "live only"),
        (counted(placement="alone"), "placement", "auto, dedicated"),
        (counted(afterwards="leave"), "afterwards", "no choice"),
        (counted(model="zai/glm-5.3", harness="codex"), "model", "runs only models of openai"),
        (counted(message="{agnt_id}"), "message", "Did you mean {agent_id}?"),
        (counted(message=""), "message", "what should each agent do?"),
        (counted(agents={}), "agents", "say one of count, list, matrix and machines"),
        (counted(agents={"count": 1, "list": []}), "agents", "leave one of them"),
        (counted(agents={"count": 10_001}), "agents.count", "from 1 to 10,000"),
        (counted(agents={"list": []}), "agents.list", "at least 1"),
        (counted(agents={"list": [{"tsk": "x"}]}), "agents.list[0].tsk", "task"),
        (counted(agents={"matrix": {"rows": "x"}}), "agents.matrix.rows", "“ask”"),
        (matrix(rowText="x"), "agents.matrix.rowText", "several rows"),
        (matrix(groupBy="a", rowsPerAgent=2), "agents.matrix.rowsPerAgent", "exclude each other"),
        (matrix(columns={"tsak": "x"}), "agents.matrix.columns.tsak", "did you mean task?"),
        (matrix(columns={"profile": "x"}), "agents.matrix.columns.profile", "list them"),
        (
            matrix(profiles=[{"profile": {"profileId": "p"}}, {"profile": {"profileId": "p"}}]),
            "agents.matrix.profiles[1].name",
            "has the same name",
        ),
        (
            matrix(profiles=[{"profile": {"nmae": "x"}}]),
            "agents.matrix.profiles[0].profile.nmae",
            "is no field",
        ),
        (counted(machine={"image": "a b"}), "machine.image", "universal"),
        (counted(machine={"image": "a", "template": "t"}), "machine.template", "exclude"),
        (counted(machine={"git": {"ref": "x"}}), "machine.git.url", "is missing"),
        (counted(machine={"git": {"url": "acme"}}), "machine.git.url", "an address such as"),
        (counted(machine={"git": {"url": "ssh://a/b", "ref": "-x"}}), "machine.git.ref", "branch"),
        (counted(machine={"setup": {"command": " "}}), "machine.setup.command", "empty"),
        (counted(machine={"secrets": ["A", "A"]}), "machine.secrets[1]", "second time"),
        (counted(machine={"secrets": ["a b"]}), "machine.secrets[0]", "name of a secret"),
        (
            counted(machine={"egress": {"domains": ["http://a"]}}),
            "machine.egress.domains[0]",
            "domain",
        ),
        (counted(machine={"egress": {"domains": []}}), "machine.egress.domains", "at least 1"),
        (counted(answer={"shape": "xml"}), "answer.shape", "must be one of"),
        (counted(machine={"egres": {}}), "machine.egres", "did you mean egress?"),
    ],
)  # fmt: skip
def test_each_mistake_is_named_by_its_path_with_what_would_be_right(
    body: Any, place: str, words: str
) -> None:
    assert words in problems(body)[place]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../b", "~/x", "a//b", "c:\\x", "", "a\nb", "./a"]
)
def test_files_stay_within_the_workspace(path: str) -> None:
    body = counted(machine={"files": [{"path": path, "content": ""}]})
    assert "machine.files[0].path" in problems(body)


def test_a_secret_is_refused_wherever_it_stands_and_never_repeated() -> None:
    secret = "ghp_" + "b2" * 12
    body = counted(
        message=f"use {secret}",
        machine={"setup": {"command": f"export T={secret}"}, "files": [
            {"path": "x", "content": secret},
        ]},
    )  # fmt: skip
    found = problems(body)
    assert {"message", "machine.setup.command", "machine.files[0].content"} <= found.keys()
    assert secret not in str(found)


def test_saved_profiles_that_are_not_there_are_named_by_their_place() -> None:
    problem = refused(matrix(profiles=[{"profile": {"profileId": "fats"}}]))
    assert problem.place == "agents.matrix.profiles[0].profile"
    assert "There is no profile fats here" in problem.message


def test_a_row_without_a_prompt_is_named_by_its_line() -> None:
    table = read_table(b"task,b\nx,1\n,2\n")
    body = {"name": "n", "agents": {"matrix": {"columns": {"task": "task"}}}}
    assert refused(body, table).message == "Line 3: nothing is asked: the prompt is empty."


def test_ten_thousand_agents_are_made_and_one_more_is_refused() -> None:
    rows = b"Ask,Path\n" + b"a,b\n" * 5_000
    two = [{"name": "a"}, {"name": "b"}]
    assert launch(matrix(profiles=two), read_table(rows)).spec.count == 10_000
    three = matrix(profiles=[*two, {"name": "c"}])
    assert "15,000 agents" in refused(three, read_table(rows)).message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 20_000) | st.text(max_size=6),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["count", "list", "matrix", "name", "profile", "url", "rows", "x"]),
            below,
            max_size=3,
        )
    ),
    max_leaves=6,
)
KEYS = [
    "agents", "message", "harness", "placement", "budgetUsd", "atOnce", "lifetime", "tags",
    "machine", "description", "other",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(changes=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3))
def test_whatever_stands_in_a_document_is_read_or_refused_at_a_place(
    changes: dict[str, Any],
) -> None:
    read = check_definition(counted(**changes))
    assert (read.definition is None) == bool(read.problems)
    if read.definition is not None:
        base = replace(read.definition.base, name="other")
        assert base.name == "other"


@settings(max_examples=60, deadline=None)
@given(needs=st.fixed_dictionaries({}, optional={key: st.just(MACHINE[key]) for key in MACHINE}))
def test_what_machines_get_is_written_back_as_it_was(needs: dict[str, Any]) -> None:
    note: list[Any] = []
    NEEDS(needs, (), note)
    assert note == []
    assert needs_of(needs).as_json == needs


def test_a_launch_asks_of_answers_what_its_recipe_asks() -> None:
    spec = launch(counted(answer={"check": {"kind": "not_empty"}})).spec
    assert spec.answer.kind == "not_empty"
