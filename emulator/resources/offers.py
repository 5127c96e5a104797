"""What anybody may read without a key: plans, egress prices, templates (contract 1.1, 5, 9)."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.ids import digest
from emulator.money import dumps
from emulator.offers import EGRESS, PLANS, TEMPLATES


def plans(call: Call) -> Answer:
    """304 when the caller has them already."""
    rows = [
        {
            "id": plan.name,
            "name": plan.name.capitalize(),
            "monthlyPriceCents": plan.price_cents,
            "creditsPerMonth": plan.credit_usd,
            "features": list(plan.features),
        }
        for plan in PLANS.values()
    ]
    etag = f'"{digest(dumps(rows))[:16]}"'
    headers = {"ETag": etag}
    if call.headers.get("if-none-match") == etag:
        return Answer(None, status=304, headers=headers)
    return Answer({"success": True, "data": rows}, headers=headers)


def egress(_call: Call) -> Answer:
    return Answer(EGRESS)


def templates(_call: Call) -> Answer:
    return Answer({"templates": [_template(name) for name in TEMPLATES]})


def featured(_call: Call) -> Answer:
    rows = [_template(name) for name, one in TEMPLATES.items() if one.is_featured]
    return Answer({"templates": rows})


def _template(name: str) -> dict[str, Any]:
    template = TEMPLATES[name]
    return {
        "id": name,
        "name": template.title,
        "description": template.description,
        "environment": template.environment,
        "resources": template.resources,
    }
