"""The lanes of A2C and PPO in compiled code: advantages of a rollout, and gradient steps on it.

    delta_t = r_t + gamma (1 - terminated_t) V(o'_t) - V(o_t)          A_t = delta_t + gamma lambda c_t A_{t+1}
    minimise  policy loss + vf_coef (A + V_old(o) - V(o))^2 - ent_coef H(pi(. | o))   over minibatches of the rollout

    policy loss of A2C    - A log pi(a | o), with either optimiser
    policy loss of PPO    - min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A),   rho = pi(a | o) / pi_old(a | o)

where c_t = 1 where turn t + 1 continues turn t, else 0. A rollout is collected under one set of weights, so that
what they said of it is computed when it is complete. `learn_ppo_redrawn` makes the mistake of published wrappers:
PPO's old log-probability is that of another draw, a' for a. References: J. Schulman et al., "High-dimensional
continuous control using generalized advantage estimation", 2016; V. Mnih et al., "Asynchronous methods for deep
reinforcement learning", 2016 (A3C, of which A2C is the synchronous form); J. Schulman et al., "Proximal policy
optimization algorithms", 2017; the losses are Stable-Baselines3's.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.learning.stacks.compiled.networks import adam, clip, entry, kernel, make_network, rmsprop, tanh, tanh_slope
from engine.randomness.compiled import inverse_cdf, uniform_2

_forward, _backward = make_network(tanh, tanh_slope)


class PolicyRows(NamedTuple):
    """One row per lane.

    weights: float32[N, P], those of the policy network, then those of the value network; mean, square: the optimiser's
    moments. rate: f64[N]. action_key, rollout_key: uint64[N]. turn, steps, epochs: int64[N]: transitions, gradient
    steps and passes over rollouts so far.
    """

    weights: NDArray[np.float32]
    mean: NDArray[np.float32]
    square: NDArray[np.float32]
    rate: NDArray[np.float64]
    action_key: NDArray[np.uint64]
    rollout_key: NDArray[np.uint64]
    turn: NDArray[np.int64]
    steps: NDArray[np.int64]
    epochs: NDArray[np.int64]


class _Networks(NamedTuple):
    """The two networks and room for what they compute; split: where the value network's parameters begin."""

    policy: NDArray[np.int64]
    value: NDArray[np.int64]
    split: int
    policy_layers: NDArray[np.float32]
    value_layers: NDArray[np.float32]
    policy_deltas: NDArray[np.float32]
    value_deltas: NDArray[np.float32]


@kernel
def _make_networks(policy_widths, value_widths, rows):  # type: ignore[no-untyped-def]
    """Room for so many distinct observations."""
    depth, widest = len(policy_widths) - 1, max(policy_widths[1:].max(), value_widths[1:].max())
    split = 0
    for layer in range(depth):
        split += (policy_widths[layer] + 1) * policy_widths[layer + 1]
    shape = (depth, rows, widest)
    layers = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    deltas = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    return _Networks(policy_widths, value_widths, split, layers[0], layers[1], deltas[0], deltas[1])


@kernel
def _evaluate(weights, networks, observations, rows, log_probs):  # type: ignore[no-untyped-def]
    """Run both networks and fill log_probs float32[rows, actions] with log pi(a | o)."""
    _forward(weights[: networks.split], networks.policy, observations, rows, networks.policy_layers)
    _forward(weights[networks.split :], networks.value, observations, rows, networks.value_layers)
    actions = networks.policy[-1]
    for row in range(rows):
        logits, total = networks.policy_layers[-1, row], np.float32(0.0)
        highest = logits[0]
        for action in range(1, actions):
            highest = max(highest, logits[action])
        for action in range(actions):
            total += np.float32(math.exp(logits[action] - highest))
        total = highest + np.float32(math.log(total))
        for action in range(actions):
            log_probs[row, action] = logits[action] - total


@kernel
def _list_distinct(observations, numbers, place, distinct):  # type: ignore[no-untyped-def]
    """List the distinct observations[numbers] in order of appearance; place: int64[observations], where; else -1."""
    rows = 0
    for number in numbers:
        observation = observations[number]
        if place[observation] < 0:
            place[observation], distinct[rows] = rows, observation
            rows += 1
    return rows


