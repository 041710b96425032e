"""Results that travel: a run directory in one file, out of one file, and computed once more by whoever received it."""
