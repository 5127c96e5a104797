"""One module per noun of the platform: its routes, each a function of a `Call`."""
