"""The project: wiring only, no business words."""
