"""What may be turned while the emulator runs."""

from dataclasses import dataclass, field
from typing import Any

from emulator.config import PACE_FACTORS, Config
from emulator.errors import bad_request
from emulator.harnesses import HARNESSES
from emulator.offers import PLANS
from emulator.prices import find_model
from emulator.strict import NUMBER, OBJECT, TEXT, check_fields

QUOTA_STATUSES = (403, 429)


@dataclass
class Dials:
    """Each field is a name that `POST /_emulator/dials` accepts."""

    plan: str
    rate_per_minute: int
    max_concurrent_sandboxes: int
    credit_usd: int
    failure_share: float
    turn_time_factor: float
    create_time_factor: float
    event_retention_s: float
    rate_window_s: float = 60.0
    machine_failure_share: float = 0.0
    quota_status: int = 429
    memory_model: int = 1
    cold_start_race: int = 0
    provider_locks: int = 0
    failing_harnesses: dict[str, float] = field(default_factory=dict)
    unservable_models: dict[str, float] = field(default_factory=dict)
    served_models: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Config) -> "Dials":
        factor, plan = PACE_FACTORS[config.pace], PLANS[config.plan]
        rate = config.rate_per_minute
        return cls(
            plan=plan.name,
            rate_per_minute=plan.rate_per_minute if rate is None else rate,
            max_concurrent_sandboxes=plan.max_sandboxes,
            credit_usd=plan.credit_usd,
            failure_share=float(config.failure_share),
            turn_time_factor=factor,
            create_time_factor=factor,
            event_retention_s=float(config.event_retention_s),
        )


TOLD = {
    "plan": "`free`, `pro` or `enterprise`; turns the three below to that plan's figures",
    "rate_per_minute": "requests a minute of the whole account; 0 = no limit",
    "rate_window_s": "how long that minute is, in seconds of the emulator's clock",
    "max_concurrent_sandboxes": "sandboxes that may be there at once; 0 = no ceiling",
    "credit_usd": "what the account has bought, in whole USD; balance and plan show what is left",
    "failure_share": "share of turns that fail by themselves",
    "turn_time_factor": "times the pace of turns",
    "create_time_factor": "times the time of creates, deletes and resumes",
    "event_retention_s": "seconds that a turn's events are kept",
    "machine_failure_share": "share of creates that fail",
    "quota_status": "403 or 429: what a create above `max_concurrent_sandboxes` meets",
    "memory_model": "0 or 1: whether machines kill agents when their memory is gone",
    "cold_start_race": "0 or 1: whether first turns race for a cold machine's credential",
    "provider_locks": "0 or 1: whether a turn fails whose harness cannot run its model",
    "failing_harnesses": '`{"codex": 1}`: share of that harness\'s turns that fail before the '
    "first model call",
    "unservable_models": '`{"openai/gpt-5.5": 1}`: share of that model\'s calls that meet a 503',
    "served_models": '`{"openai/gpt-5.5": "openai/gpt-4.1"}`: what the router serves instead',
}


def turn(dials: Dials, body: dict[str, Any]) -> None:
    """Turn the dials that the body names, all or none of them; 400 says which one cannot be."""
    fields = {name: _kind(value) for name, value in vars(dials).items()}
    check_fields(body, where="body", fields=fields)
    wanted: dict[str, Any] = {}
    if "plan" in body:
        plan = PLANS.get(body["plan"])
        if plan is None:
            raise bad_request(f"plan must be one of {', '.join(PLANS)}.", field="plan")
        wanted |= {
            "rate_per_minute": plan.rate_per_minute,
            "max_concurrent_sandboxes": plan.max_sandboxes,
            "credit_usd": plan.credit_usd,
        }
    for name, value in body.items():
        wanted[name] = _value(name, value, like=getattr(dials, name))
    for name, value in wanted.items():
        setattr(dials, name, value)


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return OBJECT
    return TEXT if isinstance(value, str) else NUMBER


def _value(name: str, value: Any, *, like: Any) -> Any:
    if name == "quota_status" and value not in QUOTA_STATUSES:
        raise bad_request("quota_status must be 403 or 429.", field=name)
    if isinstance(like, int):
        return int(value)
    if isinstance(like, float):
        return float(value)
    if name == "failing_harnesses":
        check_fields(value, where=name, fields=dict.fromkeys(HARNESSES, NUMBER))
        return {one: float(share) for one, share in value.items()}
    if name == "unservable_models":
        check_fields(value, where=name, fields=dict.fromkeys(value, NUMBER))
        return {one: float(share) for one, share in value.items()}
    if name == "served_models":
        check_fields(value, where=name, fields=dict.fromkeys(value, TEXT))
        for served in value.values():
            if find_model(served) is None:
                raise bad_request(f"{served} is no model that is served.", field=name)
    return value
