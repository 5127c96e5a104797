"""The text of `docs/emulator.md`, made from the tables it describes."""

from collections import Counter
from pathlib import Path

from emulator import prices
from emulator.config import PACE_FACTORS
from emulator.contract import OPERATIONS, PROVENANCE
from emulator.dials import TOLD, Dials
from emulator.dooms import DOOMS
from emulator.faults import KINDS
from emulator.harnesses import AS_OF, HARNESSES
from emulator.left_out import LEFT_OUT
from emulator.memory import HEAVY_MIB, LIGHT_MIB
from emulator.resources.sandbox_body import DEFAULT_IDLE_S, DEFAULT_LIFETIME_S
from emulator.scripts import DIRECTIVES
from emulator.turn_ends import ENDINGS
from emulator.turns import FAILURES


def page() -> str:
    """The whole page: the prose of `handbook.md` with the tables in their places."""
    text = Path(__file__).with_name("handbook.md").read_text(encoding="utf-8")
    tables = {
        "operations": _operations(),
        "left_out": _left_out(),
        "dials": _dials(),
        "lifetime_s": str(DEFAULT_LIFETIME_S),
        "idle_s": str(DEFAULT_IDLE_S),
        "directives": _directives(),
        "paces": _paces(),
        "prices": _prices(),
        "harnesses": _harnesses(),
        "faults": _faults(),
    }
    for name, table in tables.items():
        text = text.replace(f"<!-- {name} -->", table)
    return text


def _operations() -> str:
    counts = Counter(operation.provenance for operation in OPERATIONS)
    told = ", ".join(f"{counts[mark]} {mark} ({word})" for mark, word in PROVENANCE.items())
    lines = [
        "## Operations",
        "",
        f"{len(OPERATIONS)} operations: {told}; 0 verified.",
        "",
        "| Operation | Route | Prov. | Contract | Date | Note |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| `{one.name}` | {one.method} `/{one.base}{one.path}` | {one.provenance} "
        f"| {one.section} | {one.date} | {one.note} |"
        for one in OPERATIONS
    ]
    return "\n".join(lines) + "\n"


def _left_out() -> str:
    lines = [
        "## Left out",
        "",
        "What the contract names and nothing here answers (501, like any unknown route):",
        "",
        "| What | Contract | Why |",
        "|---|---|---|",
    ]
    lines += [f"| {what} | {section} | {why} |" for what, section, why in LEFT_OUT]
    return "\n".join(lines) + "\n"


def _dials() -> str:
    lines = ["## Dials", "", "| Dial | Meaning |", "|---|---|"]
    lines += [f"| `{name}` | {TOLD[name]} |" for name in Dials.__dataclass_fields__]
    return "\n".join(lines) + "\n"


def _directives() -> str:
    lines = ["## Words in a prompt", "", "| Word | Effect |", "|---|---|"]
    lines += [f"| `{word}` | {effect} |" for word, effect in DIRECTIVES.items()]
    lines += ["", "Error codes of turns that end badly:", "", "| Code | Message |", "|---|---|"]
    lines += [f"| `{code}` | {message} |" for code, message in FAILURES.values()]
    lines += [f"| `{code}` | {message} |" for code, message in ENDINGS.items()]
    lines += [f"| `{code}` | {message} |" for code, message in list(DOOMS.values())[1:]]
    others = {
        "budget_exceeded": "402 of the router (contract 10, row 16).",
        "UNAUTHORIZED": "The key was revoked.",
        "FORBIDDEN": "The key is for another product.",
        "MODEL_NOT_ALLOWED": "The key's allowedModels lacks the model.",
        "TIMEOUT": "The turn passed its timeoutMs.",
        "CANCELLED": "The turn was aborted.",
    }
    lines += [f"| `{code}` | {message} |" for code, message in others.items()]
    return "\n".join(lines) + "\n"


def _paces() -> str:
    lines = ["## Pace", "", "A turn takes 4 to 20 s at `real`; a machine's create 4 to 9 s.", ""]
    lines += [f"- `{name}`: times {factor:g}" for name, factor in PACE_FACTORS.items()]
    return "\n".join(lines) + "\n"


def _prices() -> str:
    lines = [
        "## Prices",
        "",
        f"Ours, as of {prices.AS_OF}: {prices.VCPU_SECOND_NUSD} nanodollars per vCPU-second, "
        f"{prices.GB_SECOND_NUSD} per GB-second.",
        "",
        "| Model | Input $/M | Cached $/M | Output $/M | Largest output |",
        "|---|---|---|---|---|",
    ]
    for name, price in prices.MODELS.items():
        if "/" in name:
            nusd = (price.input_nusd, price.cached_input_nusd, price.output_nusd)
            shown = " | ".join(f"{amount / 1000:.3f}" for amount in nusd)
            lines.append(f"| `{name}` | {shown} | {price.largest_output} |")
    return "\n".join(lines) + "\n"


def _harnesses() -> str:
    ranges = {True: HEAVY_MIB, False: LIGHT_MIB}
    lines = [
        "## Harnesses and sizes",
        "",
        f"As of {AS_OF}. Names: C (contract 8). What each writes into the home: I. Memory of "
        "`opencode`: C (contract 4.4); of the others, families, and all sizes: ours. Runs, "
        "model and effort: C (contract 8). Key variable: D (contract 4.4).",
        "",
        "| Harness | Family | Writes | Memory MiB | | Key variable | Runs | Model | Effort |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| `{one.name}` | {one.family} | {one.home} "
        f"| {ranges[one.is_heavy][0]}-{ranges[one.is_heavy][1]} "
        f"| {'heavy' if one.is_heavy else 'light'} | {one.api_key_env or '—'} "
        f"| {one.provider or 'any'} | {_may(one.picks_model)} | {_may(one.picks_effort)} |"
        for one in HARNESSES.values()
    ]
    lines += ["", "| Size | vCPU | Memory MiB | Disk GB |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | {size['cpuCores']} | {size['memoryMB']} | {size['diskGB']} |"
        for name, size in prices.PRESETS.items()
    ]
    return "\n".join(lines) + "\n"


def _may(chosen: object) -> str:
    return "chosen" if chosen else "its own"


def _faults() -> str:
    lines = ["## Faults", "", "| Kind | What the matched request meets |", "|---|---|"]
    lines += [f"| `{kind}` | {effect} |" for kind, effect in KINDS.items()]
    return "\n".join(lines) + "\n"
