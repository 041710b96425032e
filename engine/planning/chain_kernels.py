"""Compiled loops over the Markov chain of one policy, each with its plain twin in `.py_func`.

Shapes: target int32[S, K], chance f64[S, K]: the successors of each state and their probabilities; terminal
bool[S]. Values are f64[S, 6], 0 in terminal states: the own and the extra return, the sizes of both, and what both
returns miss by being rounded, so that chains of a million million steps keep all their digits.

Loops sum  gamma sum_k P_k (V_k - V) - (1 - gamma) V:  rounding is relative to differences, and probabilities sum to
1.
"""

from __future__ import annotations

import numpy as np

from engine.compiling.kernel import kernel

MOST_FOLLOWED = 200  # steps


@kernel(returns=True)
def residual(  # type: ignore[no-untyped-def]
    target, chance, terminal, discount, own, extra, sizes, value, rounding, roughly, negligible
):
    """Return f64[4, S], by what values miss their equations, and bool[4]: whether that is more than rounding anywhere.

    own, extra: f64[S, K], the rewards of every step; sizes: f64[S, 2], the expected absolute ones. rounding: relative
    to the absolute terms of an equation, of which the share `negligible` of the value's size is the least. roughly: how
    much sizes may miss, relative to themselves. 0 in terminal states.
    """
    result = np.zeros((4, len(terminal)))
    first = second = third = fourth = False
    for state in range(len(terminal)):
        if terminal[state]:
            continue
        a, b, c, d, terms_a, terms_b = equations(target, chance, discount, own, extra, sizes, value, state)
        result[0, state], result[1, state], result[2, state], result[3, state] = a, b, c, d
        own_size, extra_size = abs(value[state, 2]), abs(value[state, 3])
        first = first or abs(a) > rounding * max(terms_a, negligible * own_size)
        second = second or abs(b) > rounding * max(terms_b, negligible * extra_size)
        third = third or abs(c) > roughly * own_size
        fourth = fourth or abs(d) > roughly * extra_size
    return result, np.array([first, second, third, fourth])


@kernel(inner=True)
def residual_of(target, chance, terminal, discount, own, extra, sizes, value, state):  # type: ignore[no-untyped-def]
    """Return f64[4], the residual of one state, as in `residual`."""
    a, b, c, d, _, _ = equations(target, chance, discount, own, extra, sizes, value, state)
    return np.array([a, b, c, d])


@kernel(inner=True)
def equations(target, chance, discount, own, extra, sizes, value, state):  # type: ignore[no-untyped-def]
    """By what one state's values miss their equations, and the absolute terms of the first two."""
    v, w, x, y = value[state, 0], value[state, 1], value[state, 2], value[state, 3]
    v_low, w_low = value[state, 4], value[state, 5]
    ending = 1.0 - discount
    a, b = -ending * (v + v_low), -ending * (w + w_low)
    c, d = sizes[state, 0] - ending * x, sizes[state, 1] - ending * y
    terms_a, terms_b = sizes[state, 0] + ending * abs(v), sizes[state, 1] + ending * abs(w)
    for k in range(target.shape[1]):
        p = chance[state, k]
        if p > 0.0:
            n = target[state, k]
            dv, dw = discount * (value[n, 0] - v), discount * (value[n, 1] - w)
            a += p * (own[state, k] + dv + discount * (value[n, 4] - v_low))
            b += p * (extra[state, k] + dw + discount * (value[n, 5] - w_low))
            c += p * discount * (value[n, 2] - x)
            d += p * discount * (value[n, 3] - y)
            terms_a += p * abs(dv)
            terms_b += p * abs(dw)
    return a, b, c, d, terms_a, terms_b


@kernel(returns=True)
def add(value, response, amounts):  # type: ignore[no-untyped-def]
    """value += response * amounts, in place, in doubled precision; response f64[S], amounts f64[4]."""
    for m in range(4):
        if amounts[m] == 0.0:
            continue
        for state in range(len(response)):
            change = response[state] * amounts[m]
            if change == 0.0:
                continue
            if m >= 2:
                value[state, m] += change
                continue
            high, low = exact_sum(value[state, m], change)
            value[state, m], value[state, m + 4] = exact_sum(high, low + value[state, m + 4])


