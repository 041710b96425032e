"""DQN's lanes in compiled code: remember transitions, take gradient steps, update the target network, answer.

    minimise  huber(Q(o, a) - (r + gamma (1 - terminated) max_b Q'(o', b)))   over replayed transitions

Reference: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015, in the form of
Stable-Baselines3. max_b Q'(o', b) is computed once for an observation between two updates of Q'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.learning.stacks.compiled.networks import adam, clip, entry, kernel, make_network, relu, relu_slope
from engine.randomness.compiled import uniform_2

_EPSILON = 1e-8  # Adam's
_forward, _backward = make_network(relu, relu_slope)


class ActionValueRows(NamedTuple):
    """One row per lane; C transitions are room enough for what every lane has seen, or the buffer's size.

    weights, target, mean, square: float32[N, P]: Q, Q' and Adam's moments. rate: f64[N]. exploration_key, replay_key:
    uint64[N]. added, steps: int64[N]: transitions and gradient steps so far. observation, action, following: int32[N,
    C]; reward, terminated: float32[N, C]. best: float32[N, observations]: max_b Q'(o, b), not-a-number where unknown.
    """

    weights: NDArray[np.float32]
    target: NDArray[np.float32]
    mean: NDArray[np.float32]
    square: NDArray[np.float32]
    rate: NDArray[np.float64]
    exploration_key: NDArray[np.uint64]
    replay_key: NDArray[np.uint64]
    added: NDArray[np.int64]
    steps: NDArray[np.int64]
    observation: NDArray[np.int32]
    action: NDArray[np.int32]
    following: NDArray[np.int32]
    reward: NDArray[np.float32]
    terminated: NDArray[np.float32]
    best: NDArray[np.float32]


@kernel
def _remember(lanes, settings, lane, turns):  # type: ignore[no-untyped-def]
    """Store transitions f64[n, 5] of a lane; update its target network when it is time."""
    weights, target, tau = lanes.weights[lane], lanes.target[lane], np.float32(settings.tau)
    for turn in turns:
        at = lanes.added[lane] % settings.buffer_size
        lanes.observation[lane, at], lanes.action[lane, at] = np.int32(turn[0]), np.int32(turn[1])
        lanes.reward[lane, at] = np.float32(turn[2])
        lanes.following[lane, at], lanes.terminated[lane, at] = np.int32(turn[3]), np.float32(turn[4])
        lanes.added[lane] += 1
        if lanes.added[lane] % settings.target_update_interval == 0:
            for i in range(len(weights)):
                target[i] = (np.float32(1.0) - tau) * target[i] + tau * weights[i]
            lanes.best[lane] = np.nan


@kernel
def _find_best_value(lanes, widths, lane, following, one, layers):  # type: ignore[no-untyped-def]
    """max_b Q'(o', b), not-a-number where one of them is; one: int64[1], room for an observation."""
    best = lanes.best[lane, following]
    if best != best:
        one[0] = following
        _forward(lanes.target[lane], widths, one, 1, layers)
        values = layers[-1, 0]
        best = values[0]
        for action in range(1, widths[-1]):
            if values[action] > best or values[action] != values[action]:
                best = values[action]
        lanes.best[lane, following] = best
    return best


@kernel
def _gradient_step(lanes, settings, widths, lane, place, distinct, chosen, layers, deltas, gradient):  # type: ignore[no-untyped-def]
    """Draw a minibatch and take one step; place: int64[observations], all -1 before and after."""
    size, step = min(lanes.added[lane], settings.buffer_size), lanes.steps[lane]
    gamma, share = np.float32(settings.gamma), np.float32(1.0 / settings.batch_size)
    for i in range(settings.batch_size):
        best_at = np.int64(uniform_2(lanes.replay_key[lane], step, i) * size)
        chosen[i] = best_at
        _find_best_value(lanes, widths, lane, lanes.following[lane, best_at], distinct, layers)
    rows = 0
    for i in range(settings.batch_size):
        observation = lanes.observation[lane, chosen[i]]
        if place[observation] < 0:
            place[observation], distinct[rows] = rows, observation
            rows += 1
    _forward(lanes.weights[lane], widths, distinct, rows, layers)
    deltas[-1, :rows] = 0.0
    for i in range(settings.batch_size):
        at = chosen[i]
        row, action = place[lanes.observation[lane, at]], lanes.action[lane, at]
        future = (np.float32(1.0) - lanes.terminated[lane, at]) * gamma * lanes.best[lane, lanes.following[lane, at]]
        error = layers[-1, row, action] - (lanes.reward[lane, at] + future)
        if error > 1.0:
            error = np.float32(1.0)
        elif error < -1.0:
            error = np.float32(-1.0)
        deltas[-1, row, action] += error * share
    _backward(lanes.weights[lane], widths, distinct, rows, layers, deltas, gradient)
    for row in range(rows):
        place[distinct[row]] = -1
    clip(gradient, settings.max_grad_norm)
    lanes.steps[lane] += 1
    moments = lanes.mean[lane], lanes.square[lane]
    adam(lanes.weights[lane], gradient, moments[0], moments[1], lanes.steps[lane], lanes.rate[lane], _EPSILON)


@entry
def learn(lanes, settings, widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on their transitions turns f64[n, train_freq, 5]."""
    rows = min(widths[0], settings.batch_size)
    layers = np.zeros((len(widths) - 1, rows, widths.max()), dtype=np.float32)
    deltas, gradient = np.zeros_like(layers), np.zeros(lanes.weights.shape[1], dtype=np.float32)
    place, distinct = np.full(widths[0], -1), np.zeros(rows, dtype=np.int64)
    chosen = np.zeros(settings.batch_size, dtype=np.int64)
    for number in range(len(chosen_lanes)):
        lane = chosen_lanes[number]
        _remember(lanes, settings, lane, turns[number])
        if lanes.added[lane] > settings.learning_starts:
            for _ in range(settings.gradient_steps):
                _gradient_step(lanes, settings, widths, lane, place, distinct, chosen, layers, deltas, gradient)


@entry
def find_greedy_actions(lanes, widths, chosen_lanes, first, greedy_actions):  # type: ignore[no-untyped-def]
    """Fill int64[n, k]: the first action of greatest value, by lane, at observations first .. first + k - 1."""
    layers = np.zeros((len(widths) - 1, 1, widths.max()), dtype=np.float32)
    one = np.zeros(1, dtype=np.int64)
    for number in range(len(chosen_lanes)):
        for k in range(greedy_actions.shape[1]):
            one[0] = first + k
            _forward(lanes.weights[chosen_lanes[number]], widths, one, 1, layers)
            values, best = layers[-1, 0], 0
            for action in range(1, widths[-1]):
                if values[best] == values[best] and not values[action] <= values[best]:
                    best = action
            greedy_actions[number, k] = best
