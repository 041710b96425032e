"""The sub-environments of a vector environment as columns: what they step on, and where each of them is.

The lane of seed s draws its nth number as uniform(split(s, "lane"), n): first the start of an episode where there are
several, then one number a step where the world has chance. A lane is thus the same wherever it stands, and however many
stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.environments.caring_table import CaringTable
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.randomness.counter_based import split
from engine.rollouts.outcome_table import Thresholds, thresholds

LaneColumn = NDArray[np.int64]


class LaneTables(NamedTuple):
    """What lanes step on, flat but for next_state. The order is that of `lane_kernel`.

    starts: int64[B]. start_threshold: int64[B - 1]. threshold: int64[S A (K - 1)]. next_state: int32[S, A, K]. reward:
    f64[B S A K]. step_reward, hidden: f64[S A K]. terminal: bool[S].
    """

    starts: LaneColumn
    start_threshold: Thresholds
    threshold: Thresholds
    next_state: Integers
    reward: Floats
    step_reward: Floats
    hidden: Floats
    terminal: Booleans


class Lanes(NamedTuple):
    """Where n sub-environments are, a column each. The order is that of `lane_kernel`.

    key: uint64, of its numbers. drawn: how many of them it has used. start, state: the place of its start state, the
    number of its state. steps: of its episode so far. received, hidden: what others received and the hidden performance
    in them. over: whether the episode is over.
    """

    key: NDArray[np.uint64]
    drawn: LaneColumn
    start: LaneColumn
    state: LaneColumn
    steps: LaneColumn
    received: Floats
    hidden: Floats
    over: Booleans


def lane_tables(table: CaringTable) -> LaneTables:
    """The tables of a world and its augmented reward."""
    mdp = table.problem.mdp
    flat = [
        np.ascontiguousarray(np.broadcast_to(each, mdp.next_state.shape)).reshape(-1)
        for each in (table.step_reward, table.hidden_performance)
    ]
    return LaneTables(
        table.starts,
        thresholds(mdp.start[table.starts]),
        thresholds(mdp.probability).reshape(-1),
        np.ascontiguousarray(mdp.next_state),
        table.reward.reshape(-1),
        flat[0],
        flat[1],
        np.ascontiguousarray(mdp.terminal),
    )


def fresh_lanes(count: int) -> Lanes:
    """Lanes that have no seed yet."""
    drawn, start, state, steps = np.zeros((4, count), dtype=np.int64)
    received, hidden = np.zeros((2, count))
    over = np.zeros(count, dtype=np.bool_)
    return Lanes(np.zeros(count, dtype=np.uint64), drawn, start, state, steps, received, hidden, over)


def seed_lanes(lanes: Lanes, seeds: Sequence[int | None]) -> None:
    """Give lanes the keys of their seeds; None leaves one as it is."""
    for lane, seed in enumerate(seeds):
        if seed is not None:
            lanes.key[lane], lanes.drawn[lane] = split(seed, "lane"), 0
