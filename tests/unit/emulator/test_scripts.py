from emulator.beats import beats_of
from emulator.prices import call_cost_nusd, find_model, worst_case_nusd
from emulator.scripts import Plan, directives, plan_turn, subject_of


def plan(prompt: str = "Read the code.", *, session: str = "s", share: float = 0.06) -> Plan:
    return plan_turn(
        seed=7, session_id=session, turn_id="t1-1", prompt=prompt, failure_share=share, context=0
    )


def test_same_seed_session_and_turn_give_the_same_plan() -> None:
    assert plan() == plan()
    assert plan(session="a") != plan(session="b")


def test_about_six_in_a_hundred_turns_fail() -> None:
    failed = sum(plan(session=f"s{number}").failure is not None for number in range(2000))
    assert 80 <= failed <= 160


def test_words_in_the_prompt_decide() -> None:
    assert plan("[[fail harness]] Go.").failure == "harness"
    assert plan("[[fail]] Go.", share=0).failure is not None
    assert plan("[[ok]] Go.", share=1).failure is None
    assert len(plan("Go. [[calls 9]]").calls) == 9
    assert plan("Go. [[slow 20]]").fixed_ms == 20_000


def test_condition_binds_a_word_to_agents_that_it_names() -> None:
    prompt = "You are agent-3. [[fail if agent-3]] [[calls 7 if agent-4]]"
    assert directives(prompt) == ("You are agent-3.", {"fail": None})
    assert plan(prompt.replace("You are agent-3", "You are agent-30"), share=0).failure is None


def test_answer_quotes_the_subject() -> None:
    says = plan("Audit the billing module. Then rest. [[ok]]").calls[-1].says
    assert "Audit the billing module. Then rest" in says[0]
    assert len(subject_of("word " * 100)) <= 91


def test_slow_turn_lasts_as_long_as_it_says_at_every_pace() -> None:
    for factor in (0.002, 1.0):
        beats = beats_of(plan("Go. [[slow 20]] [[ok]]"), time_factor=factor)
        assert round(sum(beat.delay_ms for beat in beats)) == 20_000


def test_turns_take_four_to_twenty_seconds_at_real_pace() -> None:
    for number in range(300):
        beats = beats_of(plan("[[ok]]", session=f"s{number}"), time_factor=1.0)
        assert 3_500 <= sum(beat.delay_ms for beat in beats) <= 20_000


def test_long_silence_holds_heartbeats() -> None:
    beats = beats_of(plan("Go. [[slow 200]] [[ok]]"), time_factor=1.0)
    assert sum(beat.action == "beat" for beat in beats) > 20
    thinking = [beat for beat in beats if beat.action in ("think", "say", "settle")]
    assert max(beat.delay_ms for beat in thinking) <= 5_000


def test_first_call_of_the_small_model_holds_and_costs_what_was_measured() -> None:
    price = find_model("gpt-4.1-mini")
    assert price is not None
    for number in range(200):
        call = plan(session=f"s{number}").calls[0]
        held = worst_case_nusd(price, input_tokens=call.input_tokens, output_limit=None)
        cost = call_cost_nusd(
            price,
            fresh=call.input_tokens - call.cached_tokens,
            cached=call.cached_tokens,
            output=call.output_tokens,
        )
        assert held == 58_828_800
        assert 2_000_000 <= cost <= 4_000_000
