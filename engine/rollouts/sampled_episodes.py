"""Episodes by number, and estimates of their return: the same for any number of threads and of lanes.

    mean = (1 / n) sum of G        standard error = sqrt( sum of (G - mean)^2 / (n (n - 1)) )
    G = R_1 + gamma R_2 + ... + gamma^(T - 1) R_T + gamma^T final(S_T)

The same key gives the same episodes under any reward, so that two rewards are estimated of the same trajectories.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiling.threads import in_order, thread_count
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats, Integers, TabularMDP
from engine.randomness.counter_based import split
from engine.rollouts.outcome_table import AnyPolicy, OutcomeTable, outcome_table

BLOCK = 8_192
LANES = 4
_LONGEST = 2**31 - 1


class SampledEpisodes(NamedTuple):
    """n episodes in the order of their numbers.

    start, final: int32[n], the states in which they begin and end. steps: int32[n]. total: f64[n], discounted returns.
    terminated: bool[n], whether the world ended them; the others were cut at the limit.
    """

    start: Integers
    final: Integers
    steps: Integers
    total: Floats
    terminated: Booleans


class ReturnEstimate(NamedTuple):
    """What n episodes gave.

    mean, standard_error: of the discounted return; the error is nan for a single episode. least, most: the extremes.
    steps: of all episodes together. terminated: how many the world ended.
    """

    episodes: int
    mean: float
    standard_error: float
    least: float
    most: float
    steps: int
    terminated: int


def sample_episodes(
    mdp: TabularMDP,
    policy: AnyPolicy,
    episodes: int | range,
    limit: int,
    key: int = 0,
    *,
    reward: Floats | None = None,
    lanes: int = LANES,
) -> SampledEpisodes:
    """Episodes of a policy, each of at most `limit` steps.

    policy: int[S], f64[S, A] of probabilities, or one of them for each start state. episodes: how many, or which
    numbers, in steps of 1. key: of all chance. reward: f64[S, A, K] in place of the table's. lanes: how many are under
    way at once, which changes no result. Raises BadValue for a policy or a reward that does not fit the table, a limit
    outside 1 .. 2^31 - 1 and numbers that are none of episodes.
    """
    table = outcome_table(mdp, policy, reward)
    return _block(mdp, table, _numbers(episodes), _checked(limit), key, lanes)


def estimate_return(
    mdp: TabularMDP,
    policy: AnyPolicy,
    episodes: int,
    limit: int,
    key: int = 0,
    *,
    reward: Floats | None = None,
    final: Floats | None = None,
    threads: int | None = None,
) -> ReturnEstimate:
    """The mean return of that many episodes, in memory that does not grow with their number.

    final: f64[S], what the state in which an episode is at last is worth, 0 where it is left out. threads: None for one
    a core. The other arguments and errors are those of `sample_episodes`.
    """
    table, limit, numbers = outcome_table(mdp, policy, reward), _checked(limit), _numbers(episodes)
    if not numbers:
        raise BadValue("no episodes", place="episodes", remedy="ask for at least 1")
    blocks = [range(first, min(first + BLOCK, numbers.stop)) for first in range(0, numbers.stop, BLOCK)]
    workers = min(len(blocks), thread_count(threads))
    work = (lambda block=block: _block(mdp, table, block, limit, key, LANES) for block in blocks)
    found = _Moments()
    for sampled in in_order(work, workers):
        last = 0.0 if final is None else mdp.discount**sampled.steps * final[sampled.final]
        found.add(sampled, sampled.total + last)
    return found.estimate()


class _Moments:
    """Mean and squared deviations of returns, block after block. Reference: Chan, Golub and LeVeque (1983)."""

    def __init__(self) -> None:
        self._count, self._mean, self._squares = 0, 0.0, 0.0
        self._least, self._most, self._steps, self._terminated = math.inf, -math.inf, 0, 0

    def add(self, block: SampledEpisodes, returns: Floats) -> None:
        """Take in one more block and its returns, f64[n]."""
        count, mean = len(returns), float(returns.mean())
        together, apart = self._count + count, mean - self._mean
        self._squares += float(np.square(returns - mean).sum()) + apart * apart * self._count * count / together
        self._mean += apart * count / together
        self._count = together
        self._least = min(self._least, float(returns.min()))
        self._most = max(self._most, float(returns.max()))
        self._steps += int(block.steps.sum(dtype=np.int64))
        self._terminated += int(block.terminated.sum())

    def estimate(self) -> ReturnEstimate:
        """What all blocks gave."""
        n = self._count
        alike = self._least == self._most  # then squares hold nothing but rounding
        error = math.nan if n == 1 else 0.0 if alike else math.sqrt(self._squares / (n * (n - 1)))
        return ReturnEstimate(n, self._mean, error, self._least, self._most, self._steps, self._terminated)


def _block(mdp: TabularMDP, table: OutcomeTable, numbers: range, limit: int, key: int, lanes: int) -> SampledEpisodes:
    from engine.rollouts.kernel import sample_block

    n = len(numbers)
    start, final, steps = np.zeros((3, n), dtype=np.int32)
    total: NDArray[np.float64] = np.zeros(n)
    start_key, step_key = (np.uint64(split(key, part)) for part in ("start", "step"))
    where = (limit, start_key, step_key, numbers.start, lanes)
    sample_block(tuple(table), mdp.discount, where, start, final, steps, total)
    terminated, states = final < 0, len(mdp.terminal)
    return SampledEpisodes(start % states, np.where(terminated, ~final, final) % states, steps, total, terminated)


def _numbers(episodes: int | range) -> range:
    numbers = episodes if isinstance(episodes, range) else range(episodes)
    if (isinstance(episodes, int) and episodes < 0) or numbers.start < 0 or numbers.step != 1:
        raise BadValue(f"episodes {episodes}", place="episodes", remedy="give how many, or a range in steps of 1")
    return numbers


def _checked(limit: int) -> int:
    if not 1 <= limit <= _LONGEST:
        raise BadValue(f"a limit of {limit} steps", place="rollouts", remedy=f"allow 1 to {_LONGEST}")
    return limit
