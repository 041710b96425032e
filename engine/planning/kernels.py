"""Compiled loops over plain arrays, each with its plain twin in `.py_func`.

`engine.planning.dynamic_programming` calls them by textbook names.

Shapes as in `engine.mdp.mdp.TabularMDP`: next_state int32[S, A, K], probability and reward f64[S, A, K], terminal
bool[S].
"""

from __future__ import annotations

import numpy as np

from engine.compiling.kernel import kernel
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.planning.certificates.interval import find_missing_part

MOST_LAYERS, BLOCK = 200, 8_192  # steps to the end; entries of an array that stay near the processor
NEAR = 0.9999  # 1, from where on what a stored discount misses is more than rounding


@kernel(inner=True)
def backup(next_state, probability, reward, discount, value, state, action):  # type: ignore[no-untyped-def]
    """Expected reward plus discounted value of the successors: one entry of Q."""
    total = 0.0
    for k in range(next_state.shape[2]):
        p = probability[state, action, k]
        if p > 0.0:
            total += p * (reward[state, action, k] + discount * value[next_state[state, action, k]])
    return total


@kernel
def sweep(next_state, probability, reward, terminal, discount, value, order):  # type: ignore[no-untyped-def]
    """One Gauss-Seidel sweep of value iteration in place; returns the largest change. order: int64[S], last first."""
    change = 0.0
    for place in range(len(terminal) - 1, -1, -1):
        state = order[place]
        if terminal[state]:
            continue
        best = -np.inf
        for action in range(next_state.shape[1]):
            best = max(best, backup(next_state, probability, reward, discount, value, state, action))
        if best != value[state]:
            change = max(change, abs(best - value[state]))
        value[state] = best
    return change


@kernel(returns=True)
def action_values(next_state, probability, reward, terminal, discount, value):  # type: ignore[no-untyped-def]
    """Q: f64[S, A] from V: f64[S]; terminal states have 0."""
    action_value = np.zeros(next_state.shape[:2])
    for state in range(len(terminal)):
        if not terminal[state]:
            for action in range(next_state.shape[1]):
                action_value[state, action] = backup(next_state, probability, reward, discount, value, state, action)
    return action_value


def _weigh_gains_in_blocks(  # type: ignore[no-untyped-def]
    next_state, probability, discount, own, extra, sizes, allowed, value, onwards, first, second, share, noise,
    least, gain, size, policy,
):  # fmt: skip
    """Do what `weigh_gains` does, an outcome of a block of states and actions at a time."""
    heavy, light = abs(first), abs(second)
    columns = np.ascontiguousarray(value.T)
    block = BLOCK // allowed.shape[1] + 1
    for begin in range(0, len(allowed), block):
        rows = slice(begin, begin + block)
        v, w, _, _, v_low, w_low = columns[:, rows, None]
        later = heavy * sizes[rows, :, 0] + light * sizes[rows, :, 1]
        total = -(1.0 - discount) * (first * (v + v_low) + second * (w + w_low)) + np.zeros_like(later)
        terms = (1.0 - discount) * (heavy * abs(v) + light * abs(w)) + later
        for k in range(next_state.shape[2]):
            p, n = probability[rows, :, k], next_state[rows, :, k]
            dv, dw = discount * (columns[0].take(n) - v), discount * (columns[1].take(n) - w)
            a = own[rows, :, k] + dv + discount * (columns[4].take(n) - v_low)
            b = extra[rows, :, k] + dw + discount * (columns[5].take(n) - w_low)
            possible = p > 0.0
            where = True if possible.all() else possible
            np.add(total, p * (first * a + second * b), out=total, where=where)
            np.add(terms, p * (heavy * abs(dv) + light * abs(dw)), out=terms, where=where)
            np.add(later, p * discount * onwards.take(n), out=later, where=where)
        later = np.maximum(onwards[rows, None], later)
        better = allowed[rows] & (total > 0.0) & (total > noise * np.maximum(terms, least * later))
        best = np.where(better, total, 0.0).argmax(axis=1)
        policy[rows] = np.where(np.any(better, axis=1), best, policy[rows])
        gain[rows] = np.where(allowed[rows], total, -np.inf)
        size[rows] = np.where(allowed[rows], np.maximum(terms, share * later), 0.0)
    return True


@kernel(fills=3, arrays=_weigh_gains_in_blocks)
def weigh_gains(  # type: ignore[no-untyped-def]
    next_state, probability, discount, own, extra, sizes, allowed, value, onwards, first, second, share, noise,
    least, gain, size, policy,
):  # fmt: skip
    """Fill in what every action gains over the present policy, and relative to what that is rounded: f64[S, A] twice.

    In the policy, int32[S], the action that gains most takes its place where it gains more than `noise` times its size.

    gain = w . (sum_k P_k (r_k + gamma (V_k - V)) - (1 - gamma) V),   w = (first, second)

    own, extra: f64[S, A, K], the rewards; sizes: f64[S, A, 2], the expected absolute ones. value: f64[S, 6] as in
    `chain_kernels`; onwards: f64[S], their weighed sizes. share: the share of these that counts beside the absolute
    terms of the sum; least: the share that counts where the policy is changed. For actions that are not allowed,
    bool[S, A], gain and size are -inf and 0.
    """
    heavy, light = abs(first), abs(second)
    for state in range(len(allowed)):
        here = value[state]
        v, w, v_low, w_low = here[0], here[1], here[4], here[5]
        most = 0.0
        for action in range(len(allowed[state])):
            gain[state][action], size[state][action] = -np.inf, 0.0
            if not allowed[state][action]:
                continue
            total = -(1.0 - discount) * (first * (v + v_low) + second * (w + w_low))
            terms = (1.0 - discount) * (heavy * abs(v) + light * abs(w))
            later = heavy * sizes[state][action][0] + light * sizes[state][action][1]
            terms += later
            for k in range(len(next_state[state][action])):
                p = probability[state][action][k]
                if p > 0.0:
                    n = next_state[state][action][k]
                    dv, dw = discount * (value[n][0] - v), discount * (value[n][1] - w)
                    a = own[state][action][k] + dv + discount * (value[n][4] - v_low)
                    b = extra[state][action][k] + dw + discount * (value[n][5] - w_low)
                    total += p * (first * a + second * b)
                    terms += p * (heavy * abs(dv) + light * abs(dw))
                    later += p * discount * onwards[n]
            gain[state][action] = total
            later = max(onwards[state], later)
            size[state][action] = max(terms, share * later)
            if total > most and total > noise * max(terms, least * later):
                most = total
                policy[state] = action


