"""A stack: the rows of learners of one kind, given out and taken back, and one call in which many of them learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.learning.stacks.lane import TURN, Lane, Waiting

BLOCK = 32  # observations looked up at once
LaneRowNumbers = NDArray[np.int64]
TransitionBlocks = NDArray[np.float64]


class RowArithmetic(Protocol):
    """What computes a stack's rows: learning, drawing and answering of many lanes at once."""

    @property
    def lane_type(self) -> type[Lane]:
        """The lanes that it computes."""

    def grow(self, rows: int) -> None:
        """Make room for so many rows."""

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        """Make a row that of a fresh learner."""

    def copy(self, row: int, twin: int) -> None:
        """Copy a row to another."""

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        """Train rows int64[n] on transitions f64[n, every, 5]."""

    def drawn(self, rows: LaneRowNumbers) -> Sequence[Sequence[Any]]:
        """What each lane draws in each turn until it learns again."""

    def answers(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[Any]]:
        """What the networks of each lane say of observations first .. first + count - 1."""

    def learning_rate(self, row: int) -> float:
        """The optimiser's learning rate of a row."""

    def named_weights(self, row: int) -> dict[str, np.ndarray]:
        """A copy of every parameter of a row, by its name in Stable-Baselines3's policy."""


class Stack:
    """Rows of learners of one kind.

    arithmetic: computes them. n_observations, n_actions: of every lane. every: transitions between two times of
    learning. waiting: where a lane waits that has to learn before it answers again.
    """

    def __init__(
        self, arithmetic: RowArithmetic, n_observations: int, n_actions: int, every: int, waiting: Waiting
    ) -> None:
        self.arithmetic, self.n_observations, self.n_actions, self.every = arithmetic, n_observations, n_actions, every
        self.waiting = waiting
        self._free: list[int] = []
        self._rows = 0

    def lane(self, key: int, learning_rate: float) -> Lane:
        """A fresh learner; equal keys give equal ones."""
        lane = self.arithmetic.lane_type(self, self._row())
        self.arithmetic.begin(lane.row, key, learning_rate)
        return lane

    def twin(self, lane: Lane) -> Lane:
        """A learner in a row of its own, equal to that of a lane."""
        twin = self.arithmetic.lane_type(self, self._row())
        self.arithmetic.copy(lane.row, twin.row)
        return twin

    def learn(self, lanes: Sequence[Lane]) -> None:
        """Train lanes on the transitions that they have noted, and look up what they may be asked next."""
        rows = np.array([lane.row for lane in lanes])
        turns = np.frombuffer(b"".join(lane.transitions for lane in lanes)).reshape(len(lanes), self.every, TURN)
        self.arithmetic.learn(rows, turns)
        drawn, count = self.arithmetic.drawn(rows), self.n_observations
        answers: Sequence[Sequence[Any]] = [()] * len(lanes)
        if count <= BLOCK:
            answers = self.arithmetic.answers(rows, 0, count)
        for lane, next_drawn, next_answers in zip(lanes, drawn, answers, strict=True):
            lane.learned(next_drawn, dict(enumerate(next_answers)))

    def drawn(self, row: int) -> Sequence[Any]:
        """What one lane draws in each turn until it learns."""
        return self.arithmetic.drawn(np.array([row]))[0]

    def answers(self, row: int, observation: int) -> dict[int, Any]:
        """What one lane's networks say of an observation and of those around it."""
        first = observation - observation % BLOCK
        [said] = self.arithmetic.answers(np.array([row]), first, min(BLOCK, self.n_observations - first))
        return dict(enumerate(said, start=first))

    def learning_rate(self, row: int) -> float:
        """The optimiser's learning rate of one lane."""
        return self.arithmetic.learning_rate(row)

    def weights(self, row: int) -> dict[str, np.ndarray]:
        """A copy of every parameter of one lane, by its name in Stable-Baselines3's policy."""
        return self.arithmetic.named_weights(row)

    def give_back(self, row: int) -> None:
        """Take a row back that no lane has any more."""
        self._free.append(row)

    def _row(self) -> int:
        if not self._free:
            more = max(1, self._rows)
            self.arithmetic.grow(self._rows + more)
            self._free.extend(range(self._rows + more - 1, self._rows - 1, -1))
            self._rows += more
        return self._free.pop()
