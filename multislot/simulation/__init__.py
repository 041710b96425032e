"""Simulating agents between slots, and films of what happened."""
