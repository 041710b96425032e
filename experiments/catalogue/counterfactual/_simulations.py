"""Simulations of many units at once: those of one agent share their plans where their worlds are rows of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfactual.simulation.simulate import Simulation
    from counterfactual.worlds import TerminalWorld


def simulate_worlds(worlds: Sequence[TerminalWorld[Any]], agents: Sequence[str]) -> list[Simulation]:
    """Simulate each agent, by its name, in the world at its place."""
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.world_rows import simulate_rows

    found: dict[int, Simulation] = {}
    for name in dict.fromkeys(agents):
        places = [place for place, agent in enumerate(agents) if agent == name]
        rows = simulate_rows([worlds[place] for place in places], PLANNING_AGENTS[name])
        found.update(zip(places, rows, strict=True))
    return [found[place] for place in range(len(agents))]
