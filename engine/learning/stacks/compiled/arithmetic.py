"""The rows of a stack in main memory; compiled code trains them and answers for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.learning.stacks import initial_weights
from engine.learning.stacks.compiled import action_values, policies
from engine.learning.stacks.compiled.action_values import ActionValueRows
from engine.learning.stacks.compiled.networks import draw_action_numbers, draw_explorations
from engine.learning.stacks.compiled.policies import PolicyRows
from engine.learning.stacks.lanes import (
    ActionValueLane,
    ActionValueSettings,
    LaneRowNumbers,
    PolicyLane,
    PolicySettings,
    TransitionBlocks,
)
from engine.randomness.counter_based import split

_NO_MEMORY = {"observation": 0, "action": 0, "following": 0, "reward": 0, "terminated": 0}
_TYPES: dict[str, Any] = {
    "rate": np.float64,
    **dict.fromkeys(("exploration_key", "replay_key", "action_key", "rollout_key"), np.uint64),
    **dict.fromkeys(("added", "steps", "turn", "epochs"), np.int64),
    **dict.fromkeys(("observation", "action", "following"), np.int32),
}
"""Of the fields of rows, by name; all others are float32."""


class CompiledActionValues:
    """DQN's rows. The replay memory of all rows grows, by doubling, with the longest of them, to the buffer's size."""

    lane_type = ActionValueLane

    def __init__(
        self, n_observations: int, n_actions: int, settings: ActionValueSettings, hidden: tuple[int, ...]
    ) -> None:
        self.settings = settings
        self._hidden = hidden
        self._n_actions = n_actions
        self._widths = initial_weights.list_widths(n_observations, hidden, n_actions)
        parameters = initial_weights.count_parameters(self._widths)
        lengths = {"weights": parameters, "target": parameters, "mean": parameters, "square": parameters}
        self._rows: ActionValueRows = _make_empty_rows(
            ActionValueRows, {**lengths, "best": n_observations, **_NO_MEMORY}
        )

    def grow(self, rows: int) -> None:
        self._rows = ActionValueRows(*(_grow_array(array, rows) for array in self._rows))

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        rows = self._rows
        fresh = initial_weights.draw_action_value_row(int(self._widths[0]), self._hidden, self._n_actions, key)
        rows.weights[row] = rows.target[row] = fresh
        rows.mean[row] = rows.square[row] = 0.0
        rows.rate[row], rows.added[row], rows.steps[row] = learning_rate, 0, 0
        rows.best[row] = np.nan
        self.set_key(row, key)

    def set_key(self, row: int, key: int) -> None:
        self._rows.exploration_key[row] = split(key, "exploration")
        self._rows.replay_key[row] = split(key, "replay")

    def copy(self, row: int, twin: int) -> None:
        used = min(int(self._rows.added[row]), self.settings.buffer_size)
        for name, array in self._rows._asdict().items():
            if name in _NO_MEMORY:
                array[twin, :used] = array[row, :used]
            else:
                array[twin] = array[row]

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        self._make_room(int(self._rows.added[rows].max()) + self.settings.every)
        action_values.learn(self._rows, self.settings, self._widths, rows, turns)

    def draw(self, rows: LaneRowNumbers) -> Sequence[Sequence[int]]:
        keys, added = self._rows.exploration_key[rows], self._rows.added[rows]
        drawn: list[list[int]] = draw_explorations(self.settings, self._n_actions, keys, added).tolist()
        return drawn

    def answer(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[int]]:
        greedy_actions = np.empty((len(rows), count), dtype=np.int64)
        action_values.find_greedy_actions(self._rows, self._widths, rows, first, greedy_actions)
        answers: list[list[int]] = greedy_actions.tolist()
        return answers

    def learning_rate(self, row: int) -> float:
        return float(self._rows.rate[row])

    def name_weights(self, row: int) -> dict[str, np.ndarray]:
        return initial_weights.name_action_value_parameters(
            self._rows.weights[row], self._rows.target[row], self._widths
        )

    def _make_room(self, transitions: int) -> None:
        room, needed = self._rows.observation.shape[1], min(transitions, self.settings.buffer_size)
        if needed > room:
            room = min(max(needed, 2 * room), self.settings.buffer_size)
            wider = {name: _grow_array(getattr(self._rows, name).T, room).T for name in _NO_MEMORY}
            self._rows = self._rows._replace(**{name: np.ascontiguousarray(array) for name, array in wider.items()})


class CompiledPolicies:
    """The rows of an actor-critic. learn: a kernel of `compiled.policies`, such as `learn_ppo`."""

    lane_type = PolicyLane

    def __init__(
        self,
        learn: Callable[..., None],
        n_observations: int,
        n_actions: int,
        settings: PolicySettings,
        hidden: tuple[int, ...],
    ) -> None:
        self.settings = settings
        self._hidden = hidden
        self._learn = learn
        self._policy = initial_weights.list_widths(n_observations, hidden, n_actions)
        self._value = initial_weights.list_widths(n_observations, hidden, 1)
        self._split = initial_weights.count_parameters(self._policy)
        parameters = self._split + initial_weights.count_parameters(self._value)
        lengths = {"weights": parameters, "mean": parameters, "square": parameters}
        self._rows: PolicyRows = _make_empty_rows(PolicyRows, lengths)

    def grow(self, rows: int) -> None:
        self._rows = PolicyRows(*(_grow_array(array, rows) for array in self._rows))

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        rows = self._rows
        inputs, actions = int(self._policy[0]), int(self._policy[-1])
        rows.weights[row] = initial_weights.draw_actor_critic_row(inputs, self._hidden, actions, key)
        rows.mean[row] = rows.square[row] = 0.0
        rows.rate[row], rows.turn[row], rows.steps[row], rows.epochs[row] = learning_rate, 0, 0, 0
        self.set_key(row, key)

    def set_key(self, row: int, key: int) -> None:
        self._rows.action_key[row], self._rows.rollout_key[row] = split(key, "actions"), split(key, "rollout")

    def copy(self, row: int, twin: int) -> None:
        for array in self._rows:
            array[twin] = array[row]

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        self._learn(self._rows, self.settings, self._policy, self._value, rows, turns)

    def draw(self, rows: LaneRowNumbers) -> Sequence[Sequence[float]]:
        keys, turns = self._rows.action_key[rows], self._rows.turn[rows]
        return [lane.data for lane in draw_action_numbers(keys, turns, self.settings.every)]

    def answer(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[list[float]]]:
        sums = np.empty((len(rows), count, int(self._policy[-1])))
        policies.accumulate_probabilities(self._rows, self._policy, self._value, rows, first, sums)
        answers: list[list[list[float]]] = sums.tolist()
        return answers

    def learning_rate(self, row: int) -> float:
        return float(self._rows.rate[row])

    def name_weights(self, row: int) -> dict[str, np.ndarray]:
        return initial_weights.name_actor_critic_parameters(self._rows.weights[row], self._policy, self._value)


def _make_empty_rows(kind: Any, lengths: dict[str, int]) -> Any:
    """Make arrays without rows. lengths: how many numbers a row holds, for fields that hold more than one."""
    shapes = {name: (0, lengths[name]) if name in lengths else (0,) for name in kind._fields}
    return kind(**{name: np.zeros(shape, dtype=_TYPES.get(name, np.float32)) for name, shape in shapes.items()})


def _grow_array(array: np.ndarray, rows: int) -> Any:
    """Return an array with more rows: its own first, then zeros."""
    larger = np.zeros((rows, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
