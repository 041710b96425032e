"""Stable-Baselines3 networks behind the agent interface (extra `deep`)."""
