"""Episodes: states, actions and rewards in order, and whether the world or the step limit ended them.

`RandomStates` holds for each of n states a random state of some table: what is handed over, or where doing nothing
leads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Integers, TabularMDP
from engine.randomness.counter_based import inverse_cdf, uniform


class Step(NamedTuple):
    """One step: state, action (both by name), reward and next state."""

    state: Any
    action: str
    reward: float
    next_state: Any


class Episode(NamedTuple):
    """Steps in order; `ending` is "terminated" where the world ended it, "truncated" where the step limit did."""

    start: Any
    steps: tuple[Step, ...]
    ending: Literal["terminated", "truncated"]

    @property
    def states(self) -> tuple[Any, ...]:
        """Every state from the first to the last: one more than there are steps."""
        return (self.start, *(step.next_state for step in self.steps))

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions taken."""
        return tuple(step.action for step in self.steps)

    def total(self, discount: float = 1.0) -> float:
        """Return the sum of rewards, discounted from the first step on; the last step's reward counts too."""
        total = 0.0
        for step in reversed(self.steps):
            total = step.reward + discount * total
        return total


class Trajectory(NamedTuple):
    """An episode by numbers. states: from the first to the last; actions, slots: which successor came, between them."""

    states: tuple[int, ...]
    actions: tuple[int, ...]
    slots: tuple[int, ...]

    def episode(self, mdp: TabularMDP) -> Episode:
        """Return the episode in the words of the table."""
        names = [mdp.states[number] for number in self.states]
        steps = tuple(
            Step(names[n], mdp.actions[action], float(mdp.reward[self.states[n], action, slot]), names[n + 1])
            for n, (action, slot) in enumerate(zip(self.actions, self.slots, strict=True))
        )
        return Episode(names[0], steps, "terminated" if mdp.terminal[self.states[-1]] else "truncated")


def sample(mdp: TabularMDP, act: Callable[[int], int], start: int, limit: int, key: int = 0) -> Trajectory:
    """Return a trajectory of a policy in a table, of at most `limit` steps.

    act: state number -> action number. start: number of the first state. key: of the successors of stochastic steps,
    one random number a step. Raises BadValue for a limit below 1.
    """
    if limit < 1:
        raise BadValue(f"a limit of {limit} steps", place="rollout", remedy="allow at least one step")
    states, actions, slots = [start], list[int](), list[int]()
    while not mdp.terminal[states[-1]] and len(actions) < limit:
        actions.append(int(act(states[-1])))
        slots.append(find_successor(mdp, states[-1], actions[-1], uniform(key, len(slots))))
        states.append(int(mdp.next_state[states[-1], actions[-1], slots[-1]]))
    return Trajectory(tuple(states), tuple(actions), tuple(slots))


def find_successor(mdp: TabularMDP, state: int, action: int, number: float) -> int:
    """Return the slot of the successor that a number from [0, 1) falls into."""
    return 0 if mdp.is_deterministic else int(inverse_cdf(mdp.probability[state, action], number))


def rollout(mdp: TabularMDP, act: Callable[[int], int], start: int, limit: int, key: int = 0) -> Episode:
    """Return an episode of a policy in a table, of at most `limit` steps; arguments as in `sample`."""
    return sample(mdp, act, start, limit, key).episode(mdp)


class RandomStates(NamedTuple):
    """number: int32[n, H], states of the table. probability: f64[n, H], rows sum to 1; H is 1 without chance."""

    number: Integers
    probability: Floats

    def average(self, value: Floats) -> Floats:
        """Return f64[n], the mean of values f64[states of the table]."""
        if self.number.shape[1] == 1:
            return value[self.number[:, 0]]
        return np.asarray((self.probability * value[self.number]).sum(axis=1))

    def draw(self, state: int, uniform: float) -> int:
        """Return the state that a number from [0, 1) falls into, for one of the n states."""
        return int(self.number[state, inverse_cdf(self.probability[state], uniform)])
