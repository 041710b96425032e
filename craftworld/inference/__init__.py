"""Who comes afterwards, inferred from what they did: Bayesian inverse reinforcement learning over finite candidates."""
