"""What the agents of the data set were asked and what they said."""

from typing import Final

PROMPTS: Final = {
    "review": "Review part {index} of the repository. List what is wrong, worst first, with files.",
    "translate": "Translate chapter {index} into German. Keep every code block as it is.",
    "classify": "Read shard {index} and give every record one of the labels in labels.json.",
    "upgrade": "Upgrade package {index} to its newest version and make its tests pass.",
    "research": "Read paper {index} and write down method, data, result and what it leaves open.",
    "summarise": "Summarise the changes of module {index} for people who run it, in ten lines.",
}
ANSWERS: Final = {
    "review": (
        "Three findings.\n\n1. `parser.py` reads a whole file into memory before it checks the "
        "size.\n2. The retry in `client.py` repeats a POST without an idempotency key.\n3. Two "
        "tests depend on their order.\n\nNothing else that matters.",
        "No defects found. Two small remarks: a comment in `views.py` is out of date, and "
        "`settings.py` still names a setting that nothing reads.",
        "One finding, and it is serious: `export.py` writes cells that a spreadsheet would run "
        "as formulas. Prefix them.",
    ),
    "translate": (
        "The chapter is translated. 14 code blocks are unchanged; four terms were not in the "
        "glossary and are listed at the end.",
        "Done. I kept “fleet” and “agent” untranslated, as the glossary says.",
    ),
    "classify": (
        "Labelled 412 records: 288 billing, 71 access, 53 other. 9 were ambiguous and are marked.",
        "Labelled 398 records. Confidence was below 0.6 for 12 of them; they are in review.json.",
    ),
    "upgrade": (
        "Upgraded from 4.2 to 5.1. Two calls had moved; the tests pass. The change is on branch "
        "`upgrade`.",
        "Upgraded. One deprecation is left, because its replacement needs Python 3.12.",
    ),
    "research": (
        "Method: difference in differences over 14 regions. Data: public, 2009 to 2021. Result: "
        "an effect of 3.1 % (1.2 to 5.0). Open: whether it holds outside of cities.",
        "The paper proposes a bound and proves it for trees only; the general case is left open.",
    ),
    "summarise": (
        "- Start-up is 40 % faster.\n- The cache has a size limit now (256 MB).\n- `--legacy` is "
        "gone.\n- Logs are JSON by default.",
        "Nothing an operator would notice: refactoring and tests only.",
    ),
}
ERRORS: Final = (
    ("The tool `bash` did not answer within 120 s.", "TOOL_TIMEOUT"),
    ("The model provider answered 529: overloaded.", "PROVIDER_OVERLOADED"),
    ("The harness ended before its first model call (exit 1).", "HARNESS_EXITED"),
)
SAME_ERROR: Final = {
    "browser-matrix": (
        "The harness ended before its first model call (exit 127).",
        "HARNESS_EXITED",
    ),
    "bad-credentials": ("The model provider answered 401: the key is not valid.", "PROVIDER_AUTH"),
}
LAST_EVENTS: Final = (
    "tool bash: pytest -q",
    "tool read: src/parser.py",
    "tool edit: docs/index.md",
    "writes its answer",
    "thinks about the next step",
    "tool grep: TODO",
)
QUESTIONS: Final = (
    "asks: may I run `make migrate` on the copy of the database?",
    "asks which of two glossaries is the right one",
    "waits for its plan to be accepted (6 steps)",
)
REASONS: Final = {
    "cancel": "spends without getting anywhere",
    "delete": "the results are filed, nobody needs the machines",
    "hold": "waiting for the reviewers",
    "release": "the reviewers are back",
    "cut_off": "spends twice what was planned",
    "reopen": "the plan was raised",
    "stop_machines": "weekend",
}
