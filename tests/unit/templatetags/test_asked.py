"""What was asked for beside what ran."""

from fleets.templatetags.asked import asked_harness, asked_model


def test_what_ran_as_asked_stands_alone() -> None:
    assert asked_model("openai/gpt-5.5", "gpt-5.5") == "openai/gpt-5.5"
    assert asked_model("gpt-5.5", "") == "gpt-5.5"
    assert asked_harness("codex", "codex") == "codex"
    assert asked_harness("codex", "") == "codex"


def test_a_swapped_model_is_marked_by_word_and_picture() -> None:
    shown = asked_model("gpt-5.5", "<b>glm</b>")
    assert "gpt-5.5 →" in shown
    assert "(swapped)" in shown
    assert "#i-triangle-alert" in shown
    assert "<b>" not in shown


def test_another_harness_is_marked_too() -> None:
    assert "codex →" in asked_harness("codex", "opencode")
