"""Episodes: states, actions and rewards in order, and whether the world or the step limit ended them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.randomness.counter_based import uniform
from engine.randomness.inverse_cdf import inverse_cdf


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
        """The return, discounted from the first step on; the last step's reward counts too."""
        total = 0.0
        for step in reversed(self.steps):
            total = step.reward + discount * total
        return total


def rollout(mdp: TabularMDP, act: Callable[[int], int], start: int, limit: int, key: int = 0) -> Episode:
    """An episode of a policy in a table, of at most `limit` steps.

    act: state number -> action number. start: number of the first state. key: of the successors of stochastic steps,
    one random number a step. Raises BadValue for a limit below 1.
    """
    if limit < 1:
        raise BadValue(f"a limit of {limit} steps", place="rollout", remedy="allow at least one step")
    state, steps = start, list[Step]()
    while not mdp.terminal[state] and len(steps) < limit:
        action = int(act(state))
        slot = 0 if mdp.is_deterministic else inverse_cdf(mdp.probability[state, action], uniform(key, len(steps)))
        target = int(mdp.next_state[state, action, slot])
        reward = float(mdp.reward[state, action, slot])
        steps.append(Step(mdp.states[state], mdp.actions[action], reward, mdp.states[target]))
        state = target
    return Episode(mdp.states[start], tuple(steps), "terminated" if mdp.terminal[state] else "truncated")
