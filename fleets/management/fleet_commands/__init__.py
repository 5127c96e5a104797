"""The subcommands of `manage.py fleet`, one subject per file. They order and watch, and never call
the platform: that is the worker's part."""
