"""The fleets of the data set: one line each, with the story that its rows tell."""

from dataclasses import dataclass
from typing import Final

from fleets.domain.status import Afterwards, FleetState

OPERATOR: Final = "operator"
NIGHT: Final = "operator-night"
ADMIN: Final = "admin2"


@dataclass(frozen=True, slots=True)
class Story:
    """One fleet. Times in minutes before now and of work; money as people write it, "" for none.

    `done`, `failed`, `at_work`, `waiting`, `refused` count agents; the rest follows from the state.
    `extra` names what else happened: hold, release, cut, reopen, stopped machines.
    """

    name: str
    state: FleetState
    count: int
    ago_min: int
    took_min: int
    task: str = "review"
    model: str = "gpt-4.1-mini"
    harness: str = "opencode"
    size: str = "small"
    budget_usd: str = "3"
    owner: str = OPERATOR
    team: str = "demo-quality"
    after: Afterwards = Afterwards.STOP
    done: int = 0
    failed: int = 0
    at_work: int = 0
    waiting: int = 0
    refused: int = 0
    timed_out: int = 0
    parent: str = ""
    extra: tuple[str, ...] = ()


_F = FleetState
_KEEP = Afterwards.KEEP
_DELETE = Afterwards.DELETE
_SONNET: Final = "anthropic/claude-sonnet-5-5"
_GLM: Final = "zai/glm-5.2"
_RESEARCH: Final = "demo-research"
_PLATFORM: Final = "demo-platform"

