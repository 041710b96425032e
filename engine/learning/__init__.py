"""Learning from transitions: tabular Q-learning on tables, replay memories, optimisers for small networks."""
