"""How often a worker's process looks for garbage.

A round of calls makes hundreds of thousands of objects that live for moments. With Python's own
figures a tick spent a quarter of its time on looking through everything that was ever imported.
"""

import gc
from typing import Any, Final

from celery.signals import worker_process_init

# New objects before a look at the newest; such looks before one at those that outlived them; and
# those before one at all: every two million objects, where Python's own figures say 70,000.
THRESHOLDS: Final = (10_000, 20, 10)


@worker_process_init.connect
def look_rarely(**_facts: Any) -> None:
    """What is there when a process begins stays for good, and is not looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
