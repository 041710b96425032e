"""Markov decision processes: the table, how a model becomes one, and what happens in one."""
