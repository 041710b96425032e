"""The lanes of DQN, A2C and PPO in torch, all lanes of a step in each operation: for graphics processors.

The learning rules are those of `engine.learning.stacks.compiled.action_values` and
`engine.learning.stacks.compiled.policies`, with gradients written out by hand: no graph is recorded. The same compiled
functions of key and counters draw the numbers of every lane. Sums are taken in another order, so that weights agree
with the compiled ones closely, not bit for bit (`tests/engine/test_batched_stacks.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.learning.stacks import initial_weights
from engine.learning.stacks.batched_networks import (
    ADAM_EPSILON,
    RELU,
    TANH,
    DeviceRows,
    Passed,
    Perceptrons,
    Tensor,
    adam,
    clip,
    grow_lane_numbers,
    make_lane_numbers,
)
from engine.learning.stacks.compiled.networks import (
    draw_action_numbers,
    draw_explorations,
    draw_numbers_again,
    draw_permutations,
    draw_samples,
)
from engine.learning.stacks.compiled.policies import compute_rollout_advantages
from engine.learning.stacks.lanes import (
    ActionValueLane,
    ActionValueSettings,
    LaneRowNumbers,
    PolicyLane,
    PolicySettings,
    TransitionBlocks,
)
from engine.randomness.counter_based import split
from engine.randomness.library_generators import use_one_thread

_NUMBERS = ("observation", "action", "reward", "following", "terminated")  # of a transition, in its order


class BatchedActionValues:
    """DQN's rows on a device; the replay memory of all rows grows with the longest of them."""

    lane_type = ActionValueLane

    def __init__(
        self,
        device: str,
        n_observations: int,
        n_actions: int,
        settings: ActionValueSettings,
        hidden: tuple[int, ...],
    ) -> None:
        self.settings, self._n_actions, self._hidden = settings, n_actions, hidden
        widths = initial_weights.list_widths(n_observations, hidden, n_actions)
        self._networks = Perceptrons(widths, RELU)
        parameters = initial_weights.count_parameters(widths)
        lengths = dict.fromkeys(("weights", "target", "mean", "square"), parameters)
        self._rows = DeviceRows(device, lengths | dict.fromkeys(_NUMBERS, 0))
        self._lanes = make_lane_numbers("rate", "added", "steps", "exploration_key", "replay_key")

    def grow(self, rows: int) -> None:
        self._rows.grow(rows)
        self._lanes = grow_lane_numbers(self._lanes, rows)

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        fresh = initial_weights.draw_action_value_row(self._networks.widths[0], self._hidden, self._n_actions, key)
        self._rows["weights"][row] = self._rows["target"][row] = self._rows.on_device(fresh.copy())
        self._rows["mean"][row] = self._rows["square"][row] = 0.0
        self._lanes["rate"][row], self._lanes["added"][row], self._lanes["steps"][row] = learning_rate, 0, 0
        self.set_key(row, key)

    def set_key(self, row: int, key: int) -> None:
        self._lanes["exploration_key"][row] = split(key, "exploration")
        self._lanes["replay_key"][row] = split(key, "replay")

    def copy(self, row: int, twin: int) -> None:
        self._rows.copy(row, twin)
        for numbers in self._lanes.values():
            numbers[twin] = numbers[row]

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        import torch

        with torch.no_grad(), use_one_thread():
            self._remember(rows, turns)
            learners = rows[self._lanes["added"][rows] > self.settings.learning_starts]
            for _ in range(self.settings.gradient_steps if len(learners) else 0):
                self._gradient_step(learners)

    def draw(self, rows: LaneRowNumbers) -> Sequence[Sequence[int]]:
        keys, added = self._lanes["exploration_key"][rows], self._lanes["added"][rows]
        drawn: list[list[int]] = draw_explorations(self.settings, self._n_actions, keys, added).tolist()
        return drawn

    def answer(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[int]]:
        import torch

        with torch.no_grad(), use_one_thread():
            asked = torch.arange(first, first + count, device=self._rows.device).expand(len(rows), -1)
            weights = self._rows["weights"][self._rows.on_device(rows)]
            greedy: list[list[int]] = self._networks.forward(weights, asked).answers().argmax(2).tolist()
        return greedy

    def learning_rate(self, row: int) -> float:
        return float(self._lanes["rate"][row])

    def name_weights(self, row: int) -> dict[str, np.ndarray]:
        weights, target = (self._rows[name][row].cpu().numpy() for name in ("weights", "target"))
        return initial_weights.name_action_value_parameters(weights, target, np.array(self._networks.widths))

    def _remember(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        """Store transitions f64[n, train_freq, 5]; update target networks when it is time."""
        added, tensors = self._lanes["added"], self._rows.tensors
        room = tensors["reward"].shape[1]
        needed = int(added[rows].max()) + turns.shape[1]
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
        chosen = draw_samples(lanes["replay_key"][rows], lanes["steps"][rows], sizes, settings.batch_size)
        lanes["steps"][rows] += 1
        where, at = self._rows.on_device(rows), self._rows.on_device(chosen)
        batch: dict[str, Any] = {name: tensors[name][where[:, None], at] for name in _NUMBERS}
        future = self._networks.forward(tensors["target"][where], batch["following"].long()).answers().amax(2)
        target = batch["reward"] + (1 - batch["terminated"]) * settings.gamma * future
        weights, mean, square = (tensors[name][where] for name in ("weights", "mean", "square"))
        passed = self._networks.forward(weights, batch["observation"].long())
        values = passed.answers()
        action = batch["action"].long()[:, :, None]
        error = (values.gather(2, action)[:, :, 0] - target).clamp(-1, 1) / settings.batch_size
        by_answers = values.new_zeros(values.shape).scatter_(2, action, error[:, :, None])
        gradient = weights.new_empty(weights.shape)
        self._networks.backward(weights, passed, passed.by_rows(by_answers), gradient)
        clip(gradient, settings.max_grad_norm)
        step, rate = (self._rows.on_device(lanes[name][rows]).double() for name in ("steps", "rate"))
        adam(weights, gradient, mean, square, step, rate, ADAM_EPSILON)
        tensors["weights"][where], tensors["mean"][where], tensors["square"][where] = weights, mean, square


LaneKeys = NDArray[np.uint64]
PolicySlope = Callable[[PolicySettings, Tensor, Tensor, Tensor], Tensor]
KeptActions = Callable[[Tensor, Tensor, LaneKeys, LaneRowNumbers], Tensor]


def read_actions(log_probs: Tensor, actions: Tensor, keys: LaneKeys, turns: LaneRowNumbers) -> Tensor:
    """Return the actions whose log-probabilities are kept, int64[n, n_steps]: those in the transitions."""
    return actions


def draw_actions_again(log_probs: Tensor, actions: Tensor, keys: LaneKeys, turns: LaneRowNumbers) -> Tensor:
    """As `compiled.policies.learn_ppo_redrawn`: those of another draw from log_probs float32[n, n_steps, actions]."""
    import torch

    numbers = torch.from_numpy(draw_numbers_again(keys, turns, actions.shape[1])).to(log_probs.device)
    passed = numbers[:, :, None] >= log_probs.exp().double().cumsum(2)
    return passed.sum(2).clamp(max=log_probs.shape[2] - 1)


def compute_a2c_slope(settings: PolicySettings, advantage: Tensor, log_prob: Tensor, old_log_prob: Tensor) -> Tensor:
    """Return the derivative of A2C's policy loss by log pi(a | o)."""
    return -advantage


def compute_ppo_slope(settings: PolicySettings, advantage: Tensor, log_prob: Tensor, old_log_prob: Tensor) -> Tensor:
    """Return the derivative of PPO's policy loss by log pi(a | o): 0 where the ratio is clipped."""
    ratio = (log_prob - old_log_prob).exp()
    low, high = 1 - settings.clip_range, 1 + settings.clip_range
    clipped = ((ratio < low) & (advantage < 0)) | ((ratio > high) & (advantage > 0))
    return (-advantage * ratio).masked_fill(clipped, 0)


class _Evaluated(NamedTuple):
    """What the two networks say of questions: log pi(. | o) float32[n, B, actions], V(o) float32[n, B]."""

    log_probs: Tensor
    values: Tensor
    policy: Passed
    value: Passed


class BatchedPolicies:
    """The rows of an actor-critic on a device.

    slope: of the policy loss. kept: whose log-probabilities are the old ones. optimise: `adam` or `rmsprop` of
    `engine.learning.stacks.batched_networks`.
    """

    lane_type = PolicyLane

    def __init__(
        self,
        slope: PolicySlope,
        kept: KeptActions,
        optimise: Callable[..., None],
        device: str,
        n_observations: int,
        n_actions: int,
        settings: PolicySettings,
        hidden: tuple[int, ...],
    ) -> None:
        self.settings, self._slope, self._kept, self._optimise = settings, slope, kept, optimise
        self._hidden = hidden
        policy = initial_weights.list_widths(n_observations, hidden, n_actions)
        value = initial_weights.list_widths(n_observations, hidden, 1)
        self._policy = Perceptrons(policy, TANH)
        self._value = Perceptrons(value, TANH)
        self._split = initial_weights.count_parameters(policy)
        parameters = self._split + initial_weights.count_parameters(value)
        self._rows = DeviceRows(device, dict.fromkeys(("weights", "mean", "square"), parameters))
        self._lanes = make_lane_numbers("rate", "turn", "steps", "epochs", "action_key", "rollout_key")

    def grow(self, rows: int) -> None:
        self._rows.grow(rows)
        self._lanes = grow_lane_numbers(self._lanes, rows)

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        fresh = initial_weights.draw_actor_critic_row(
            self._policy.widths[0], self._hidden, self._policy.widths[-1], key
        )
        self._rows["weights"][row] = self._rows.on_device(fresh.copy())
        self._rows["mean"][row] = self._rows["square"][row] = 0.0
        for name in ("turn", "steps", "epochs"):
            self._lanes[name][row] = 0
        self._lanes["rate"][row] = learning_rate
        self.set_key(row, key)

    def set_key(self, row: int, key: int) -> None:
        self._lanes["action_key"][row], self._lanes["rollout_key"][row] = split(key, "actions"), split(key, "rollout")

    def copy(self, row: int, twin: int) -> None:
        self._rows.copy(row, twin)
        for numbers in self._lanes.values():
            numbers[twin] = numbers[row]

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        import torch

        settings, lanes = self.settings, self._lanes
        with torch.no_grad(), use_one_thread():
            where = self._rows.on_device(rows)
            parts = [self._rows[name][where] for name in ("weights", "mean", "square")]
            observations = self._rows.on_device(turns[:, :, 0].astype(np.int64))
            actions = self._rows.on_device(turns[:, :, 1].astype(np.int64))
            following = self._rows.on_device(turns[:, :, 3].astype(np.int64))
            said = self._evaluate(parts[0], torch.cat([observations, following], dim=1))
            values, next_values = said.values.cpu().numpy().reshape(len(rows), 2, -1).swapaxes(0, 1)
            earned = compute_rollout_advantages(settings, turns, values.copy(), next_values.copy())
            advantages, returns = self._rows.on_device(earned), self._rows.on_device(earned + values)
            now = said.log_probs[:, : settings.n_steps]
            kept = self._kept(now, actions, lanes["action_key"][rows], lanes["turn"][rows])
            old = now.gather(2, kept[:, :, None])[:, :, 0]
            rollout = (observations, actions, advantages, returns, old)
            lanes["turn"][rows] += settings.n_steps
            for _ in range(settings.n_epochs):
                order = draw_permutations(lanes["rollout_key"][rows], lanes["epochs"][rows], settings.n_steps)
                lanes["epochs"][rows] += 1
                for chosen in torch.split(self._rows.on_device(order), settings.batch_size, dim=1):
                    self._gradient_step(rows, parts, [part.gather(1, chosen) for part in rollout])
            for name, part in zip(("weights", "mean", "square"), parts, strict=True):
                self._rows[name][where] = part

    def draw(self, rows: LaneRowNumbers) -> Sequence[Sequence[float]]:
        keys, turns = self._lanes["action_key"][rows], self._lanes["turn"][rows]
        return [lane.data for lane in draw_action_numbers(keys, turns, self.settings.every)]

    def answer(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[list[float]]]:
        import torch

        with torch.no_grad(), use_one_thread():
            asked = torch.arange(first, first + count, device=self._rows.device).expand(len(rows), -1)
            log_probs = self._evaluate(self._rows["weights"][self._rows.on_device(rows)], asked).log_probs
            probabilities = log_probs.exp().double().cpu().numpy()
        probabilities[~(probabilities > 0)] = 0.0
        last = probabilities.shape[2] - 1 - (probabilities[:, :, ::-1] > 0).argmax(axis=2)
        last[~probabilities.any(axis=2)] = 0
        sums = probabilities.cumsum(axis=2)
        sums[np.arange(probabilities.shape[2]) >= last[:, :, None]] = np.inf
        answers: list[list[list[float]]] = sums.tolist()
        return answers

    def learning_rate(self, row: int) -> float:
        return float(self._lanes["rate"][row])

    def name_weights(self, row: int) -> dict[str, np.ndarray]:
        weights = self._rows["weights"][row].cpu().numpy()
        return initial_weights.name_actor_critic_parameters(
            weights, np.array(self._policy.widths), np.array(self._value.widths)
        )

    def _evaluate(self, weights: Tensor, questions: Tensor) -> _Evaluated:
        policy = self._policy.forward(weights[:, : self._split], questions)
        value = self._value.forward(weights[:, self._split :], questions)
        return _Evaluated(policy.answers().log_softmax(2), value.answers()[:, :, 0], policy, value)

    def _gradient_step(self, rows: LaneRowNumbers, parts: list[Tensor], minibatch: list[Tensor]) -> None:
        """Take one step in place of the parts (weights and moments of the lanes) on one minibatch of each lane."""
        settings, (weights, mean, square) = self.settings, parts
        observations, actions, advantages, returns, old = minibatch
        said = self._evaluate(weights, observations)
        size = observations.shape[1]
        if settings.normalize_advantage and size > 1:
            mean_advantage = advantages.mean(1, keepdim=True)
            advantages = (advantages - mean_advantage) / (advantages.std(1, keepdim=True) + 1e-8)
        taken, probabilities = actions[:, :, None], said.log_probs.exp()
        slope = self._slope(settings, advantages, said.log_probs.gather(2, taken)[:, :, 0], old)[:, :, None] / size
        entropy = -(probabilities * said.log_probs).sum(2, keepdim=True)
        by_logits = settings.ent_coef / size * probabilities * (said.log_probs + entropy) - slope * probabilities
        by_logits.scatter_add_(2, taken, slope)
        by_values = (2 * settings.vf_coef / size * (said.values - returns))[:, :, None]
        gradient, at = weights.new_empty(weights.shape), self._split
        self._policy.backward(weights[:, :at], said.policy, said.policy.by_rows(by_logits), gradient[:, :at])
        self._value.backward(weights[:, at:], said.value, said.value.by_rows(by_values), gradient[:, at:])
        clip(gradient, settings.max_grad_norm)
        self._lanes["steps"][rows] += 1
        step, rate = (self._rows.on_device(self._lanes[name][rows]).double() for name in ("steps", "rate"))
        self._optimise(weights, gradient, mean, square, step, rate, settings.epsilon)
