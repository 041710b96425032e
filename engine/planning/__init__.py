"""Exact planning on tables, by textbook names: dynamic programming, shortest paths, backward induction, two rewards."""
