"""Carries operations out: one file per kind, each a function from an operation to a verdict."""

from fleets.services.performing.run import perform_operation

__all__ = ["perform_operation"]
