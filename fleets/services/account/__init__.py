"""Reads the account: every fleet that the platform has, whoever made it, and what is known of it.

The platform is the truth, and our rows are what was last seen of it. One pass is repeatable at any
point: each fleet is written in a transaction of its own, under an id that no two rows can have.
"""

from fleets.services.account.reading import read_account, read_accounts

__all__ = ["read_account", "read_accounts"]
