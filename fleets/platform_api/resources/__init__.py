"""Resource methods: typed in, typed out, one file per noun."""