STORIES: Final[tuple[Story, ...]] = (
    # At work now.
    Story("nightly-review", _F.RUNNING, 50, 4, 0, done=27, failed=2, at_work=14),
    Story("translate-handbook", _F.RUNNING, 24, 9, 0, "translate", _SONNET, budget_usd="20",
          owner=NIGHT, done=11, at_work=8),
    Story("census-2500", _F.RUNNING, 2500, 22, 0, "classify", "gpt-4.1-nano", budget_usd="120",
          owner=ADMIN, team=_RESEARCH, done=1704, failed=31, at_work=220, timed_out=6),
    Story("label-support-tickets", _F.RUNNING, 40, 6, 0, "classify", _GLM, budget_usd="",
          owner=ADMIN, team=_RESEARCH, done=18, at_work=12),
    Story("upgrade-dependencies", _F.RUNNING, 18, 12, 0, "upgrade", "gpt-4.1", "codex",
          budget_usd="15", team=_PLATFORM, done=6, failed=1, at_work=11),
    Story("literature-sweep", _F.RUNNING, 12, 31, 0, "research", _SONNET, budget_usd="40",
          owner=NIGHT, team=_RESEARCH, done=4, at_work=8),
    Story("literature-sweep-methods", _F.RUNNING, 6, 18, 0, "research", _SONNET, budget_usd="8",
          owner=NIGHT, team=_RESEARCH, done=2, at_work=4, parent="literature-sweep"),
    Story("literature-sweep-figures", _F.FINISHED, 4, 20, 9, "research", budget_usd="4",
          owner=NIGHT, team=_RESEARCH, done=4, parent="literature-sweep"),
    Story("literature-sweep-tables", _F.BUDGET_EXHAUSTED, 5, 16, 7, "research", _SONNET,
          budget_usd="1", owner=NIGHT, team=_RESEARCH, done=2, refused=1,
          parent="literature-sweep"),
    Story("methods-appendix", _F.RUNNING, 3, 7, 0, "research", budget_usd="1.50", owner=NIGHT,
          team=_RESEARCH, done=1, at_work=2, parent="literature-sweep-methods"),
    # Beginning, waiting, stopped for a while.
    Story("spring-cleaning", _F.CREATING, 30, 1, 0, "upgrade", "gpt-4.1", budget_usd="10",
          team=_PLATFORM),
    Story("first-aid-triage", _F.CREATING, 6, 0, 0, "classify", budget_usd="2", owner=NIGHT),
    Story("contract-redlines", _F.WAITING, 10, 25, 0, "review", _SONNET, "claude-code",
          budget_usd="12", owner=ADMIN, done=6, at_work=1, waiting=3),
    Story("migration-plans", _F.WAITING, 5, 48, 0, "upgrade", "gpt-5.5", "codex",
          budget_usd="25", team=_PLATFORM, done=3, waiting=2),
    Story("changelog-writers", _F.HELD, 16, 14, 0, "summarise", budget_usd="4", owner=NIGHT,
          team=_PLATFORM, done=7, at_work=2, extra=("hold",)),
    Story("scrape-and-sort", _F.HELD, 32, 19, 0, "classify", _GLM, budget_usd="6",
          team=_RESEARCH, done=12, failed=3, at_work=4, extra=("cut",)),
    # Being stopped now.
    Story("runaway-refactor", _F.CANCELLING, 36, 17, 0, "upgrade", "gpt-4.1", budget_usd="9",
          team=_PLATFORM, done=8, failed=4, at_work=9),
    Story("old-experiment", _F.DELETING, 20, 95, 11, "research", _GLM, budget_usd="5",
          owner=NIGHT, team=_RESEARCH, done=19, failed=1),
    # Ended and still there.
    Story("release-notes", _F.FINISHED, 8, 70, 6, "summarise", budget_usd="1.50", done=8),
    Story("accessibility-audit", _F.FINISHED, 24, 130, 14, "review", _SONNET, budget_usd="18",
          team=_PLATFORM, done=23, failed=1, after=_DELETE, extra=("countdown",)),
    Story("docs-link-check", _F.FINISHED, 50, 205, 8, "review", "gpt-4.1-nano", budget_usd="1",
          owner=NIGHT, done=50),
    Story("price-table-proofread", _F.FINISHED, 4, 300, 5, "review", budget_usd="2", owner=ADMIN,
          done=4, after=_KEEP),
    Story("pr-review-backlog", _F.FINISHED, 60, 1500, 21, "review", "gpt-4.1", "codex",
          budget_usd="30", team=_PLATFORM, done=55, failed=4, timed_out=1,
          extra=("hold", "release")),
    Story("support-macros", _F.FINISHED, 15, 1720, 7, "summarise", _GLM, budget_usd="2",
          owner=NIGHT, done=15),
    Story("unbudgeted-spike", _F.FINISHED, 6, 2100, 12, "research", "gpt-5.5", budget_usd="",
          owner=ADMIN, team=_RESEARCH, done=6),
    Story("glossary-terms", _F.FINISHED, 20, 3000, 6, "translate", budget_usd="3", done=20),
    Story("browser-matrix", _F.FAILED, 12, 160, 4, "upgrade", "gpt-4.1", "cursor",
          budget_usd="5", team=_PLATFORM, failed=12),
    Story("bad-credentials", _F.FAILED, 5, 1380, 2, "classify", budget_usd="1", owner=NIGHT,
          failed=5),
    Story("tight-purse", _F.BUDGET_EXHAUSTED, 12, 45, 3, "review", budget_usd="0.25", done=4,
          refused=2),
    Story("essay-grading", _F.BUDGET_EXHAUSTED, 30, 400, 17, "classify", _SONNET,
          budget_usd="2.50", owner=NIGHT, team=_RESEARCH, done=13, failed=1, refused=3),
    Story("wrong-branch", _F.CANCELLED, 18, 88, 5, "upgrade", "gpt-4.1", budget_usd="6",
          team=_PLATFORM, done=5),
    Story("duplicate-launch", _F.CANCELLED, 50, 240, 2, "review", budget_usd="3", owner=NIGHT,
          done=3),
    Story("reopened-survey", _F.FINISHED, 14, 620, 19, "research", _GLM, budget_usd="7",
          team=_RESEARCH, done=13, failed=1, extra=("cut", "reopen")),
    # Gone, kept as history.
    Story("code-reviewer-r4-against-r3", _F.DELETED, 10, 340, 3, "review", budget_usd="0.80",
          done=10, after=_DELETE),
    Story("weekly-digest-46", _F.DELETED, 9, 4400, 8, "summarise", budget_usd="2", done=9,
          after=_DELETE),
    Story("weekly-digest-47", _F.DELETED, 9, 14_480, 7, "summarise", budget_usd="2", done=9,
          after=_DELETE),
    Story("load-test-agents", _F.DELETED, 200, 5800, 26, "classify", "gpt-4.1-nano",
          budget_usd="10", owner=ADMIN, team=_PLATFORM, done=188, failed=12, after=_DELETE),
    Story("prototype-parser", _F.DELETED, 7, 7300, 9, "upgrade", _SONNET, "claude-code",
          budget_usd="6", done=5, failed=2, after=_DELETE),
    Story("invoice-extraction", _F.DELETED, 80, 8700, 15, "classify", budget_usd="8",
          owner=NIGHT, done=77, failed=3, after=_DELETE),
    Story("poem-contest", _F.DELETED, 25, 10_100, 4, "summarise", _GLM, budget_usd="1",
          owner=NIGHT, done=25, after=_DELETE),
    Story("security-sweep", _F.DELETED, 40, 11_500, 33, "review", "gpt-5.5", "codex",
          budget_usd="60", owner=ADMIN, team=_PLATFORM, done=38, failed=2, after=_DELETE),
)  # fmt: skip
