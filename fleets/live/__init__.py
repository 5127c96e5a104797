"""Live updates: Redis is a doorbell, Postgres is the truth.

Services call `publish`; views call `live_page`; page authors register a renderer.
"""

from fleets.live.publish import publish

__all__ = ["publish"]
