"""A world with an input terminal: production line, plan, rewards (`--set agent=itf`, and the world's own settings)."""

from __future__ import annotations

from typing import Any

from counterfactual.agents import AGENTS
from counterfactual.simulation.film import film
from counterfactual.worlds import WORLDS
from engine.scene import Film


def terminal(name: str, settings: dict[str, Any]) -> Film:
    """One life of an agent, by default ITC."""
    agent = AGENTS[str(settings.pop("agent", "itc"))]
    return film(WORLDS[name].make({key: str(value) for key, value in settings.items()}), agent)