@kernel(returns=True)
def exact_residual(target, chance, terminal, discount, own, extra, value):  # type: ignore[no-untyped-def]
    """Return f64[2, S], the residual of both returns as in `residual`, every product and sum in doubled precision."""
    result = np.zeros((2, len(terminal)))
    for state in range(len(terminal)):
        if terminal[state]:
            continue
        for m in range(2):
            here, low = value[state, m], value[state, m + 4]
            total, missed = _exact_product(discount, here)
            total, more = exact_sum(total, -here)
            missed += more - (1.0 - discount) * low
            for k in range(target.shape[1]):
                p = chance[state, k]
                if p <= 0.0:
                    continue
                n = target[state, k]
                step, step_low = exact_sum(value[n, m], -here)
                later, later_low = _exact_product(discount, step)
                later_low += discount * (step_low + (value[n, m + 4] - low))
                term, term_low = exact_sum(own[state, k] if m == 0 else extra[state, k], later)
                part, part_low = _exact_product(p, term)
                total, more = exact_sum(total, part)
                missed += more + part_low + p * (term_low + later_low)
            result[m, state] = total + missed
    return result


@kernel(inner=True)
def _exact_product(left, right):  # type: ignore[no-untyped-def]
    """Return the rounded product and what it misses (T. Dekker's, by G. Veltkamp's halves of 26 bits)."""
    product = left * right
    split = 134217729.0 * left
    a = split - (split - left)
    split = 134217729.0 * right
    b = split - (split - right)
    c, d = left - a, right - b
    return product, ((a * b - product) + a * d + c * b) + c * d


@kernel(inner=True)
def exact_sum(left, right):  # type: ignore[no-untyped-def]
    """Return the rounded sum and what it misses (D. Knuth's two-sum)."""
    total = left + right
    part = total - left
    return total, (left - (total - part)) + (right - part)


@kernel
def _apply_system(target, chance, terminal, discount, vector, result):  # type: ignore[no-untyped-def]
    """result[...] = (I - gamma P) vector."""
    for state in range(len(terminal)):
        if terminal[state]:
            result[state] = vector[state]
            continue
        here = vector[state]
        total = (1.0 - discount) * here
        for k in range(target.shape[1]):
            if chance[state, k] > 0.0:
                total -= discount * chance[state, k] * (vector[target[state, k]] - here)
        result[state] = total


@kernel
def _dot(left, right):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@kernel
def bicgstab(target, chance, terminal, discount, right, tolerance, most):  # type: ignore[no-untyped-def]
    """Return the solution of  (I - gamma P) x = right,  f64[S], and whether it has converged.

    The stabilised bi-conjugate gradient method from 0: at most `most` iterations, until the residual's norm has fallen
    to `tolerance` times that of `right`.
    """
    n = len(right)
    solution, error = np.zeros(n), right.copy()
    start = right.copy()
    direction, image, step = right.copy(), np.zeros(n), np.zeros(n)
    goal = tolerance * np.sqrt(_dot(right, right))
    rho = _dot(start, error)
    if goal == 0.0:
        return solution, True
    for _ in range(most):
        _apply_system(target, chance, terminal, discount, direction, image)
        scale = _dot(start, image)
        if rho == 0.0 or scale == 0.0:
            return solution, False
        alpha = rho / scale
        for i in range(n):
            error[i] -= alpha * image[i]
        _apply_system(target, chance, terminal, discount, error, step)
        size = _dot(step, step)
        omega = _dot(step, error) / size if size > 0.0 else 0.0
        for i in range(n):
            solution[i] += alpha * direction[i] + omega * error[i]
            error[i] -= omega * step[i]
        norm = np.sqrt(_dot(error, error))
        if not np.isfinite(norm):
            return solution, False
        if norm <= goal:
            return solution, True
        following = _dot(start, error)
        if omega == 0.0:
            return solution, False
        beta = following / rho * (alpha / omega)
        rho = following
        for i in range(n):
            direction[i] = error[i] + beta * (direction[i] - omega * image[i])
    return solution, False


def _follow_to_ends(target, chance, terminal, changed, answer):  # type: ignore[no-untyped-def]
    """Do what `find_ending` does where nothing is left to chance and the ends are near: go on from all at once."""
    if target.shape[1] > 1:
        return False
    for _ in range(MOST_FOLLOWED):
        changed = changed[~terminal[changed]]
        if not len(changed):
            answer[0] = True
            return True
        changed = target[changed, 0]
    return False


