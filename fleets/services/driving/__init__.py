"""Drives runs: one tick at a time, each under a lease."""
