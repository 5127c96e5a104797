"""Logs as machines read them: one JSON object a line, with the ids of request, fleet and turn."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEAK = """
import logging, django
django.setup()
import structlog
from django.test import RequestFactory
from fleetdash.middleware import RequestIdMiddleware
from django.http import HttpResponse

def view(request):
    structlog.get_logger("fleets.views").warning("asked", path=request.path)
    return HttpResponse()

answer = RequestIdMiddleware(view)(RequestFactory().get("/fleets/"))
structlog.contextvars.clear_contextvars()
with structlog.contextvars.bound_contextvars(fleet="fleet-1", run=1, turn="t1-1"):
    logging.getLogger("fleets.services").error("lost %s", "lease", exc_info=ValueError("why"))
    logging.getLogger("django.request").warning("Forbidden", exc_info=ValueError("no"))
print(answer["X-Request-Id"])
"""


def speak(log_format: str) -> tuple[str, list[str]]:
    """What a process that logs twice writes: the request id of its answer, and the lines."""
    told = subprocess.run(
        [sys.executable, "-c", _SPEAK],
        cwd=ROOT,
        env=os.environ
        | {"LOG_FORMAT": log_format, "DJANGO_SETTINGS_MODULE": "fleetdash.settings_test"},
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    return told.stdout.strip(), told.stderr.strip().splitlines()


def test_json_logs_carry_the_ids_that_lead_from_a_page_to_a_turn() -> None:
    request_id, lines = speak("json")
    asked, lost, refused = (json.loads(line) for line in lines)

    assert asked["event"] == "asked"
    assert asked["path"] == "/fleets/"
    assert asked["request_id"] == request_id
    assert _named(lost) == {"fleet": "fleet-1", "run": 1, "turn": "t1-1"}
    assert lost["event"] == "lost lease"
    assert (lost["level"], lost["logger"]) == ("error", "fleets.services")
    assert "ValueError: why" in lost["exception"]
    assert lost["timestamp"].endswith("Z")
    # A refusal is an answer: its line, and no way through the code.
    assert refused["event"] == "Forbidden"
    assert "exception" not in refused


def test_text_logs_are_for_people() -> None:
    _, lines = speak("text")

    assert "lost lease" in "\n".join(lines)
    with pytest.raises(json.JSONDecodeError):
        json.loads(lines[0])


def _named(line: dict[str, Any]) -> dict[str, Any]:
    return {name: line[name] for name in ("fleet", "run", "turn")}
