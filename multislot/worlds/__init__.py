"""The multi-slot protocol and the ways to write a world that follows it."""
