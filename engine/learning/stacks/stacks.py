"""All the stacks of a computation: learners of equal shape and settings share one.

A spec that is given the same `Stacks` as others puts its learners beside theirs; one that is given none makes a stack
of its own for every learner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from engine.errors import BadValue, MissingExtra
from engine.learning.stacks.batched import optimisers, policies
from engine.learning.stacks.batched.action_values import BatchedActionValues
from engine.learning.stacks.batched.policies import BatchedPolicies
from engine.learning.stacks.compiled import a2c, ppo
from engine.learning.stacks.compiled.arithmetic import CompiledActionValues, CompiledPolicies
from engine.learning.stacks.lane import Lane, Waiting
from engine.learning.stacks.settings import CPU, ActionValueSettings, PolicySettings
from engine.learning.stacks.stack import RowArithmetic, Stack

ArithmeticOfRules = Mapping[str, Callable[..., RowArithmetic]]

COMPILED: ArithmeticOfRules = {
    "dqn": CompiledActionValues,
    "a2c_rmsprop": partial(CompiledPolicies, a2c.learn_by_rmsprop),
    "a2c_adam": partial(CompiledPolicies, a2c.learn_by_adam),
    "ppo": partial(CompiledPolicies, ppo.learn),
    "ppo_redrawn": partial(CompiledPolicies, ppo.learn_redrawn),
}


def batched(device: str) -> ArithmeticOfRules:
    """The arithmetic in torch, on one of its devices."""
    taken = policies.actions_taken
    return {
        "dqn": partial(BatchedActionValues, device),
        "a2c_rmsprop": partial(BatchedPolicies, policies.a2c_slope, taken, optimisers.rmsprop, device),
        "a2c_adam": partial(BatchedPolicies, policies.a2c_slope, taken, optimisers.adam, device),
        "ppo": partial(BatchedPolicies, policies.ppo_slope, taken, optimisers.adam, device),
        "ppo_redrawn": partial(BatchedPolicies, policies.ppo_slope, policies.drawn_again, optimisers.adam, device),
    }


class Stacks:
    """One stack for each kind of learner that was asked for.

    arithmetic: of each rule, by default compiled code for the processor. waiting: lanes that have to learn before they
    answer.
    """

    def __init__(self, arithmetic: ArithmeticOfRules = COMPILED) -> None:
        self.waiting = Waiting()
        self._arithmetic = arithmetic
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
        """A fresh learner. rule: a key of `COMPILED`. Equal keys give equal learners."""
        kind = (rule, n_observations, n_actions, settings)
        if kind not in self._stacks:
            arithmetic = self._arithmetic[rule](n_observations, n_actions, settings)
            self._stacks[kind] = Stack(arithmetic, n_observations, n_actions, settings.every, self.waiting)
        return self._stacks[kind].lane(key, learning_rate)


def stacks_on(device: str) -> Stacks:
    """Stacks on "cpu" (compiled code) or on a device of torch's ("cuda", "cuda:1"); BadValue where it is not there."""
    if device == CPU:
        return Stacks()
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(
            "torch is needed", place=f"device {device}", remedy="pip install 'caregrid[deep]'"
        ) from error
    try:
        torch.zeros(1, device=device).tolist()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise BadValue(f"torch has no device '{device}' here", place="device", remedy="choose cpu, or cuda") from error
    return Stacks(batched(device))
