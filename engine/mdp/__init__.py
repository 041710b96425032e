"""Markov decision processes: the table, how a model becomes one, which states can end an episode, and episodes."""
