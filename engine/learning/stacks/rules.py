"""The arithmetic of each learning rule: compiled code for the processor, and torch for any device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engine.learning.stacks import batched_lanes as policies
from engine.learning.stacks import batched_networks as optimisers
from engine.learning.stacks.batched_lanes import BatchedActionValues, BatchedPolicies
from engine.learning.stacks.compiled import policies as a2c
from engine.learning.stacks.compiled import policies as ppo
from engine.learning.stacks.compiled.arithmetic import CompiledActionValues, CompiledPolicies
from engine.learning.stacks.lanes import RowArithmetic

ArithmeticOfRules = Mapping[str, Callable[..., RowArithmetic]]

COMPILED: ArithmeticOfRules = {
    "dqn": CompiledActionValues,
    "a2c_rmsprop": partial(CompiledPolicies, a2c.learn_by_rmsprop),
    "a2c_adam": partial(CompiledPolicies, a2c.learn_by_adam),
    "ppo": partial(CompiledPolicies, ppo.learn_ppo),
    "ppo_redrawn": partial(CompiledPolicies, ppo.learn_ppo_redrawn),
}


def make_batched_arithmetic(device: str) -> ArithmeticOfRules:
    """The arithmetic in torch, on one of its devices."""
    taken = policies.read_actions
    return {
        "dqn": partial(BatchedActionValues, device),
        "a2c_rmsprop": partial(BatchedPolicies, policies.compute_a2c_slope, taken, optimisers.rmsprop, device),
        "a2c_adam": partial(BatchedPolicies, policies.compute_a2c_slope, taken, optimisers.adam, device),
        "ppo": partial(BatchedPolicies, policies.compute_ppo_slope, taken, optimisers.adam, device),
        "ppo_redrawn": partial(
            BatchedPolicies, policies.compute_ppo_slope, policies.draw_actions_again, optimisers.adam, device
        ),
    }
