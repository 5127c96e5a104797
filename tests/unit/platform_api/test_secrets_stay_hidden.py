"""No secret in a repr, a message, a record, a log line or anything kept as raw."""

import copy
import json
import logging
import pickle
from dataclasses import asdict
from typing import Any

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.redaction import redact, redact_text
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import KeyMinted
from tests.unit.platform_api.wire import KEY, answer, wire

VALUE = KEY.reveal()


def test_a_secret_shows_itself_nowhere_but_when_asked() -> None:
    secret = Secret("sk-tan-very-private")
    shown = [repr(secret), str(secret), f"{secret}", f"{secret:>40}", repr([secret])]
    assert not any("private" in text for text in shown)
    assert secret.reveal() == "sk-tan-very-private"


def test_a_secret_cannot_be_pickled_into_a_queue() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("x"))


def test_a_copy_of_what_holds_a_secret_hides_it_too() -> None:
    minted = KeyMinted(id="k", key=Secret("private"), name="n", budget_usd=None)
    copied = asdict(copy.deepcopy(minted))
    assert copied["key"] == Secret("private")
    assert "private" not in repr(copied)


@pytest.mark.parametrize(
    "body",
    [
        {"error": f"key {VALUE} is not valid", "code": "UNAUTHORIZED"},
        {"error": {"message": f"Bearer {VALUE} refused", "code": VALUE}},
        {"message": "no", "error": "forbidden", "key": VALUE},
    ],
)
@pytest.mark.parametrize("status", [400, 401, 403, 418, 500, 501])
def test_no_error_repeats_the_key_that_an_answer_echoes(
    body: dict[str, Any], status: int, caplog: pytest.LogCaptureFixture
) -> None:
    line = wire(answer(status, body))
    with caplog.at_level(logging.DEBUG), pytest.raises(PlatformError) as caught:
        line.run(lambda client: client.keys.get("key-1"))
    told = [str(caught.value), repr(caught.value), repr(vars(caught.value)), caplog.text]
    told += [repr(record) for record in line.records]
    assert not any(VALUE in text for text in told)


def test_a_surprise_keeps_its_body_without_secrets_and_short() -> None:
    body = {"data": {"key": VALUE, "nothing": "x" * 5000}}
    with pytest.raises(PlatformError) as caught:
        wire(answer(200, body)).run(lambda client: client.keys.get("key-1"))
    assert VALUE not in repr(vars(caught.value))
    assert len(str(vars(caught.value)["body"])) < 1000


def test_a_minted_key_and_the_client_do_not_print_it() -> None:
    async def mint(client: PlatformClient) -> str:
        minted = await client.keys.mint("fleet", budget_usd=None)
        assert minted.key.reveal() == "sk-tan-new-and-secret"
        return repr(minted) + repr(client) + repr(client.with_key(minted.key))

    body = {"success": True, "data": {"id": "k", "key": "sk-tan-new-and-secret", "name": "fleet"}}
    assert "new-and-secret" not in wire(answer(201, body)).run(mint)


def test_raw_rows_lose_tokens_at_any_depth() -> None:
    row = {"connection": {"authToken": "abc", "list": [{"apiKey": "x"}]}, "name": "sk-tan-abc123"}
    assert redact(row) == {
        "connection": {"authToken": "[redacted]", "list": [{"apiKey": "[redacted]"}]},
        "name": "[redacted]",
    }


def test_redaction_survives_an_escaped_quote_and_a_cut_value() -> None:
    text = json.dumps({"key": 'a"b' + VALUE, "after": 1})
    assert VALUE not in redact_text(text)
    assert "after" in redact_text(text)
    assert "secret" not in redact_text('{"authToken": "secret and then the body ends')
