"""Profiles × rows: no row lost, order kept, ids legal, the exact prompt of each agent."""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.agent_plan import AgentAsked
from fleets.domain.csv_rows import Table, read_table
from fleets.domain.errors import InvalidInput
from fleets.domain.ids import AGENT_ID
from fleets.domain.matrix import Matrix, Variant, cells
from fleets.domain.matrix_prompts import check_message, field_names, prompt_of

CITIES = read_table(
    b"Id,City,Year built,Task\nA1,Bern,1191,Walk\nA2,Basel,1225,Row\nA3,Bern,1405,Climb\n"
)
FAST = Variant("fast", AgentAsked("", harness="opencode"))
DEEP = Variant("deep", AgentAsked("", harness="codex"))


def prompts(matrix: Matrix, message: str, table: Table = CITIES) -> list[str]:
    names = field_names(matrix, table.columns)
    return [
        prompt_of(matrix, table, cell, index=index, message=message, names=names)
        for index, cell in enumerate(cells(matrix, table), start=1)
    ]


def refused(matrix: Matrix, message: str = "{task}", table: Table = CITIES) -> str:
    def make() -> None:
        check_message(message, matrix, table.columns)
        cells(matrix, table)

    with pytest.raises(InvalidInput) as caught:
        make()
    return caught.value.problems[0].message


def test_each_row_meets_each_profile_and_rows_keep_their_order() -> None:
    matrix = Matrix((FAST, DEEP), id_column="id")
    grid = cells(matrix, CITIES)
    assert [cell.agent_id for cell in grid[:4]] == ["A1-fast", "A1-deep", "A2-fast", "A2-deep"]
    assert [cell.rows for cell in grid] == [(0,), (0,), (1,), (1,), (2,), (2,)]


def test_a_message_names_columns_by_their_plain_names() -> None:
    asked = prompts(Matrix((FAST,)), "{index} {agent_id} {profile}: {city} of {year_built}")
    assert asked[1] == "2 row-2 fast: Basel of 1225"


def test_without_a_message_the_task_column_is_the_prompt() -> None:
    assert prompts(Matrix(task_column="Task"), "") == ["Walk", "Row", "Climb"]


def test_a_column_can_choose_the_profile_of_its_row() -> None:
    table = read_table(b"Who,What\ndeep,x\nFAST,y\n")
    grid = cells(Matrix((FAST, DEEP), profile_column="Who"), table)
    assert [cell.variant.name for cell in grid if cell.variant] == ["deep", "fast"]
    words = refused(
        Matrix((FAST, DEEP), profile_column="Who"), "x", read_table(b"Who,What\ndepp,x\n")
    )
    assert words == "Line 2, Who: no profile “depp” here. Did you mean deep?"


def test_rows_can_be_shared_out_or_grouped_by_a_column() -> None:
    shared = Matrix(rows_per_agent=2, task_column="Task")
    assert prompts(shared, "{row_count} tasks:\n{rows}") == [
        "2 tasks:\nWalk\nRow",
        "1 tasks:\nClimb",
    ]
    grouped = Matrix(group_by="City", row_text="{row}. {task}")
    assert prompts(grouped, "{city}: {rows}") == ["Bern: 1. Walk\n3. Climb", "Basel: 2. Row"]
    assert [cell.agent_id for cell in cells(grouped, CITIES)] == ["Bern", "Basel"]
    assert prompts(Matrix(group_by="City"), "")[1] == "- Id: A2, Year built: 1225, Task: Row"


def test_what_differs_between_the_rows_of_an_agent_has_its_own_place() -> None:
    words = refused(Matrix(group_by="City"), "{city} {task}")
    assert words.startswith("{task} differs from row to row")
    assert "rowText" in words


def test_an_unknown_field_or_column_is_answered_with_the_nearest() -> None:
    assert "Did you mean {year_built}?" in refused(Matrix(), "{yearbuilt}")
    assert "Did you mean “City”?" in refused(Matrix(group_by="Citty"), "{rows}")


def test_fields_can_be_named_and_do_not_hide_what_has_a_meaning() -> None:
    table = read_table(b"index,Profile,2nd,\xc3\x9cber,Task\n7,p,x,y,z\n")
    names = field_names(Matrix(fields={"number": "index"}), table.columns)
    assert names == {"number": 0, "profile_2": 1, "c_2nd": 2, "uber": 3, "task": 4}


def test_ids_are_made_legal_and_unique() -> None:
    data = "id\nMüller & Söhne\nmuller-sohne\nMuller-Sohne\n日本\nMüller & Söhne\n".encode()
    grid = cells(Matrix(id_column="id"), read_table(data))
    assert [cell.agent_id for cell in grid] == [
        "Muller-Sohne", "muller-sohne", "Muller-Sohne-2", "row-4", "Muller-Sohne-3",
    ]  # fmt: skip


def test_more_agents_than_fit_are_refused_before_any_is_made() -> None:
    table = read_table(b"t\n" + b"x\n" * 6_000)
    assert "6,000 × 2 are 12,000 agents" in refused(Matrix((FAST, DEEP)), "x", table)


CELL = st.text(st.sampled_from("aAbÄß 7-_.{}\n&日"), max_size=70)


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    values=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=25),
    variants=st.integers(0, 3),
    per_agent=st.integers(1, 4),
    is_grouped=st.booleans(),
)
def test_no_row_is_lost_and_every_id_is_legal(
    data: Any, values: list[tuple[str, str]], variants: int, per_agent: int, is_grouped: bool
) -> None:
    rows = tuple(values)
    table = Table(("Name", "Text"), rows, tuple(range(2, len(rows) + 2)), ",", "utf-8")
    matrix = Matrix(
        tuple(Variant(f"v {number}", AgentAsked("")) for number in range(variants)),
        id_column=data.draw(st.sampled_from(["", "Name"])),
        group_by="Name" if is_grouped else "",
        rows_per_agent=1 if is_grouped else per_agent,
        row_text="<{row}|{text}>" if is_grouped or per_agent > 1 else "",
    )
    grid = cells(matrix, table)
    seen = Counter(row for cell in grid for row in cell.rows)
    assert seen == dict.fromkeys(range(len(rows)), max(1, variants))
    assert len({cell.agent_id for cell in grid}) == len(grid)
    assert all(AGENT_ID.fullmatch(cell.agent_id) for cell in grid)
    assert [cell.rows[0] for cell in grid] == sorted(cell.rows[0] for cell in grid)
    assert all(list(cell.rows) == sorted(cell.rows) for cell in grid)
    message = "{rows}" if matrix.has_many else "<{row}|{text}>"
    for cell, prompt in zip(grid, prompts(matrix, message, table), strict=True):
        wanted = "\n".join(f"<{row + 1}|{rows[row][1]}>" for row in cell.rows)
        assert prompt == wanted
    assert not re.search(r"\s", "".join(cell.agent_id for cell in grid))
