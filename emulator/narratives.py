"""Which story a prompt gets."""

from emulator.stories import BILLING, DOCS, LATENCY, SECURITY, TESTS, UPGRADE

ALL = (BILLING, SECURITY, TESTS, DOCS, UPGRADE, LATENCY)

# A prompt that names its kind of work gets that kind; the rest is drawn.
KEYWORDS = {
    "invoice": BILLING, "billing": BILLING, "payment": BILLING, "security": SECURITY,
    "vulnerab": SECURITY, "audit": SECURITY, "test": TESTS, "flaky": TESTS, "doc": DOCS,
    "readme": DOCS, "upgrade": UPGRADE, "dependenc": UPGRADE, "slow": LATENCY, "perform": LATENCY,
    "latency": LATENCY,
}  # fmt: skip
