"""The emulator over real connections."""
