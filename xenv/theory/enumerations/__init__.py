"""Computable bijections between the natural numbers and pairs, rationals, percepts and plays."""