@kernel
def _compute_advantages(settings, turns, values, next_values, advantages):  # type: ignore[no-untyped-def]
    """Fill advantages float32[n] of turns f64[n, 5]; the trace ends where a turn does not continue the one before."""
    gamma, trace = np.float32(settings.gamma), np.float32(settings.gamma * settings.gae_lambda)
    advantage = np.float32(0.0)
    for t in range(len(turns) - 1, -1, -1):
        alive = np.float32(1.0 - turns[t, 4])
        delta = np.float32(turns[t, 2]) + gamma * next_values[t] * alive - values[t]
        if t + 1 == len(turns) or alive == 0.0 or turns[t + 1, 0] != turns[t, 3]:
            advantage = delta
        else:
            advantage = delta + trace * advantage
        advantages[t] = advantage


@kernel
def _normalise_advantages(advantages, chosen, normalised):  # type: ignore[no-untyped-def]
    """Fill normalised[:n] with the chosen advantages less their mean, over their standard deviation."""
    mean, squares = 0.0, 0.0
    for number in chosen:
        mean += advantages[number]
    mean /= len(chosen)
    for number in chosen:
        squares += (advantages[number] - mean) ** 2
    deviation = math.sqrt(squares / (len(chosen) - 1)) + 1e-8
    for i in range(len(chosen)):
        normalised[i] = np.float32((advantages[chosen[i]] - mean) / deviation)


@kernel
def _weigh_advantages(settings, advantages, chosen, weighted):  # type: ignore[no-untyped-def]
    """Fill weighted[:n] with the chosen advantages, normalised where the settings say so and there are two."""
    if settings.normalize_advantage and len(chosen) > 1:
        _normalise_advantages(advantages, chosen, weighted)
    else:
        for i in range(len(chosen)):
            weighted[i] = advantages[chosen[i]]


class _Rollout(NamedTuple):
    """A complete rollout and room for what is said of it: [n_steps] each; observations holds o, then o'."""

    observations: NDArray[np.int64]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    next_values: NDArray[np.float32]
    log_probs: NDArray[np.float32]
    advantages: NDArray[np.float32]
    returns: NDArray[np.float32]
    weighted: NDArray[np.float32]
    place: NDArray[np.int64]
    distinct: NDArray[np.int64]


@kernel
def _make_room_for_rollout(n_observations, steps):  # type: ignore[no-untyped-def]
    """place: int64[observations], where each observation is listed in `distinct`, -1 where it is not."""
    numbers = np.zeros((6, steps), dtype=np.float32)
    place, distinct = np.full(n_observations, -1), np.zeros(min(n_observations, 2 * steps), dtype=np.int64)
    whole = np.zeros(2 * steps, dtype=np.int64), np.zeros(steps, dtype=np.int64)
    first = numbers[0], numbers[1], numbers[2]
    return _Rollout(
        whole[0], whole[1], first[0], first[1], first[2], numbers[3], numbers[4], numbers[5], place, distinct
    )


@kernel
def read_action(log_probs, action, action_key, turn):  # type: ignore[no-untyped-def]
    """Return the action whose log-probability is kept with a turn: the one in the transition."""
    return action


