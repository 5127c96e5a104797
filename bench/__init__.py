"""Benchmarks: `make bench`, or one with `python -m bench pages`. Never part of the tests."""
