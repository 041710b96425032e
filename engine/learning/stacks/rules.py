"""The arithmetic of each learning rule: compiled code for the processor, and torch for any device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engine.learning.stacks.batched import optimisers, policies
from engine.learning.stacks.batched.action_values import BatchedActionValues
from engine.learning.stacks.batched.policies import BatchedPolicies
from engine.learning.stacks.compiled import a2c, ppo
from engine.learning.stacks.compiled.arithmetic import CompiledActionValues, CompiledPolicies
from engine.learning.stacks.stack import RowArithmetic

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