def make_rollout_learner(policy_slope: Any, optimise: Any, kept_action: Any = read_action) -> Any:
    """Return the kernel that trains lanes on complete rollouts.

    policy_slope(settings, advantage, log_prob, old_log_prob): the derivative of the policy loss of one turn by log pi.
    optimise: a step of an optimiser (`adam` or `rmsprop` of `compiled.networks`).
    kept_action(log_probs, action, action_key, turn): whose log-probability is the old one of a turn.
    """

    @kernel
    def complete(lanes, lane, settings, networks, rollout, turns, log_probs):  # type: ignore[no-untyped-def]
        """Fill a rollout from its turns f64[n_steps, 5] and from what the lane says of them."""
        steps, place = settings.n_steps, rollout.place
        for t in range(steps):
            rollout.observations[t], rollout.observations[steps + t] = np.int64(turns[t, 0]), np.int64(turns[t, 3])
            rollout.actions[t] = np.int64(turns[t, 1])
        rows = _list_distinct(rollout.observations, np.arange(2 * steps), place, rollout.distinct)
        _evaluate(lanes.weights[lane], networks, rollout.distinct, rows, log_probs)
        for t in range(steps):
            now, later = place[rollout.observations[t]], place[rollout.observations[steps + t]]
            rollout.values[t] = networks.value_layers[-1, now, 0]
            rollout.next_values[t] = networks.value_layers[-1, later, 0]
            kept = kept_action(log_probs[now], rollout.actions[t], lanes.action_key[lane], lanes.turn[lane] + t)
            rollout.log_probs[t] = log_probs[now, kept]
        place[rollout.distinct[:rows]] = -1
        _compute_advantages(settings, turns, rollout.values, rollout.next_values, rollout.advantages)
        for t in range(steps):
            rollout.returns[t] = rollout.advantages[t] + rollout.values[t]

    @kernel
    def loss_slopes(settings, networks, rollout, chosen, log_probs):  # type: ignore[no-untyped-def]
        """Fill the deltas of both networks' outputs with the derivatives of the loss, by distinct observation."""
        d_logits, d_values, n_actions = networks.policy_deltas[-1], networks.value_deltas[-1], networks.policy[-1]
        share = np.float32(1.0 / len(chosen))
        entropy_share, value_share = np.float32(settings.ent_coef) * share, np.float32(2.0 * settings.vf_coef) * share
        for i in range(len(chosen)):
            number = chosen[i]
            row, action = rollout.place[rollout.observations[number]], rollout.actions[number]
            logs = log_probs[row]
            slope = share * policy_slope(settings, rollout.weighted[i], logs[action], rollout.log_probs[number])
            entropy = np.float32(0.0)
            for a in range(n_actions):
                entropy -= np.float32(math.exp(logs[a])) * logs[a]
            for a in range(n_actions):
                probability = np.float32(math.exp(logs[a]))
                d_logits[row, a] += entropy_share * probability * (logs[a] + entropy) - slope * probability
            d_logits[row, action] += slope
            d_values[row, 0] += value_share * (networks.value_layers[-1, row, 0] - rollout.returns[number])

    @kernel
    def gradient_step(lanes, settings, networks, lane, rollout, chosen, log_probs, gradient):  # type: ignore[no-untyped-def]
        """Take one step on the chosen turns of a rollout."""
        weights, at, distinct = lanes.weights[lane], networks.split, rollout.distinct
        rows = _list_distinct(rollout.observations, chosen, rollout.place, distinct)
        _evaluate(weights, networks, distinct, rows, log_probs)
        _weigh_advantages(settings, rollout.advantages, chosen, rollout.weighted)
        networks.policy_deltas[-1, :rows] = 0.0
        networks.value_deltas[-1, :rows] = 0.0
        loss_slopes(settings, networks, rollout, chosen, log_probs)
        rollout.place[distinct[:rows]] = -1
        layers, deltas = networks.policy_layers, networks.policy_deltas
        _backward(weights[:at], networks.policy, distinct, rows, layers, deltas, gradient[:at])
        layers, deltas = networks.value_layers, networks.value_deltas
        _backward(weights[at:], networks.value, distinct, rows, layers, deltas, gradient[at:])
        clip(gradient, settings.max_grad_norm)
        lanes.steps[lane] += 1
        mean, square, step = lanes.mean[lane], lanes.square[lane], lanes.steps[lane]
        optimise(weights, gradient, mean, square, step, lanes.rate[lane], settings.epsilon)

    @kernel
    def learn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
        """Train lanes int64[n] on complete rollouts turns f64[n, n_steps, 5]."""
        steps = settings.n_steps
        rollout = _make_room_for_rollout(policy_widths[0], steps)
        networks = _make_networks(policy_widths, value_widths, len(rollout.distinct))
        log_probs = np.zeros((len(rollout.distinct), policy_widths[-1]), dtype=np.float32)
        shuffling, gradient = np.zeros(steps), np.zeros(lanes.weights.shape[1], dtype=np.float32)
        for which in range(len(chosen_lanes)):
            lane = chosen_lanes[which]
            complete(lanes, lane, settings, networks, rollout, turns[which], log_probs)
            lanes.turn[lane] += steps
            for _ in range(settings.n_epochs):
                for t in range(steps):
                    shuffling[t] = uniform_2(lanes.rollout_key[lane], lanes.epochs[lane], t)
                lanes.epochs[lane] += 1
                order = np.argsort(shuffling, kind="mergesort")
                for start in range(0, steps, settings.batch_size):
                    chosen = order[start : start + settings.batch_size]
                    gradient_step(lanes, settings, networks, lane, rollout, chosen, log_probs, gradient)

    return learn


