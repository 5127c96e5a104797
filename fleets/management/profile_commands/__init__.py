"""The subcommands of `manage.py profiles`, one subject per file."""
