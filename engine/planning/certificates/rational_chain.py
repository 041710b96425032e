"""A policy's returns in fractions: V = r + gamma P V solved without rounding.

States are taken class by class, last ones first, so that only classes of states that lead to one another need a linear
system. It is solved by refining a floating-point factorisation with exact residuals until the solution, as a fraction
of bounded denominator, satisfies the equations exactly; small systems that do not refine, by elimination.
Reference: Z. Wan, "An algorithm to solve integer linear systems exactly using numerical methods", Journal of Symbolic
Computation 41, 2006.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

MOST_BITS = 24_000
MOST_ELIMINATED = 60
MOST_SOLVED = 700
ZERO = Fraction(0)
Row = Mapping[int, Fraction]


def chain_values(
    steps: Mapping[int, Row], rewards: Sequence[Mapping[int, Fraction]]
) -> list[dict[int, Fraction]] | None:
    """State -> return for each of several rewards; None where the system is too large or has no solution.

    steps: state -> next state -> gamma times the probability, terminal states left out. rewards: state -> reward.
    """
    values: list[dict[int, Fraction]] = [{} for _ in rewards]
    for members in _classes_last_first(steps):
        inside = set(members)
        right = [
            [reward[s] + sum((p * value[t] for t, p in steps[s].items() if t not in inside), ZERO) for s in members]
            for reward, value in zip(rewards, values, strict=True)
        ]
        system = [{t: -p for t, p in steps[s].items() if t in inside} for s in members]
        for s, row in zip(members, system, strict=True):
            row[s] = row.get(s, ZERO) + 1
        if len(members) == 1 and system[0][members[0]]:
            solved: list[list[Fraction]] | None = [[side[0] / system[0][members[0]]] for side in right]
        else:
            solved = _solved(members, system, right)
        if solved is None:
            return None
        for value, solution in zip(values, solved, strict=True):
            value.update(zip(members, solution, strict=True))
    return values


def _classes_last_first(steps: Mapping[int, Row]) -> list[list[int]]:
    """The strongly connected classes, each after all that it leads to."""
    states = list(steps)
    number = {state: n for n, state in enumerate(states)}
    edges = [(number[s], number[t]) for s in states for t in steps[s]]
    origin, target = (np.array(each, dtype=np.int64) for each in (zip(*edges, strict=True) if edges else ((), ())))
    graph = sparse.csr_matrix((np.ones(len(origin)), (origin, target)), shape=(len(states),) * 2)
    count, label = csgraph.connected_components(graph, directed=True, connection="strong")
    members: list[list[int]] = [[] for _ in range(count)]
    for n, state in enumerate(states):
        members[label[n]].append(state)
    before: list[set[int]] = [set() for _ in range(count)]
    after = np.zeros(count, dtype=np.int64)
    for one, other in {(int(a), int(b)) for a, b in zip(label[origin], label[target], strict=True) if a != b}:
        before[other].add(one)
        after[one] += 1
    order = [int(n) for n in np.flatnonzero(after == 0)]
    for done in order:
        for earlier in sorted(before[done]):
            after[earlier] -= 1
            if not after[earlier]:
                order.append(earlier)
    return [members[n] for n in order]


def _solved(
    members: list[int], system: list[dict[int, Fraction]], right: list[list[Fraction]]
) -> list[list[Fraction]] | None:
    """The solutions of one class's equations."""
    if len(members) > MOST_SOLVED:
        return None
    if sum(math.log2(math.lcm(*(value.denominator for value in row.values()))) for row in system) > MOST_BITS / 2:
        return None
    column = {state: n for n, state in enumerate(members)}
    rows, sides = [], [[0] * len(members) for _ in right]
    for n, row in enumerate(system):
        scale = math.lcm(*(value.denominator for value in row.values()), *(side[n].denominator for side in right))
        rows.append([(column[state], int(value * scale)) for state, value in row.items()])
        for m, side in enumerate(right):
            sides[m][n] = int(side[n] * scale)
    solutions = _refined(rows, sides)
    if solutions is None and len(members) <= MOST_ELIMINATED:
        solutions = _eliminated(rows, sides)
    return solutions


