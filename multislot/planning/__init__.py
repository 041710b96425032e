"""Exact values: beliefs, copy weights and the recursion over histories."""
