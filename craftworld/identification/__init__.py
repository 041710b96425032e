"""Which of the papers' agents is it: Bayesian inverse planning with the exact agents as hypotheses."""
