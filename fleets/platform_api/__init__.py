"""The client of the Tangle Sandbox platform: the only place that speaks HTTP to it.

Imports httpx, httpx-sse, httpx-aiohttp, stamina and the standard library, nothing else.
"""
