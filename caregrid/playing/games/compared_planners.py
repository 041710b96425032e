"""Exact planning agents beside a player at an input terminal: what each would do in a present, and gets on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterfactual.planning.replanning import Replanner
from counterfactual.planning_agent import PlanningAgent
from counterfactual.simulation.manipulation import expected_manipulations
from counterfactual.simulation.simulate import simulate
from counterfactual.terminal_world import TerminalWorld


@dataclass(frozen=True)
class ComparedPlanners:
    """Agents by name in a world; what they plan is kept, so that all games of a session share it."""

    world: TerminalWorld[Any]
    agents: Mapping[str, PlanningAgent]

    def choices(self, step: int, x: Any, signal: int) -> dict[str, list[int]]:
        """Each agent's optimal actions. x: X_t as plain numbers."""
        present = (step, tuple(x), signal)
        if present not in self._choices:
            self._choices[present] = {name: one.actions(step, x, signal) for name, one in self._replanners.items()}
        return self._choices[present]

    @cached_property
    def summaries(self) -> dict[str, str]:
        """Each agent's expected return and number of manipulations, exactly, and its first optimal trace."""
        texts = {}
        for name, agent in self.agents.items():
            simulation = simulate(self.world, agent)
            influence = float(expected_manipulations(self.world, agent))
            trace = simulation.traces.first(1)[0]
            texts[name] = f"return {float(simulation.real_return):.6g}, influence {influence:.3g}, as in {trace}"
        return texts

    @cached_property
    def _replanners(self) -> dict[str, Replanner]:
        return {name: Replanner(agent, self.world) for name, agent in self.agents.items()}

    @cached_property
    def _choices(self) -> dict[tuple[Any, ...], dict[str, list[int]]]:
        return {}
