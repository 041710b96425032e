"""The Markov chains of policies: their values, classes of states, factors."""
