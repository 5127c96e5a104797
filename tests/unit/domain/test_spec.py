"""Reading a launch: all problems at once, each at its field, nothing secret repeated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.spec import LaunchSpec, parse_launch
from fleets.domain.status import Afterwards

GOOD = {"name": "nightly-review", "team": "review", "count": "50", "prompt": "Review {index}."}
FIELDS = [
    *("name", "team", "count", "prompt", "harness", "model", "size", "budget", "at_once"),
    *("after", "after_delay", "lifetime", "task_timeout", "tags"),
]


def problems_of(**changed: str) -> tuple[Problem, ...]:
    with pytest.raises(InvalidInput) as caught:
        parse_launch({**GOOD, **changed})
    return caught.value.problems


def test_what_is_left_out_takes_its_default() -> None:
    assert parse_launch(GOOD) == LaunchSpec(
        name="nightly-review", team_slug="review", count=50, prompt="Review {index}."
    )


def test_every_field_is_read() -> None:
    spec = parse_launch(
        {
            **GOOD,
            "count": "1,000",
            "harness": "codex",
            "model": "openai/gpt-5.5",
            "size": "large",
            "budget": "$3.00",
            "at_once": "25",
            "after": "stop",
            "after_delay": "10 min",
            "lifetime": "2 h",
            "task_timeout": "90 s",
            "tags": "nightly, review, nightly",
        }
    )
    assert (spec.count, spec.harness, spec.model) == (1_000, "codex", "openai/gpt-5.5")
    assert (spec.budget_nusd, spec.at_once) == (3_000_000_000, 25)
    assert (spec.after, spec.after_delay_s) == (Afterwards.STOP, 600)
    assert (spec.lifetime_s, spec.task_timeout_s) == (7_200, 90)
    assert spec.tags == ("nightly", "review")
    assert spec.machine_size.vcpus == 8


def test_auto_and_an_empty_budget_are_none() -> None:
    spec = parse_launch({**GOOD, "at_once": "AUTO", "budget": " "})
    assert (spec.at_once, spec.budget_nusd) == (None, None)


def test_all_problems_are_told_at_once_and_in_the_order_of_the_fields() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_launch({"count": "0", "budget": "three", "after": "never"})
    places = [problem.place for problem in caught.value.problems]
    assert places == ["name", "team", "count", "prompt", "budget", "after"]


@pytest.mark.parametrize(
    ("field", "text", "says", "repair"),
    [
        ("name", "a" * 81, "at most 80", None),
        ("name", "two\nlines", "one line", None),
        ("team", "no team", "no team's short name", None),
        ("count", "0", "from 1 to 10,000, not 0", "1"),
        ("count", "10001", "from 1 to 10,000", "10000"),
        ("count", "fifty", "“fifty” is no whole number", None),
        ("count", "5.5", "no whole number", None),
        ("prompt", "x" * 65_537, "65,536 fit", None),
        ("prompt", "a\0b", "not text", None),
        ("prompt", "Do {idx}", "{idx} is no field", None),
        ("harness", "claude", "Did you mean claude-code?", "claude-code"),
        ("harness", "zzz", "Known are: claude-code", None),
        ("model", "gpt 4", "no model id", None),
        ("size", "smal", "Did you mean small?", "small"),
        ("budget", "0", "refuses every call", ""),
        ("budget", "1,00", "comma", "1.00"),
        ("at_once", "all", "as many as the budget can hold", "auto"),
        ("after", "remove", "Known are: delete, stop, keep", None),
        ("lifetime", "10 s", "At least 1 min", "1 min"),
        ("task_timeout", "2 h", "live only 1 h", "1 h"),
        ("tags", "a" * 41, "too long", None),
        ("tags", ",".join(str(n) for n in range(21)), "too many", None),
    ],
)
def test_a_bad_field_is_named_with_what_would_be_right(
    field: str, text: str, says: str, repair: str | None
) -> None:
    problem = problems_of(**{field: text})[0]
    assert problem.place == field
    assert says in problem.message
    if repair is not None:
        assert problem.repair is not None
        assert problem.repair.value == repair


def test_a_harness_locked_to_a_provider_refuses_models_of_another() -> None:
    (problem,) = problems_of(harness="claude-code", model="gpt-4.1-mini")
    assert problem.message == (
        "claude-code runs only models of anthropic; gpt-4.1-mini is of openai."
    )
    assert problem.repair is not None
    assert problem.repair.value == "anthropic/claude-sonnet-5-5"


def test_a_model_nobody_has_a_price_for_can_be_launched() -> None:
    assert parse_launch({**GOOD, "model": "somebody/new-model"}).model == "somebody/new-model"


def test_a_short_lifetime_shortens_the_default_time_of_a_task() -> None:
    assert parse_launch({**GOOD, "lifetime": "5 min"}).task_timeout_s == 300


def test_a_secret_in_the_prompt_is_named_by_its_form_and_never_repeated() -> None:
    secret = "sk-" + "tan-0123456789abcdef"
    (problem,) = problems_of(prompt=f"Log in\nwith {secret} {{index}}")
    assert "Line 2, column 6" in problem.message
    assert "OpenAI style key" in problem.message
    assert problem.repair is None
    assert secret not in str(problem)


def test_line_ends_of_a_browser_become_plain_ones() -> None:
    assert parse_launch({**GOOD, "prompt": "a\r\nb"}).prompt == "a\nb"


def test_a_repair_that_is_applied_is_accepted() -> None:
    raw = {**GOOD, "count": "20000", "harness": "claude", "size": "smal", "at_once": "most"}
    raw["model"] = "anthropic/claude-opus-5-5"
    with pytest.raises(InvalidInput) as caught:
        parse_launch(raw)
    for problem in caught.value.problems:
        assert problem.repair is not None
        raw[problem.repair.field] = problem.repair.value
    assert parse_launch(raw).harness == "claude-code"


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=40)))
def test_any_form_is_a_launch_or_a_list_of_problems(raw: dict[str, str]) -> None:
    try:
        spec = parse_launch({**GOOD, **raw})
    except InvalidInput as error:
        places = {problem.place for problem in error.problems}
    else:
        places = set()
        assert 1 <= spec.count <= 10_000
    assert places <= set(FIELDS)
