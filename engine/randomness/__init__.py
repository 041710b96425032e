"""Random numbers as pure functions of a key and counters, in plain, compiled and torch code."""
