"""Episodes: what was done, what it paid, and whether the world ended it or the clock did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.randomness.counter_based import uniform
from engine.randomness.inverse_cdf import inverse_cdf


class Step(NamedTuple):
    """One step: the state acted in, the action (both by name), what it paid, and the state it led to."""

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
        """The return: every step counts, the last one too."""
        answer = 0.0
        for step in reversed(self.steps):
            answer = step.reward + discount * answer
        return answer


def rollout(mdp: TabularMDP, act: Callable[[int], int], start: int, limit: int, key: int = 0) -> Episode:
    """Follow `act` (state number -> action number) through a table for at most `limit` steps.

    start: number of the first state. key: draws the successors of stochastic steps, one number a step.
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
