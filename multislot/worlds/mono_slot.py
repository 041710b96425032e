"""A mono-slot environment as a world of the engine: where nobody is ever copied, planning is the ordinary kind.

    V(s) = max_a sum_o nu(c^11 o | s, a, 1) [ r(o) + gamma V(update(s, a, o)) ]

A deletion leads to a terminal state. Reference: The Multi-slot Framework, Eq. 1 and section 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import ContractBroken
from engine.mdp.mdp import Outcome
from multislot.worlds.environment import HistoryBasedEnvironment, HistoryState, get_checked_law

DELETED = "deleted"


class MonoSlot:
    """An `engine.mdp.mdp.Model` of an environment whose only copies are from its one slot to itself.

    ContractBroken, while it is tabulated, where an agent starts or is copied elsewhere.
    """

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        if len(environment.initial) != 1:
            problem = f"{len(environment.initial)} initial slots"
            raise ContractBroken(problem, place=environment.name, remedy="start with one agent")
        self.environment = environment
        self.slot = environment.initial[0]
        self.actions = tuple(str(action) for action in environment.actions)

    def starts(self) -> dict[HistoryState, float]:
        """Return the state of the empty history."""
        return {self.environment.start(): 1.0}

    def outcomes(self, state: HistoryState, action: int) -> Iterator[Outcome]:
        """Yield one for every outcome of the slot's law."""
        label = self.environment.actions[action]
        for probability, copies in get_checked_law(self.environment, state, self.slot, label):
            if not copies:
                yield Outcome(DELETED, 0.0, float(probability))
                continue
            if set(copies) != {self.slot}:
                problem = f"slot {self.slot} is copied to {sorted(copies)}"
                raise ContractBroken(problem, place=self.environment.name, remedy="use an environment without copies")
            observation = copies[self.slot]
            reward = float(self.environment.rewards[observation])
            yield Outcome(self.environment.update(state, label, observation), reward, float(probability))

    def is_terminal(self, state: HistoryState) -> bool:
        """Return whether the agent has been deleted."""
        return state == DELETED
