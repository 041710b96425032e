"""Caring agents: an acting agent's reward is augmented with what its deeds leave to others."""

from craftworld.registration import register_scenarios

register_scenarios()
