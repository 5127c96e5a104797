"""What an agent will do in one turn: drawn once from (seed, session, turn), never from a clock."""

import random
import re
from dataclasses import dataclass, replace

from emulator.ids import rng_for
from emulator.narrative import Narrative
from emulator.narratives import ALL, KEYWORDS
from emulator.recall import recalled

FIRST_INPUT_TOKENS = 16_000
LONGEST_SUBJECT = 90
ASKS = ("question", "approval", "plan")
_NAMES = "ok|fail|slow|calls|ask|recall|spawn"
_DIRECTIVE = re.compile(rf"\[\[({_NAMES})(?: +(?!if )([\w.]+))?(?: +if +([\w.:-]+))?\]\]")

DIRECTIVES = {
    "[[ok]]": "the turn does not fail by itself",
    "[[fail]]": "the turn fails; `[[fail harness]]` before the first model call, `[[fail tool]]` "
    "by a tool's time-out, `[[fail model]]` by the provider",
    "[[slow 20]]": "the turn lasts 20 s of the emulator's clock, at every pace",
    "[[calls 5]]": "exactly 5 model calls (1 to 50)",
    "[[ask question]]": "the turn ends after its first model call, waiting for an answer; "
    "`[[ask approval]]` and `[[ask plan]]` for theirs",
    "[[spawn 2]]": "a process stays behind in the machine that calls models and makes up to 2 "
    "child fleets of $0.12, whatever becomes of the turn, until the key or the machine ends",
    "[[recall]]": "the answer names the codewords the agent knows: “codeword is X” in an inline "
    "skill of its profile, or in the first prompt of its session",
    "[[fail if agent-3]]": "any of these only when the rest of the prompt has that word",
}


@dataclass(frozen=True, slots=True)
class ToolUse:
    tool: str
    target: str
    output: str


@dataclass(frozen=True, slots=True)
class CallPlan:
    """One model call: its tokens (`output` includes `reasoning`), texts and the tool after it."""

    think_ms: int
    tool_ms: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    thought: str
    says: tuple[str, ...]
    tool: ToolUse | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole turn. `failure` is None, `harness`, `tool` or `model`, at call `fails_at`.

    `asks` is None or what the turn ends waiting for after its first call; `spawns` is None or how
    many child fleets a process that stays behind wants.
    """

    calls: tuple[CallPlan, ...]
    cold_ms: int
    failure: str | None
    fails_at: int
    fixed_ms: int | None
    asks: str | None = None
    spawns: int | None = None


def directives(prompt: str) -> tuple[str, dict[str, str | None]]:
    """The prompt without its `[[…]]` words, and those that apply."""
    rest = _DIRECTIVE.sub("", prompt).strip()
    words = set(re.findall(r"[\w.:-]+", rest)) | set(re.findall(r"\w+", rest))
    words |= {word.rstrip(".:") for word in words}
    found: dict[str, str | None] = {}
    for name, value, condition in _DIRECTIVE.findall(prompt):
        if not condition or condition in words:
            found[name] = value or None
    return rest, found


def subject_of(prompt: str) -> str:
    """The first line of the prompt, short enough to be quoted."""
    line = next((line.strip() for line in prompt.splitlines() if line.strip()), "the task")
    if len(line) <= LONGEST_SUBJECT:
        return line.rstrip(" .")
    return line[:LONGEST_SUBJECT].rsplit(" ", 1)[0].rstrip(" .,;:") + "…"


def plan_turn(
    *, seed: int, session_id: str, turn_id: str, prompt: str, failure_share: float, context: int,
    knows: tuple[str, ...] = (),
) -> Plan:  # fmt: skip
    """The turn's plan. `context`: tokens that the session holds; `knows`: codewords it can name."""
    rng = rng_for(seed, "turn", session_id, turn_id)
    rest, words = directives(prompt)
    narrative = _narrative(rng, rest)
    count = _number(words.get("calls")) or rng.choice((3, 3, 4, 4, 4, 5))
    count = max(1, min(50, count))
    fails, kind = rng.random() < failure_share, rng.choice(("harness", "tool", "tool", "model"))
    if "fail" in words:
        fails, kind = True, words["fail"] if words["fail"] in ("harness", "tool", "model") else kind
    elif "ok" in words:
        fails = False
    calls = _calls(rng, narrative=narrative, subject=subject_of(rest), count=count, context=context)
    if "recall" in words:
        calls = (*calls[:-1], replace(calls[-1], says=(*calls[-1].says, recalled(knows))))
    return Plan(
        calls=calls,
        cold_ms=rng.randint(200, 800),
        failure=kind if fails else None,
        fails_at=rng.randrange(count - 1) if count > 1 else 0,
        fixed_ms=_number(words.get("slow"), scale=1000),
        asks=_asks(words),
        spawns=min(50, _number(words["spawn"] or "2") or 0) if "spawn" in words else None,
    )


def _asks(words: dict[str, str | None]) -> str | None:
    if "ask" not in words:
        return None
    kind = words["ask"]
    return kind if kind in ASKS else "question"


def _narrative(rng: random.Random, prompt: str) -> Narrative:
    drawn = rng.choice(ALL)
    lowered = prompt.lower()
    return next((found for word, found in KEYWORDS.items() if word in lowered), drawn)


def _number(text: str | None, *, scale: int = 1) -> int | None:
    try:
        return int(float(text) * scale) if text else None
    except ValueError:
        return None


def _calls(
    rng: random.Random, *, narrative: Narrative, subject: str, count: int, context: int
) -> tuple[CallPlan, ...]:
    calls = []
    input_tokens = FIRST_INPUT_TOKENS + context
    cached = int((FIRST_INPUT_TOKENS * rng.uniform(0.91, 0.94)) + context * 0.97)
    for index in range(count):
        last = index == count - 1
        output = rng.randint(260, 420) if last else rng.randint(150, 300)
        tool = None if last else ToolUse(*narrative.steps[index % len(narrative.steps)])
        calls.append(
            CallPlan(
                think_ms=rng.randint(1_100, 3_600),
                tool_ms=rng.randint(60, 250),
                input_tokens=input_tokens,
                cached_tokens=cached,
                output_tokens=output,
                reasoning_tokens=int(output * rng.uniform(0.2, 0.5)),
                thought=_thought(narrative, subject=subject, index=index),
                says=_says(rng, narrative=narrative, subject=subject, index=index, last=last),
                tool=tool,
            )
        )
        grown = input_tokens + output + rng.randint(250, 600)
        cached = int(input_tokens * rng.uniform(0.965, 0.985))
        input_tokens = grown
    return tuple(calls)


def _thought(narrative: Narrative, *, subject: str, index: int) -> str:
    if index == 0:
        return f"The task is: {subject}. {narrative.opening}"
    return narrative.remarks[(index - 1) % len(narrative.remarks)]


def _says(
    rng: random.Random, *, narrative: Narrative, subject: str, index: int, last: bool
) -> tuple[str, ...]:
    if not last:
        if index == 0:
            return (narrative.opening,)
        return (narrative.remarks[(index - 1) % len(narrative.remarks)],)
    findings = rng.sample(narrative.findings, k=len(narrative.findings))
    return (
        f"Done with “{subject}”.",
        "What I found:\n" + "\n".join(f"- {finding}" for finding in findings[:2]),
        f"- {findings[2]}\nNothing else needed a change.",
    )
