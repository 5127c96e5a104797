"""A stand-in for the platform: real HTTP, strict, resettable, faultable, with a ledger."""
