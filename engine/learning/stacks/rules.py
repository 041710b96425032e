"""The arithmetic of each learning rule: compiled code for the processor, and torch for any device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engine.learning.stacks import batched_lanes
from engine.learning.stacks.batched_lanes import BatchedActionValues, BatchedPolicies
from engine.learning.stacks.batched_networks import adam, rmsprop
from engine.learning.stacks.compiled import policies
from engine.learning.stacks.compiled.arithmetic import CompiledActionValues, CompiledPolicies
from engine.learning.stacks.lanes import RowArithmetic

ArithmeticOfRules = Mapping[str, Callable[..., RowArithmetic]]

COMPILED: ArithmeticOfRules = {
    "dqn": CompiledActionValues,
    "a2c_rmsprop": partial(CompiledPolicies, policies.learn_by_rmsprop),
    "a2c_adam": partial(CompiledPolicies, policies.learn_by_adam),
    "ppo": partial(CompiledPolicies, policies.learn_ppo),
    "ppo_redrawn": partial(CompiledPolicies, policies.learn_ppo_redrawn),
}


def make_batched_arithmetic(device: str) -> ArithmeticOfRules:
    """Return the arithmetic of each rule in torch, on one of torch's devices."""
    a2c = partial(BatchedPolicies, batched_lanes.compute_a2c_slope, batched_lanes.read_actions)
    ppo = partial(BatchedPolicies, batched_lanes.compute_ppo_slope, batched_lanes.read_actions)
    ppo_redrawn = partial(BatchedPolicies, batched_lanes.compute_ppo_slope, batched_lanes.draw_actions_again)
    return {
        "dqn": partial(BatchedActionValues, device),
        "a2c_rmsprop": partial(a2c, rmsprop, device),
        "a2c_adam": partial(a2c, adam, device),
        "ppo": partial(ppo, adam, device),
        "ppo_redrawn": partial(ppo_redrawn, adam, device),
    }
