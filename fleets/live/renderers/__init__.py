"""One module per live page; each calls `fleets.live.fragments.register` when it is imported."""
