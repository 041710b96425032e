"""Terminal worlds of many units at once: made exactly, and simulated with plans that the units of one agent share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfactual.simulation.simulate import Simulation
    from counterfactual.worlds import TerminalWorld


def make_exact_world(name: str, **parameters: float) -> TerminalWorld[Any]:
    """Return the world of a name; BadValue for parameters outside their domain, or with more digits than are exact."""
    from counterfactual.worlds import TERMINAL_WORLDS

    world = TERMINAL_WORLDS[name].make(parameters)
    world.start()
    world.reward_table  # noqa: B018  it is kept, and raises what it has to say
    return world


def simulate_worlds(worlds: Sequence[TerminalWorld[Any]], agents: Sequence[str]) -> list[Simulation]:
    """Simulate each agent, by its name, in the world at its place; worlds that are rows of one share their plans."""
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.world_rows import simulate_rows

    found: dict[int, Simulation] = {}
    for name in dict.fromkeys(agents):
        places = [place for place, agent in enumerate(agents) if agent == name]
        rows = simulate_rows([worlds[place] for place in places], PLANNING_AGENTS[name])
        found.update(zip(places, rows, strict=True))
    return [found[place] for place in range(len(agents))]
