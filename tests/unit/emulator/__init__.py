"""Rules of the emulator, without a socket and on a clock that tests move."""
