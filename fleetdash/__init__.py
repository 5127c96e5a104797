"""The project: wiring only, no business words."""

# The same as in pyproject.toml; a test holds them together.
__version__ = "0.1.0"
