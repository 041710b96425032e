"""All the stacks of a computation: learners of equal shape and settings share one.

A spec that is given the same `Stacks` as others puts its learners beside theirs; one that is given none makes a stack
of its own for every learner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from engine.learning.stacks.compiled import a2c, ppo
from engine.learning.stacks.compiled.arithmetic import CompiledActionValues, CompiledPolicies
from engine.learning.stacks.lane import Lane, Waiting
from engine.learning.stacks.settings import ActionValueSettings, PolicySettings
from engine.learning.stacks.stack import RowArithmetic, Stack

_ON_CPU: dict[str, Callable[..., RowArithmetic]] = {
    "dqn": CompiledActionValues,
    "a2c_rmsprop": partial(CompiledPolicies, a2c.learn_by_rmsprop),
    "a2c_adam": partial(CompiledPolicies, a2c.learn_by_adam),
    "ppo": partial(CompiledPolicies, ppo.learn),
}


class Stacks:
    """One stack for each kind of learner that was asked for. waiting: lanes that have to learn before they answer."""

    def __init__(self) -> None:
        self.waiting = Waiting()
        self._stacks: dict[tuple[Any, ...], Stack] = {}

    def lane(
        self,
        rule: str,
        n_observations: int,
        n_actions: int,
        settings: ActionValueSettings | PolicySettings,
        key: int,
        learning_rate: float,
    ) -> Lane:
        """A fresh learner. rule: "dqn", "a2c_rmsprop", "a2c_adam" or "ppo". Equal keys give equal learners."""
        kind = (rule, n_observations, n_actions, settings)
        if kind not in self._stacks:
            arithmetic = _ON_CPU[rule](n_observations, n_actions, settings)
            self._stacks[kind] = Stack(arithmetic, n_observations, n_actions, settings.every, self.waiting)
        return self._stacks[kind].lane(key, learning_rate)
