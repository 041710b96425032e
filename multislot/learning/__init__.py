"""Learning which world one is in: likelihoods of histories, mixtures over a class of worlds."""
