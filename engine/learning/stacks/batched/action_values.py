"""DQN's lanes in torch, on any device; the learning rule is that of `engine.learning.stacks.compiled.action_values`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.learning.stacks import initial_weights
from engine.learning.stacks.batched.optimisers import adam, clip
from engine.learning.stacks.batched.perceptron import RELU, Perceptrons
from engine.learning.stacks.batched.rows import ADAM_EPSILON, DeviceRows, more_lanes, no_lanes
from engine.learning.stacks.compiled.drawing import explored, sampled
from engine.learning.stacks.lane import ActionValueLane
from engine.learning.stacks.settings import ActionValueSettings
from engine.learning.stacks.stack import LaneRowNumbers, TransitionBlocks
from engine.randomness.counter_based import split
from engine.randomness.torch import one_thread

_NUMBERS = ("observation", "action", "reward", "following", "terminated")  # of a transition, in its order


class BatchedActionValues:
    """DQN's rows on a device; the replay memory of all rows grows with the longest of them."""

    lane_type = ActionValueLane

    def __init__(self, device: str, n_observations: int, n_actions: int, settings: ActionValueSettings) -> None:
        self.settings, self._n_actions = settings, n_actions
        self._networks = Perceptrons(initial_weights.widths(n_observations, n_actions), RELU)
        parameters = initial_weights.row_length(initial_weights.widths(n_observations, n_actions))
        lengths = dict.fromkeys(("weights", "target", "mean", "square"), parameters)
        self._rows = DeviceRows(device, lengths | dict.fromkeys(_NUMBERS, 0))
        self._lanes = no_lanes("rate", "added", "steps", "exploration_key", "replay_key")

    def grow(self, rows: int) -> None:
        self._rows.grow(rows)
        self._lanes = more_lanes(self._lanes, rows)

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        fresh = initial_weights.action_value_row(self._networks.widths[0], self._n_actions, key)
        self._rows["weights"][row] = self._rows["target"][row] = self._rows.on_device(fresh.copy())
        self._rows["mean"][row] = self._rows["square"][row] = 0.0
        self._lanes["rate"][row], self._lanes["added"][row], self._lanes["steps"][row] = learning_rate, 0, 0
        self._lanes["exploration_key"][row], self._lanes["replay_key"][row] = (
            split(key, "exploration"),
            split(key, "replay"),
        )

    def copy(self, row: int, twin: int) -> None:
        self._rows.copy(row, twin)
        for numbers in self._lanes.values():
            numbers[twin] = numbers[row]

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        import torch

        with torch.no_grad(), one_thread():
            self._remember(rows, turns)
            learners = rows[self._lanes["added"][rows] > self.settings.learning_starts]
            for _ in range(self.settings.gradient_steps if len(learners) else 0):
                self._gradient_step(learners)

    def drawn(self, rows: LaneRowNumbers) -> Sequence[Sequence[int]]:
        keys, added = self._lanes["exploration_key"][rows], self._lanes["added"][rows]
        drawn: list[list[int]] = explored(self.settings, self._n_actions, keys, added).tolist()
        return drawn

    def answers(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[int]]:
        import torch

        with torch.no_grad(), one_thread():
            asked = torch.arange(first, first + count, device=self._rows.device).expand(len(rows), -1)
            weights = self._rows["weights"][self._rows.on_device(rows)]
            greedy: list[list[int]] = self._networks.forward(weights, asked).answers().argmax(2).tolist()
        return greedy

    def learning_rate(self, row: int) -> float:
        return float(self._lanes["rate"][row])

    def named_weights(self, row: int) -> dict[str, np.ndarray]:
        weights, target = (self._rows[name][row].cpu().numpy() for name in ("weights", "target"))
        return initial_weights.named_action_values(weights, target, np.array(self._networks.widths))

    def _remember(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        """Store transitions f64[n, train_freq, 5]; update target networks when it is time."""
        added, tensors = self._lanes["added"], self._rows.tensors
        room, needed = tensors["reward"].shape[1], int(added[rows].max()) + turns.shape[1]
        if min(needed, self.settings.buffer_size) > room:
            columns = min(max(needed, 2 * room), self.settings.buffer_size)
            self._rows.grow(len(added), dict.fromkeys(_NUMBERS, columns))
            tensors = self._rows.tensors
        where = self._rows.on_device(rows)
        noted = self._rows.on_device(turns.astype(np.float32))
        for turn in range(turns.shape[1]):
            at = self._rows.on_device(added[rows] % self.settings.buffer_size)
            for place, name in enumerate(_NUMBERS):
                tensors[name][where, at] = noted[:, turn, place]
            added[rows] += 1
            renewed = rows[added[rows] % self.settings.target_update_interval == 0]
            if len(renewed):
                which, tau = self._rows.on_device(renewed), self.settings.tau
                tensors["target"][which] = (1 - tau) * tensors["target"][which] + tau * tensors["weights"][which]

    def _gradient_step(self, rows: LaneRowNumbers) -> None:
        settings, lanes, tensors = self.settings, self._lanes, self._rows.tensors
        sizes = np.minimum(lanes["added"][rows], settings.buffer_size)
        chosen = sampled(lanes["replay_key"][rows], lanes["steps"][rows], sizes, settings.batch_size)
        lanes["steps"][rows] += 1
        where, at = self._rows.on_device(rows), self._rows.on_device(chosen)
        batch: dict[str, Any] = {name: tensors[name][where[:, None], at] for name in _NUMBERS}
        future = self._networks.forward(tensors["target"][where], batch["following"].long()).answers().amax(2)
        target = batch["reward"] + (1 - batch["terminated"]) * settings.gamma * future
        weights, mean, square = (tensors[name][where] for name in ("weights", "mean", "square"))
        passed = self._networks.forward(weights, batch["observation"].long())
        values, action = passed.answers(), batch["action"].long()[:, :, None]
        error = (values.gather(2, action)[:, :, 0] - target).clamp(-1, 1) / settings.batch_size
        by_answers = values.new_zeros(values.shape).scatter_(2, action, error[:, :, None])
        gradient = weights.new_empty(weights.shape)
        self._networks.backward(weights, passed, passed.by_rows(by_answers), gradient)
        clip(gradient, settings.max_grad_norm)
        step, rate = (self._rows.on_device(lanes[name][rows]).double() for name in ("steps", "rate"))
        adam(weights, gradient, mean, square, step, rate, ADAM_EPSILON)
        tensors["weights"][where], tensors["mean"][where], tensors["square"][where] = weights, mean, square
