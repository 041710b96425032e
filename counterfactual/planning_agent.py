"""An agent is one function: from what it knows of the world and the signal of the present to the world it plans in.

    @PlanningAgent
    def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld: ...

Reference: "Counterfactual planning with an input terminal": agents differ in their planning worlds and in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterfactual.declared_function import DeclaredFunction
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import TerminalWorld
from engine.contracts import refuse


@dataclass(frozen=True)
class PlanningAgent(DeclaredFunction):
    """Declares a function (learned world, signal) -> `PlanningWorld` an agent.

    learned: what the agent knows of the real world. signal: the index of the present signal.
    """

    kind = "planning agent"
    arguments = ("learned", "signal")

    def __call__(self, learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
        """The planning world; ContractBroken, naming the function, where it raises or returns something else."""
        world = self.result(learned, signal)
        if not isinstance(world, PlanningWorld):
            refuse(self.function, self.name, world, "a PlanningWorld")
        return world
