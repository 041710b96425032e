"""Experiments of "Counterfactual planning with an input terminal"."""
