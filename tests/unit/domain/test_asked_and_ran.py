"""Whether the platform ran the model that was asked for."""

import pytest

from fleets.domain.asked_and_ran import is_same_model


@pytest.mark.parametrize(
    ("asked", "ran", "same"),
    [
        ("gpt-4.1-mini", "gpt-4.1-mini", True),
        ("openai/gpt-5.5", "gpt-5.5", True),
        ("gpt-5.5", "openai/gpt-5.5", True),
        ("openai/gpt-5.5", "azure/gpt-5.5", False),
        ("gpt-5.5", "gpt-4.1", False),
        ("zai/glm-5.3", "glm-5.2", False),
    ],
)
def test_a_provider_counts_only_where_both_name_one(asked: str, ran: str, same: bool) -> None:
    assert is_same_model(asked, ran) is same
