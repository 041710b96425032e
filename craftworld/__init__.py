"""Caring agents: an acting agent's reward is augmented with what its behaviour leaves to others."""
