"""The platform's agent profile schema: what it accepts and refuses, each with code and path."""
