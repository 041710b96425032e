"""An agent is one function: from what it knows of the world and the signal of the present to the world it plans in.

    @PlanningAgent.depending_on(next_x=("X", "A"), next_signal=(), reward=("I_0", "X", "X'"))
    def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld: ...

What its kernels depend on is its influence diagram; declared with nothing (`@PlanningAgent`), they may depend on all.
Reference: "Counterfactual planning with an input terminal": agents differ in their planning worlds and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from counterfactual.declared_function import DeclaredFunction
from counterfactual.dependencies import Dependencies
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import FutureSelf, TerminalWorld
from engine.contracts import refuse
from engine.user_code import place_of


@dataclass(frozen=True)
class PlanningAgent(DeclaredFunction):
    """Declares a function (learned world, signal) -> `PlanningWorld` an agent.

    learned: what the agent knows of the real world. signal: the index of the present signal. dependencies: what its
    kernels depend on, None where it is not declared; see `depending_on`.
    """

    dependencies: Dependencies | None = None

    kind = "planning agent"
    arguments = ("learned", "signal")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dependencies is not None:
            self.dependencies.check(place_of(self.function))

    @classmethod
    def depending_on(cls, **kernels: tuple[str, ...]) -> Callable[[Callable[..., Any]], PlanningAgent]:
        """A decorator that declares what kernels depend on: next_x, next_signal, reward (see `Dependencies`)."""
        return lambda function: cls(function, Dependencies(**kernels))

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
