"""An agent is one function: from what it knows of the world and the signal of the present to the world it plans in.

    @PlanningAgent
    def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld: ...

Reference: "Counterfactual planning with an input terminal": agents differ in their planning worlds and in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from counterfactual.declared_function import DeclaredFunction
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import FutureSelf, TerminalWorld
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
        return world if world.successor else replace(world, successor=partial(self._successor, learned, signal))

    def _successor(self, learned: TerminalWorld[Any], signal: int, future: FutureSelf) -> PlanningWorld | None:
        """The planning world of a future self, made under the same signal; None where it is no other agent."""
        if not future.is_another_than(learned, self):
            return None
        world: PlanningWorld = (future.agent or self)(future.world, signal)
        return world
