"""The same platform and people as for driving."""

from tests.integration.driving.conftest import actor, admin, emulator

__all__ = ["actor", "admin", "emulator"]
