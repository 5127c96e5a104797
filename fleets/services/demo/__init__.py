"""A believable data set, written straight into the tables. Nothing drives it and it costs nothing.

Its rows are told from real ones by the door of their launch: `demo`, which no person comes through.
"""

from fleets.services.demo.filling import Filled, fill
from fleets.services.demo.removal import remove

__all__ = ["Filled", "fill", "remove"]