@kernel(fills=1, arrays=_follow_to_ends)
def find_ending(target, chance, terminal, changed, answer):  # type: ignore[no-untyped-def]
    """Whether a terminal state can be reached from each of the states `changed`, int64[N]: bool[1], False before.

    A chain that ended surely before the actions of these states changed then still does: states that it never leaves
    would hold one of them.
    """
    n = len(terminal)
    ends = terminal.copy()
    seen = np.full(n, -1)
    trail = np.empty(n, dtype=np.int64)
    for number in range(len(changed)):
        trail[0], length = changed[number], 1
        seen[changed[number]] = number
        found = ends[changed[number]]
        while length > 0 and not found:
            length -= 1
            state = trail[length]
            for k in range(len(target[state])):
                following = target[state][k]
                if chance[state][k] <= 0.0:
                    continue
                if ends[following]:
                    found = True
                    break
                if seen[following] != number:
                    seen[following] = number
                    trail[length] = following
                    length += 1
        if not found:
            return
        ends[changed[number]] = True
    answer[0] = True


@kernel(fills=1)
def change_rows(columns, coefficients, states, changes, vector):  # type: ignore[no-untyped-def]
    """Carry a solution of one system over to the system with changed rows, in place: Sherman and Morrison, row by row.

    states: int64[N], the rows that changed. columns, coefficients: [N, W], the change of each row, which multiplies the
    differences between the vector there and at the row's own state. changes: f64[N, S], what one unit of a row's change
    does to the solution.
    """
    for n in range(len(states)):
        amount = 0.0
        for i in range(len(columns[n])):
            amount += coefficients[n][i] * (vector[columns[n][i]] - vector[states[n]])
        if amount != 0.0:
            for i in range(len(vector)):
                vector[i] -= amount * changes[n][i]


@kernel(fills=2)
def clear_unearned(target, chance, terminal, sizes, value, cleared):  # type: ignore[no-untyped-def]
    """Set values to 0 where no reward of that kind follows; cleared bool[1], False before: whether any was not 0.

    Terminal states keep theirs: they are worth something where only a part of a table is left.
    """
    earned = np.zeros((len(terminal), 2), dtype=np.bool_)
    for state in range(len(terminal)):
        for m in range(2):
            earned[state, m] = terminal[state] and value[state][m + 2] != 0.0
    last_first, grown = True, True
    while grown:
        grown = False
        for number in range(len(terminal)):
            state = len(terminal) - 1 - number if last_first else number
            if terminal[state]:
                continue
            for m in range(2):
                if earned[state, m]:
                    continue
                follows = sizes[state][m] != 0.0
                for k in range(len(target[state])):
                    if chance[state][k] > 0.0 and earned[target[state][k], m]:
                        follows = True
                if follows:
                    earned[state, m] = grown = True
        last_first = not last_first
    for state in range(len(terminal)):
        here = value[state]
        for m in range(2):
            if not earned[state, m] and not terminal[state]:
                cleared[0] = cleared[0] or here[m] != 0.0 or here[m + 4] != 0.0
                here[m] = here[m + 2] = here[m + 4] = 0.0


def _sum_halves_at_once(value, scale, first, second, answer):  # type: ignore[no-untyped-def]
    """Do what `sum_weighed` does."""
    own, extra, _, _, own_low, extra_low = value.T
    high, low = exact_sum(scale * (first * own), scale * (second * extra))
    low = low + scale * (first * own_low + second * extra_low)
    while len(high) > 1:
        half = (len(high) + 1) // 2
        rest = len(high) - half
        high[:rest], missed = exact_sum(high[:rest], high[half:])
        low[:rest] += low[half:] + missed
        high, low = high[:half], low[:half]
    answer[0], answer[1] = exact_sum(high[0], low[0])
    return True


@kernel(fills=1, arrays=_sum_halves_at_once)
def sum_weighed(value, scale, first, second, answer):  # type: ignore[no-untyped-def]
    """Sum  scale * (first * own + second * extra)  over all states, in halves: the rounded sum and what it misses.

    Compared in that order they are sums of doubled precision, if the scales are powers of two. Weights come before
    scales, which may be so large that only a weight of 0 keeps the number finite. answer: f64[2].
    """
    high, low = np.empty(len(value)), np.empty(len(value))
    for state in range(len(value)):
        here, factor = value[state], scale[state]
        high[state], missed = exact_sum(factor * (first * here[0]), factor * (second * here[1]))
        low[state] = missed + factor * (first * here[4] + second * here[5])
    count = len(value)
    while count > 1:
        half = (count + 1) // 2
        for state in range(count - half):
            high[state], missed = exact_sum(high[state], high[half + state])
            low[state] += low[half + state] + missed
        count = half
    answer[0], answer[1] = exact_sum(high[0], low[0])
