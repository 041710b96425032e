"""Experiments of "Extending Environments To Measure Self-Reflection In Reinforcement Learning"."""
