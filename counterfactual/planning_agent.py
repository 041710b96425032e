"""An agent is one function: from what it knows of the world and the signal of the present to the world it plans in.

    @PlanningAgent.depending_on(next_x=("X", "A"), next_signal=(), reward=("I_0", "X", "X'"))
    def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld: ...

What its kernels depend on is its influence diagram; declared with nothing (`@PlanningAgent`), they may depend on all.
A function with a third argument, `step`, is given the present step and plans anew at every one: for agents that look a
few steps ahead, or want something else as time goes by.

Reference: "Counterfactual planning with an input terminal": agents differ in their planning worlds and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from counterfactual.declared_function import DeclaredFunction, takes_argument
from counterfactual.dependencies import Dependencies
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import FutureSelf, TerminalWorld
from engine.contracts import refuse, require_parameters
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

    @property
    def knows_step(self) -> bool:
        """Whether the function is given the present step."""
        return takes_argument(self.function, "step")

    def __post_init__(self) -> None:
        if self.knows_step:
            require_parameters(self.function, 3, f"{self.name}(learned, signal, step)")
        else:
            super().__post_init__()
        if self.dependencies is not None:
            self.dependencies.check(place_of(self.function))

    @classmethod
    def depending_on(cls, **kernels: tuple[str, ...]) -> Callable[[Callable[..., Any]], PlanningAgent]:
        """A decorator that declares what kernels depend on: next_x, next_signal, reward (see `Dependencies`)."""
        return lambda function: cls(function, Dependencies(**kernels))

    def __call__(self, learned: TerminalWorld[Any], signal: int, step: int = 1) -> PlanningWorld:
        """The planning world; ContractBroken, naming the function, where it raises or returns something else.

        step: the present step, 1 .. horizon, for an agent that knows it.
        """
        world = self.result(learned, signal, step) if self.knows_step else self.result(learned, signal)
        if not isinstance(world, PlanningWorld):
            refuse(self.function, self.name, world, "a PlanningWorld")
        successor = world.successor or partial(self._successor, learned, signal)
        return replace(world, successor=successor, present=step if self.knows_step else None)

    def _successor(
        self, learned: TerminalWorld[Any], signal: int, future: FutureSelf, step: int
    ) -> PlanningWorld | None:
        """The planning world of a future self at a step, under the same signal; None where it is not another agent."""
        if not future.is_another_than(learned, self):
            return None
        agent = self if future.agent is None else PlanningAgent.accept(future.agent)
        return agent(future.world, signal, step)
