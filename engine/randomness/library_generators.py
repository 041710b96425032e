"""Generators of other libraries: torch's seeded with a key, and global ones that are afterwards as before.

The random numbers of the deep agents, too, are pure functions of key and counter: initial weights, shuffles, samples.
Torch's generator is put aside while a network is initialised, and shuffles and samples are made from
`engine.randomness.counter_based`, so that a fork needs to copy no generator and equal pasts give equal weights.
Libraries that draw from the global generators of random, numpy and torch run within `keep_global_generators`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.randomness.compiled import uniform_2
from engine.randomness.counter_based import bits


@contextmanager
def keep_global_generators() -> Iterator[None]:
    """The generators of random, numpy and torch are afterwards as before."""
    import torch

    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002


@contextmanager
def seed_torch(key: int) -> Iterator[None]:
    """Torch draws from a generator seeded with `key` inside; its global generator is as before afterwards."""
    import torch

    own = torch.Generator()
    own.manual_seed(bits(key) >> 1)
    with torch.random.fork_rng(devices=[]):
        torch.random.set_rng_state(own.get_state())
        yield


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Torch computes on one thread inside: quicker for small networks, and the same bytes on every machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@kernel
def _draw_uniforms(key, counter, n):  # type: ignore[no-untyped-def]
    drawn = np.empty(n, dtype=np.float64)
    for i in range(n):
        drawn[i] = uniform_2(key, counter, i)
    return drawn


def sample_indices(size: int, n: int, key: int, counter: int) -> NDArray[np.int64]:
    """`n` uniform indices in 0 .. size-1 with replacement, int64[n]; counter: which sample of the key it is."""
    drawn: NDArray[np.float64] = _draw_uniforms(np.uint64(key), counter, n)
    return (drawn * size).astype(np.int64)


def draw_permutation(n: int, key: int, counter: int) -> NDArray[np.int64]:
    """0 .. n-1 in random order, int64[n]; counter: which permutation of the key it is."""
    return np.argsort(_draw_uniforms(np.uint64(key), counter, n), kind="stable")
