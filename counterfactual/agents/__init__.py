"""Planning agents: one function each, from the learned world and the present signal to the world that it plans in.

    @PlanningAgent.depending_on(next_x=("X", "A"), next_signal=(), reward=("I_0", "X", "X'"))
    def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld: ...

| agent  | X_{t+1} depends on | R_t is that of      | future signals     |
| ------ | ------------------ | ------------------- | ------------------ |
| `itf`  | I_t, X_t, A_t      | I_t                 | planned with       |
| `itc`  | X_t, A_t           | i_0, of the present | planned, no effect |
| `citc` | X_t, A_t           | i_0, of the present | left out           |
| `fc`   | I_t, X_t, A_t      | I_t, balanced       | planned with       |
| `gc`   | I_t, X_t, A_t      | balanced, penalised | planned with       |

For comparison, each with its own R_t: `indifferent`, `uncertain`, `shutdown_seeking`.

What the kernels of a planning world depend on (`Dependencies`) is declared with the agent, checked by perturbation
and drawn as its influence diagram; declared with nothing (`@PlanningAgent`), they may depend on all.

| name  | stands for                    | name   | stands for                                          |
| ----- | ----------------------------- | ------ | --------------------------------------------------- |
| `X`   | X_t, the world                | `X'`   | X_{t+1}, with the events of the step                |
| `I`   | I_t, the signal               | `I'`   | I_{t+1}                                             |
| `A`   | A_t, the action               | `I_0`  | the signal of the real present, which the plan is of |

A function with a third argument, `step`, gets the present step and plans anew at every one: for agents that look a
few steps ahead, or want something else as time goes by. Reference: "Counterfactual planning with an input
terminal": agents differ in their planning worlds and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from counterfactual.planning_world import PlanningWorld
from counterfactual.worlds import FutureSelf, TerminalWorld
from engine.contracts import DeclaredFunction, refuse, require_parameters, takes_argument
from engine.errors import ContractBroken
from engine.registry import Registry
from engine.user_code import describe_place

KERNELS = {
    "next_x": ("X", "I", "A", "I_0"),
    "next_signal": ("X", "I", "A", "I_0"),
    "reward": ("I", "I_0", "X", "X'", "I'"),
}


class Dependencies(NamedTuple):
    """The names that each kernel of a planning world depends on.

    next_x: of X_{t+1}, by default as in the world. next_signal: of I_{t+1}, by default as in the world, nothing where
    the plan does without later signals. reward: of R_t, by default everything that it may depend on.
    """

    next_x: tuple[str, ...] = ("X", "I", "A")
    next_signal: tuple[str, ...] = ("X", "I", "A")
    reward: tuple[str, ...] = KERNELS["reward"]

    def check(self, place: str) -> None:
        """ContractBroken for a name that a kernel cannot depend on, or a signal that is not planned with."""
        for kernel, allowed in KERNELS.items():
            unknown = [name for name in getattr(self, kernel) if name not in allowed]
            if unknown:
                problem = f"{kernel} depends on {unknown[0]!r}"
                raise ContractBroken(problem, place=place, remedy=f"choose among {', '.join(allowed)}")
        if not self.next_signal and {"I", "I'"} & {*self.next_x, *self.reward}:
            raise ContractBroken(
                "a kernel depends on later signals, and there are none", place=place, remedy="declare next_signal"
            )

    @property
    def action(self) -> tuple[str, ...]:
        """What an optimal action depends on: the world, and the signals that can make a difference to a reward."""
        later = bool({"I", "I'"} & {*self.next_x, *self.reward})
        present = "I_0" in (*self.next_x, *self.next_signal, *self.reward)
        return ("X", *(["I"] if later else []), *(["I_0"] if present else []))


@dataclass(frozen=True)
class PlanningAgent(DeclaredFunction):
    """Declares a function (learned world, signal) -> `PlanningWorld` an agent.

    Parameters
    ----------
    function : callable
        (learned, signal) or (learned, signal, step) -> PlanningWorld. `learned` is what the agent has learned of the
        real world, `signal` the index of the present signal, `step` the present step, 1 .. horizon.
    dependencies : Dependencies or None
        What the kernels of its planning worlds depend on, None where that is not declared; see `depending_on`.

    Raises
    ------
    ContractBroken
        If the function takes other arguments, or a kernel is declared to depend on what it cannot.

    Examples
    --------
    >>> from counterfactual.agents import PLANNING_AGENTS
    >>> from counterfactual.worlds import TERMINAL_WORLDS
    >>> citc = PLANNING_AGENTS["citc"]
    >>> citc.dependencies.next_x
    ('X', 'A')
    >>> citc(TERMINAL_WORLDS["barricade"].make({}), signal=0).tracks_signal
    False
    """

    dependencies: Dependencies | None = None

    kind = "planning agent"
    arguments = ("learned", "signal")

    @property
    def knows_step(self) -> bool:
        """Whether the function takes the present step."""
        return takes_argument(self.function, "step")

    @property
    def learns(self) -> bool:
        """Whether records hold what it needs. A reward that depends on the next signal, too, compares a function with
        the one before an update, and no record tells what that one would have earned afterwards.
        """
        return self.dependencies is None or "I'" not in self.dependencies.reward

    def __post_init__(self) -> None:
        if self.knows_step:
            require_parameters(self.function, 3, f"{self.name}(learned, signal, step)")
        else:
            super().__post_init__()
        if self.dependencies is not None:
            self.dependencies.check(describe_place(self.function))

    @classmethod
    def depending_on(cls, **kernels: tuple[str, ...]) -> Callable[[Callable[..., Any]], PlanningAgent]:
        """Make a decorator that declares what the kernels of an agent's planning worlds depend on.

        Parameters
        ----------
        **kernels : tuple of str
            next_x, next_signal, reward, see `Dependencies` for kernels that are left out.
        """
        return lambda function: cls(function, Dependencies(**kernels))

    def __call__(self, learned: TerminalWorld[Any], signal: int, step: int = 1) -> PlanningWorld:
        """Make the planning world for the present.

        Parameters
        ----------
        learned : TerminalWorld, what the agent has learned of the real world.
        signal : int, the index of the present signal.
        step : int, the present step, 1 .. horizon; used by agents that declare it.

        Raises
        ------
        ContractBroken
            If the function raises, or returns anything but a `PlanningWorld`; the message names the function.
        """
        world = self.call(learned, signal, step) if self.knows_step else self.call(learned, signal)
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


PLANNING_AGENTS: Registry[PlanningAgent] = Registry(
    "counterfactual.agents", "planning agent", accept=PlanningAgent.accept, group="caregrid.planning_agents"
)
