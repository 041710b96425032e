"""A world with an input terminal: production line, plan, rewards (`--set agent=itf`, and the world's own settings)."""

from __future__ import annotations

from typing import Any

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import make_simulation_film
from counterfactual.worlds import TERMINAL_WORLDS
from engine.scene import Film


def film_terminal_world(name: str, settings: dict[str, Any]) -> Film:
    """One simulation of an agent, by default ITC."""
    agent = PLANNING_AGENTS[str(settings.pop("agent", "itc"))]
    return make_simulation_film(TERMINAL_WORLDS[name].make({key: str(value) for key, value in settings.items()}), agent)
