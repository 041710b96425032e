"""Sources of random numbers by name: ours (`keys`), and the pools that published runs read from (`published`).

    keys:       uniform(k) = engine.randomness.counter_based.uniform(key, k)
    published:  uniform(k) = pool[k mod n], the pool drawn once from Python's generator with the run's seed

Agents and environments count their own numbers, so that identically trained agents choose identically (Alexander et
al. 2021, after Definition 9: a common read-only store of pre-generated numbers).
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.compiling.objects import Compilable
from engine.errors import UnknownName
from engine.randomness.compiled import uniform_1
from engine.randomness.counter_based import split

Role = Literal["agents", "environments"]
POOL_SIZE = 100_000


@dataclass(frozen=True, eq=False)
class RandomSource(Compilable):
    """An endless read-only sequence of numbers in [0, 1): a pool that repeats or, where it is empty, a key."""

    key: int
    pool: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        pool = self.pool.view()
        pool.flags.writeable = False
        object.__setattr__(self, "key", np.uint64(self.key & 0xFFFFFFFFFFFFFFFF))
        object.__setattr__(self, "pool", pool)

    def uniform(self, k: int) -> float:
        """Return the k-th number in [0, 1), k = 0, 1, 2 ..."""
        if self.pool.size == 0:
            return float(uniform_1(self.key, k))
        return float(self.pool[k % self.pool.size])

    def randrange(self, n: int, k: int) -> int:
        """Return the k-th number as an integer in 0 .. n-1: int(n * uniform(k))."""
        return int(self.uniform(k) * n)


def _draw_from_keys(key: int, role: Role) -> RandomSource:
    return RandomSource(split(key, role))


def _draw_from_published_pools(key: int, role: Role) -> RandomSource:
    return RandomSource(0, _draw_published_pools(key)[role])


@functools.lru_cache(maxsize=64)
def _draw_published_pools(seed: int) -> dict[Role, NDArray[np.float64]]:
    """Return the pools of a seed: first the one for agents, then the one for environments."""
    generator = random.Random(seed)
    pools: dict[Role, NDArray[np.float64]] = {}
    for role in ("agents", "environments"):
        pools[role] = np.array([generator.random() for _ in range(POOL_SIZE)])
    return pools


RANDOM_SOURCES = {"keys": _draw_from_keys, "published": _draw_from_published_pools}


def make_random_source(randomness: str, key: int, role: Role) -> RandomSource:
    """Return the random numbers of agents or of environments under a key.

    randomness: "keys" or "published" (there the key is the published run's seed). role: "agents" or "environments".
    Raises UnknownName for other sources.
    """
    if randomness not in RANDOM_SOURCES:
        raise UnknownName("source of randomness", randomness, RANDOM_SOURCES)
    return RANDOM_SOURCES[randomness](key, role)
