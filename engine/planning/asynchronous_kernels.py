"""Compiled loops of asynchronous dynamic programming (`engine.planning.asynchronous`), each with its plain twin.

Shapes as in `engine.planning.kernels` and `engine.planning.chain_kernels`;
order int64[S]: the states as they are visited; waiting bool[S]: those to be visited;
first int64[S + 1], before int32[N]: the states from which a step may lead to s are before[first[s] : first[s + 1]].
"""

from __future__ import annotations

import numpy as np

from engine.compiling.kernel import kernel
from engine.planning.chain_kernels import equations, exact_sum


@kernel
def improve(  # type: ignore[no-untyped-def]
    next_state, probability, discount, expected, own_weight, extra_weight, allowed, noise, size,
    order, first, before, waiting, policy, value, most,
):  # fmt: skip
    """Value iteration, in place, on the states that wait and on those that this reaches; whether it has converged.

    expected: f64[S, A, 2 or more], the rewards that are weighed. value: f64[S], of the policy, int32[S]. size: f64[S,
    A], of which another action must be better by the share `noise`, and by which a value must change for other states
    to be visited. most: how many backups at most.
    """
    count, active = 0, True
    while active and count < most:
        active = False
        for number in range(len(order)):
            state = order[number]
            if not waiting[state]:
                continue
            waiting[state] = False
            active = True
            count += 1
            present, best, choice, tolerance = -np.inf, -np.inf, policy[state], 0.0
            for action in range(next_state.shape[1]):
                if not allowed[state, action]:
                    continue
                tolerance = max(tolerance, noise * size[state, action])
                total = own_weight * expected[state, action, 0] + extra_weight * expected[state, action, 1]
                leaving = 1.0 - discount
                for k in range(next_state.shape[2]):
                    p = probability[state, action, k]
                    following = next_state[state, action, k]
                    if p > 0.0 and following != state:
                        total += discount * p * value[following]
                        leaving += discount * p
                if leaving <= 0.0:
                    continue
                total /= leaving
                if action == policy[state]:
                    present = total
                if total > best:
                    best, choice = total, action
            if best > present + tolerance:
                policy[state] = choice
                present = best
            if present == -np.inf:
                continue
            change = abs(present - value[state])
            value[state] = present
            if change > tolerance:
                for i in range(first[state], first[state + 1]):
                    if before[i] != state:
                        waiting[before[i]] = True
    return not active


@kernel
def evaluate(  # type: ignore[no-untyped-def]
    target, chance, terminal, discount, own, extra, sizes, value, rounding, roughly, negligible,
    order, first, before, waiting, most,
):  # fmt: skip
    """Return how many backups it took until every equation holds but for rounding, from values, f64[S, 6], in place.

    Values and tolerances as in `chain_kernels.residual`; the states that wait are all whose equations may not hold. At
    most `most` backups, or a sweep more.
    """
    count, active = 0, True
    while active and count < most:
        active = False
        for number in range(len(order)):
            state = order[number]
            if not waiting[state]:
                continue
            waiting[state] = False
            if terminal[state]:
                continue
            active = True
            count += 1
            a, b, c, d, terms_a, terms_b = equations(target, chance, discount, own, extra, sizes, value, state)
            x, y = abs(value[state, 2]), abs(value[state, 3])
            first_misses = abs(a) > rounding * max(terms_a, negligible * x)
            second_misses = abs(b) > rounding * max(terms_b, negligible * y)
            third_misses, fourth_misses = abs(c) > roughly * x, abs(d) > roughly * y
            if not (first_misses or second_misses or third_misses or fourth_misses):
                continue
            leaving = 1.0 - discount
            for k in range(target.shape[1]):
                if target[state, k] != state:
                    leaving += discount * chance[state, k]
            if leaving <= 0.0:
                return most + 1
            if first_misses:
                high, low = exact_sum(value[state, 0], a / leaving)
                value[state, 0], value[state, 4] = exact_sum(high, low + value[state, 4])
            if second_misses:
                high, low = exact_sum(value[state, 1], b / leaving)
                value[state, 1], value[state, 5] = exact_sum(high, low + value[state, 5])
            if third_misses or fourth_misses:
                value[state, 2] += c / leaving
                value[state, 3] += d / leaving
            for i in range(first[state], first[state + 1]):
                if before[i] != state:
                    waiting[before[i]] = True
    return count if not active else most + 1


@kernel
def find_unexplained_visits(target, chance, terminal, discount, start, count):  # type: ignore[no-untyped-def]
    """Return f64[S], by how much the visits of each state, f64[S], miss those from its predecessors and the start."""
    arriving = -count
    arriving[start] += 1.0
    for state in range(len(terminal)):
        if not terminal[state] and count[state] != 0.0:
            for k in range(target.shape[1]):
                arriving[target[state, k]] += discount * chance[state, k] * count[state]
    return arriving


@kernel
def correct_visits(target, chance, terminal, discount, order, arriving, count, tolerance, most):  # type: ignore[no-untyped-def]
    """Correct how often each state is visited, discounted, f64[S], in place; whether that has converged.

    arriving: f64[S], by how much the visits miss; it is passed on to a state's successors where it exceeds `tolerance`:
    at most `most` passes, the last states of the order first.
    """
    for _ in range(most):
        active = False
        for number in range(len(order) - 1, -1, -1):
            state = order[number]
            if terminal[state] or abs(arriving[state]) <= tolerance:
                continue
            active = True
            staying = 0.0
            for k in range(target.shape[1]):
                if target[state, k] == state:
                    staying += chance[state, k]
            if 1.0 - discount * staying <= 0.0:
                return False
            here = arriving[state] / (1.0 - discount * staying)
            count[state] += here
            arriving[state] = 0.0
            for k in range(target.shape[1]):
                if target[state, k] != state:
                    arriving[target[state, k]] += discount * chance[state, k] * here
        if not active:
            return True
    return False
