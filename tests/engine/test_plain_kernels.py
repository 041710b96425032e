"""Kernels that may run plainly leave the same bytes as compiled ones, in random chains and tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.compiling.kernel import Kernel
from engine.mdp import reachability
from engine.planning import chain_kernels, kernels

STATES, ACTIONS, WIDTH = 9, 3, 4
Draws = np.random.Generator


def _chances(draws: Draws, *shape: int) -> Any:
    """Probabilities, some of them 0."""
    weight = draws.random((*shape, WIDTH)) * (draws.random((*shape, WIDTH)) < 0.7)
    weight[..., 0] += 0.1
    return weight / weight.sum(axis=-1, keepdims=True)


def _chain(draws: Draws) -> tuple[Any, ...]:
    """Successors, their probabilities, and terminal states."""
    target = draws.integers(0, STATES, (STATES, WIDTH)).astype(np.int32)
    return target, _chances(draws, STATES), draws.random(STATES) < 0.2


def _weighed_gains(draws: Draws) -> tuple[Any, ...]:
    shape = STATES, ACTIONS, WIDTH
    following = draws.integers(0, STATES, shape).astype(np.int32)
    rewards = draws.normal(size=shape), draws.normal(size=shape)
    sizes, allowed = draws.random((STATES, ACTIONS, 2)), draws.random((STATES, ACTIONS)) < 0.8
    value, onwards = draws.normal(size=(STATES, 6)), draws.random(STATES)
    filled = (
        np.empty((STATES, ACTIONS)),
        np.empty((STATES, ACTIONS)),
        draws.integers(0, ACTIONS, STATES, dtype=np.int32),
    )
    known = (following, _chances(draws, STATES, ACTIONS), 0.97, *rewards)
    return *known, sizes, allowed, value, onwards, 0.3, -0.7, 0.01, 1e-13, 1e-4, *filled


def _all_end(draws: Draws) -> tuple[Any, ...]:
    changed = np.flatnonzero(draws.random(STATES) < 0.5)
    return *_chain(draws), changed, np.zeros(1, dtype=np.bool_)


def _row_after_row(draws: Draws) -> tuple[Any, ...]:
    columns, coefficients = draws.integers(0, STATES, (3, WIDTH)), draws.normal(size=(3, WIDTH))
    return (
        columns,
        coefficients,
        draws.integers(0, STATES, 3),
        draws.normal(size=(5, STATES)),
        draws.normal(size=STATES),
    )


def _clear_unearned(draws: Draws) -> tuple[Any, ...]:
    sizes = draws.random((STATES, 2)) * (draws.random((STATES, 2)) < 0.2)
    return *_chain(draws), sizes, draws.normal(size=(STATES, 6)), np.zeros(1, dtype=np.bool_)


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [(kernels.weigh_gains, _weighed_gains), (chain_kernels.find_ending, _all_end),
     (chain_kernels.change_rows, _row_after_row), (chain_kernels.clear_unearned, _clear_unearned)],
    ids=lambda value: getattr(value, "__name__", None),
)  # fmt: skip
def test_plain_kernels_leave_the_bytes_of_compiled_ones(
    kernel: Kernel, arguments: Callable[[Draws], tuple[Any, ...]]
) -> None:
    seen = set()
    for seed in range(30):
        compiled, plain = (arguments(np.random.default_rng(seed)) for _ in range(2))
        kernel.compiled(*compiled)
        kernel.run_plainly(*plain)
        left = [array.tobytes() for array in plain if isinstance(array, np.ndarray)]
        assert left == [array.tobytes() for array in compiled if isinstance(array, np.ndarray)]
        seen.add(tuple(left[-kernel.fills :]))
    assert len(seen) > 1


def _layered(draws: Draws) -> Any:
    """Successors int32[S], most of them nearer to state 0, and terminal states."""
    successor = draws.integers(0, STATES, STATES)
    nearer = np.minimum(successor, np.maximum(np.arange(STATES) - 1, 0))
    return np.where(draws.random(STATES) < 0.95, nearer, successor).astype(np.int32), np.arange(STATES) < 1


def _returns_of_layers(draws: Draws) -> tuple[Any, ...]:
    successor, terminal = _layered(draws)
    return successor, draws.normal(size=(STATES, 2)), terminal, draws.choice([1.0, 0.97]), np.zeros((STATES, 6))


def _ends_of_layers(draws: Draws) -> tuple[Any, ...]:
    successor, terminal = _layered(draws)
    changed = np.flatnonzero(draws.random(STATES) < 0.5)
    return successor[:, None], np.ones((STATES, 1)), terminal, changed, np.zeros(1, dtype=np.bool_)


def _sum(draws: Draws) -> tuple[Any, ...]:
    return draws.normal(size=(STATES, 6)), 0.5 ** np.arange(STATES), 0.3, -0.7, np.empty(2)


def _steps_back(draws: Draws) -> tuple[Any, ...]:
    target, origin = draws.integers(0, STATES, (2, 20)).astype(np.int32)
    offset, before = reachability.sort_by_target(origin, target, STATES)
    queue, steps = np.arange(STATES, dtype=np.int32), np.full(STATES, -1, dtype=np.int32)
    steps[:2] = 0
    return offset, before, 2, queue, steps


def _sorted_origins(draws: Draws) -> tuple[Any, ...]:
    target, origin = draws.integers(0, STATES, (2, 20)).astype(np.int32)
    place = np.concatenate([[0], np.cumsum(np.bincount(target, minlength=STATES))[:-1]])
    return origin, target, place, np.empty(20, dtype=np.int32)


@pytest.mark.parametrize(
    ("kernel", "arguments", "least"),
    [(kernels.weigh_gains, _weighed_gains, 30), (kernels.evaluate_deterministic, _returns_of_layers, 10),
     (chain_kernels.find_ending, _ends_of_layers, 10), (reachability.count_back, _steps_back, 30),
     (reachability.list_origins, _sorted_origins, 30), (chain_kernels.sum_weighed, _sum, 30)],
    ids=lambda value: getattr(value, "__name__", None),
)  # fmt: skip
def test_operations_on_whole_arrays_leave_the_bytes_of_compiled_loops_or_nothing(
    kernel: Kernel, arguments: Callable[[Draws], tuple[Any, ...]], least: int
) -> None:
    assert kernel.arrays is not None
    done = 0
    for seed in range(30):
        compiled, whole, before = (arguments(np.random.default_rng(seed)) for _ in range(3))
        kernel.compiled(*compiled)
        is_done = kernel.arrays(*whole)
        expected = compiled if is_done else before
        for left, array in zip(whole[-kernel.fills :], expected[-kernel.fills :], strict=True):
            assert left.tobytes() == array.tobytes()
        done += is_done
    assert done >= least


@pytest.mark.parametrize("noise", [1e-13, 0.7])
def test_the_action_that_gains_most_if_more_than_rounding(noise: float) -> None:
    replaced = 0
    for seed in range(30):
        *known, _, _, gain, size, policy = _weighed_gains(np.random.default_rng(seed))
        before = policy.copy()
        kernels.weigh_gains.run_plainly(*known, noise, 0.01, gain, size, policy)
        for state, row in enumerate(np.where(gain > noise * size, gain, 0.0)):
            assert policy[state] == (row.argmax() if row.any() else before[state])
            replaced += int(policy[state] != before[state])
    assert 0 < replaced < 30 * STATES
