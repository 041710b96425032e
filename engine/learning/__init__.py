"""Learning from transitions: tabular Q-learning on tables, and stacks of small networks."""