def _refined(rows: list[list[tuple[int, int]]], sides: list[list[int]]) -> list[list[Fraction]] | None:
    """Solutions by refinement; None where the factorisation is too coarse or the fractions are too long."""
    try:
        largest = [float(max(abs(value) for _, value in row)) for row in rows]
        data = [(n, c, value / largest[n]) for n, row in enumerate(rows) for c, value in row]
        i, j, v = zip(*data, strict=True)
        factors = splu(sparse.csc_matrix((v, (i, j)), shape=(len(rows),) * 2))
    except (RuntimeError, OverflowError, ZeroDivisionError):  # singular, or too large for floating point
        return None
    scale = np.array(largest)
    solutions = []
    for side in sides:
        solution = _refined_column(rows, side, lambda right: factors.solve(right / scale))
        if solution is None:
            return None
        solutions.append(solution)
    return solutions


def _refined_column(rows: list[list[tuple[int, int]]], side: list[int], solve) -> list[Fraction] | None:  # type: ignore[no-untyped-def]
    """One right side: digits of the solution in base 2^20, each from the exact residual of those before."""
    if not any(side):
        return [Fraction(0)] * len(side)
    residual, digits, bits, check = list(side), [0] * len(side), 0, 80
    shift, start = 20, max(map(abs, side))
    while bits < MOST_BITS:
        exponent = max(abs(value).bit_length() for value in residual) - 60
        right = np.array([float(value >> exponent) if exponent > 0 else float(value) for value in residual])
        step = solve(right) * 2.0**shift
        if not np.isfinite(step).all() or max(0, exponent) + shift > 10_000:
            return None
        step_digits = [round(value) << max(0, exponent) for value in step.tolist()]
        digits = [(digit << shift) + change for digit, change in zip(digits, step_digits, strict=True)]
        residual = [
            (value << shift) - sum(a * step_digits[c] for c, a in row)
            for value, row in zip(residual, rows, strict=True)
        ]
        bits += shift
        if max(map(abs, residual)) > 2**40 * max(start, 2**60):
            return None
        if bits >= check or not any(residual):
            check = 2 * bits
            solution = _reconstructed(rows, side, digits, bits)
            if solution is not None:
                return solution
    return None


def _reconstructed(
    rows: list[list[tuple[int, int]]], side: list[int], digits: list[int], bits: int
) -> list[Fraction] | None:
    """Fractions near digits / 2^bits that satisfy the equations exactly; None where there are none yet."""
    common, most = 1, 1 << (bits // 2 - 8)
    for digit in digits:
        rest = Fraction(digit * common, 1 << bits).limit_denominator(max(1, most // common))
        common *= rest.denominator
        if common > most:
            return None
    numerators = [(digit * common + (1 << (bits - 1))) >> bits for digit in digits]
    for row, value in zip(rows, side, strict=True):
        if sum(a * numerators[c] for c, a in row) != value * common:
            return None
    return [Fraction(numerator, common) for numerator in numerators]


def _eliminated(rows: list[list[tuple[int, int]]], sides: list[list[int]]) -> list[list[Fraction]] | None:
    """Solutions by Gauss and Jordan's elimination; None for a singular system."""
    n = len(rows)
    table = [[Fraction(0)] * n + [Fraction(side[k]) for side in sides] for k in range(n)]
    for k, row in enumerate(rows):
        for c, value in row:
            table[k][c] += value
    for c in range(n):
        pivot = next((k for k in range(c, n) if table[k][c]), None)
        if pivot is None:
            return None
        table[c], table[pivot] = table[pivot], table[c]
        head = table[c][c]
        table[c] = [value / head for value in table[c]]
        for k in range(n):
            factor = table[k][c]
            if k != c and factor:
                table[k] = [a - factor * b if b else a for a, b in zip(table[k], table[c], strict=True)]
    return [[table[k][n + m] for k in range(n)] for m in range(len(sides))]