@entry
def accumulate_probabilities(lanes, policy_widths, value_widths, chosen_lanes, first, sums):  # type: ignore[no-untyped-def]
    """Fill f64[n, k, actions] with running sums of pi(. | o), by lane, at observations first .. first + k - 1.

    From the last action of positive probability on a sum is infinite, so that the action of a number u is the first
    whose sum exceeds it; where no probability is positive (or all are not-a-number) that is action 0.
    """
    actions = policy_widths[-1]
    networks, one = _make_networks(policy_widths, value_widths, 1), np.zeros(1, dtype=np.int64)
    log_probs = np.zeros((1, actions), dtype=np.float32)
    for number in range(len(chosen_lanes)):
        for k in range(sums.shape[1]):
            one[0] = first + k
            _evaluate(lanes.weights[chosen_lanes[number]], networks, one, 1, log_probs)
            last, reached = 0, 0.0
            for action in range(actions):
                probability = np.float64(np.float32(math.exp(log_probs[0, action])))
                if probability > 0:
                    last = action
                    reached += probability
                sums[number, k, action] = reached
            sums[number, k, last:] = np.inf


@entry
def compute_rollout_advantages(settings, turns, values, next_values):  # type: ignore[no-untyped-def]
    """The advantages of rollouts turns f64[n, n_steps, 5], given V(o), V(o') float32[n, n_steps]: of the same shape."""
    advantages = np.empty_like(values)
    for lane in range(len(turns)):
        _compute_advantages(settings, turns[lane], values[lane], next_values[lane], advantages[lane])
    return advantages


@kernel
def _compute_a2c_slope(settings, advantage, log_prob, old_log_prob):  # type: ignore[no-untyped-def]
    return -advantage


_by_rmsprop = make_rollout_learner(_compute_a2c_slope, rmsprop)
_by_adam = make_rollout_learner(_compute_a2c_slope, adam)


@entry
def learn_by_rmsprop(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5], with RMSprop."""
    _by_rmsprop(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)


@entry
def learn_by_adam(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5], with Adam."""
    _by_adam(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)


@kernel
def _compute_ppo_slope(settings, advantage, log_prob, old_log_prob):  # type: ignore[no-untyped-def]
    ratio = np.float32(math.exp(log_prob - old_log_prob))
    low, high = np.float32(1.0 - settings.clip_range), np.float32(1.0 + settings.clip_range)
    if (ratio < low and advantage < 0) or (ratio > high and advantage > 0):
        return np.float32(0.0)
    return -advantage * ratio


@kernel
def _draw_again(log_probs, action, action_key, turn):  # type: ignore[no-untyped-def]
    return inverse_cdf(np.exp(log_probs).astype(np.float64), uniform_2(action_key, turn, 1))


_learn_ppo = make_rollout_learner(_compute_ppo_slope, adam)
_learn_ppo_redrawn = make_rollout_learner(_compute_ppo_slope, adam, _draw_again)


@entry
def learn_ppo(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5]."""
    _learn_ppo(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)


@entry
def learn_ppo_redrawn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns):  # type: ignore[no-untyped-def]
    """Train lanes int64[n] on rollouts f64[n, n_steps, 5], with old log-probabilities of actions drawn again."""
    _learn_ppo_redrawn(lanes, settings, policy_widths, value_widths, chosen_lanes, turns)