def find_missing_rewards(
    successor: Integers, chance: Floats, terminal: Booleans, discount: float, value: Floats
) -> Floats:
    """Return f64[S, M], the rewards that values, f64[S, M], lack because a discount is stored rounded.

    .99999999 is stored 5 * 10^-17 too small, a 200-millionth of 1 - gamma. With e the missing part, the values lack
    what the rewards e P V add up to. Zeros where the discount is not near 1: it would be less than rounding.
    successor: int32[S, K], chance: f64[S, K], under the policy.
    """
    if not NEAR <= discount < 1.0:
        return np.zeros_like(value)
    later = (chance[:, :, None] * value[successor]).sum(axis=1)
    return np.asarray(find_missing_part(discount) * np.where(terminal[:, None], 0.0, later))


def compute_deterministic_values(successor: Integers, reward: Floats, terminal: Booleans, discount: float) -> Floats:
    """Return the value of a policy on a deterministic table, f64[S], as `evaluate_deterministic` fills it in."""
    value = np.zeros((len(successor), 1))
    evaluate_deterministic(successor, reward[:, None], terminal, discount, value)
    return value[:, 0]


def _evaluate_in_layers(successor, reward, terminal, discount, value):  # type: ignore[no-untyped-def]
    """Do what `evaluate_deterministic` does where the policy ends in a few steps from everywhere: step by step."""
    kinds, done, waiting = reward.shape[1], terminal.copy(), np.flatnonzero(~terminal)
    for _ in range(MOST_LAYERS):
        ready = done[successor[waiting]]
        states, waiting = waiting[ready], waiting[~ready]
        value[states, :kinds] = reward[states] + discount * value[successor[states], :kinds]
        done[states] = True
        if not len(waiting):
            return True
        if not len(states):
            break
    value[...] = 0.0
    return False


@kernel(fills=1, arrays=_evaluate_in_layers)
def evaluate_deterministic(successor, reward, terminal, discount, value):  # type: ignore[no-untyped-def]
    """Fill in what a policy earns by M rewards on a deterministic table, in linear time on its functional graph.

    successor: int32[S], reward: f64[S, M] under the policy. Undiscounted cycles are worth -inf or +inf by the sign of
    their reward, 0 where no step has any, and nan where steps have some that add up to 0 or to rounding. value:
    f64[S, M or more], zeros before.
    """
    n, kinds = len(successor), len(reward[0])
    seen = np.zeros(n, dtype=np.int64)  # 0 unseen, -1 done, otherwise 1 + position on the present trail
    trail = np.empty(n, dtype=np.int32)
    for first in range(n):
        length = 0
        state = first
        while seen[state] == 0 and not terminal[state]:
            seen[state] = length + 1
            trail[length] = state
            length += 1
            state = successor[state]
        if seen[state] > 0:  # a cycle, from this position of the trail on
            entry = seen[state] - 1
            for m in range(kinds):
                total, weight, weights, size = 0.0, 1.0, 0.0, 0.0
                for i in range(entry, length):
                    total += weight * reward[trail[i]][m]
                    size += abs(reward[trail[i]][m])
                    weights += weight
                    weight *= discount
                if discount < 1.0:  # (1 - discount) weights = 1 - weight, which loses digits where weight is nearly 1
                    value[state][m] = total / ((1.0 - discount) * weights)
                else:
                    value[state][m] = -np.inf if total < 0.0 else (np.inf if total > 0.0 else 0.0)
                    if size > 0.0 and abs(total) <= 1e-13 * size:
                        value[state][m] = np.nan
                for i in range(length - 1, entry, -1):
                    here = trail[i]
                    if discount == 1.0:
                        value[here][m] = value[state][m]
                    else:
                        value[here][m] = reward[here][m] + discount * value[successor[here]][m]
            for i in range(entry, length):
                seen[trail[i]] = -1
            length = entry
        for i in range(length - 1, -1, -1):
            here = trail[i]
            following = successor[here]
            for m in range(kinds):
                value[here][m] = reward[here][m] + discount * value[following][m]
            seen[here] = -1


@kernel(fills=1)
def find_first_actions(origin, action, target, last_origin, last_action, step):  # type: ignore[no-untyped-def]
    """Fill step int32[S]: the lowest action of a state on some path of given steps that ends with one of the last ones.

    origin, action, target: int[N], the steps that paths consist of; those nearer to the end come first, and those out
    of one state in the order of its actions. last_origin, last_action: the last steps. step: -1 before, and where no
    such path leads.
    """
    for i in range(len(last_origin)):
        state = last_origin[i]
        if step[state] < 0 or last_action[i] < step[state]:
            step[state] = last_action[i]
    for i in range(len(origin)):
        state = origin[i]
        if step[target[i]] >= 0 and (step[state] < 0 or action[i] < step[state]):
            step[state] = action[i]
