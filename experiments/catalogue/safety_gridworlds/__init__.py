"""Experiments in the levels of "AI Safety Gridworlds"."""
