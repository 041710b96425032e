"""Tables, policies' returns and optima in fractions: solved without any rounding, where a table is small.

A table in fractions: every stored number is read as the fraction that was meant (`as_fraction`). Rows of
probabilities must then sum to exactly 1, as .8 + .1 + .1 or three times 1/3 do. A table with other rows, with
numbers of many digits, or a large one has no fractions (None): its returns get bounds.

A policy's returns: V = r + gamma P V. States are taken class by class, last ones first, so that only classes of
states that lead to one another need a linear system. It is solved by refining a floating-point factorisation with
exact residuals until the solution, as a fraction of bounded denominator, satisfies the equations exactly; small
systems that do not refine, by elimination. Reference: Z. Wan, "An algorithm to solve integer linear systems exactly
using numerical methods", Journal of Symbolic Computation 41, 2006.

An optimum: policy iteration from a policy that is optimal but for rounding. A policy is optimal if no action has a
positive reduced cost  A(s, a) = r + gamma P V - V  anywhere. That is checked exactly for  w1 . own + w2 .
auxiliary, so that nothing about how the policy was found matters. Undiscounted, the policies compared are the
proper ones: V >= r + P V for every action bounds the return of each of them, and no set of states that can be
stayed in gains on average.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.planning.certificates.interval import as_fraction

MOST_STEPS = 600_000
MOST_DENOMINATOR = 10**12
ROUNDED = 4  # units in the last place that 1 - .2 - .1 may be off
Whole = NDArray[Any]  # Python's integers, of any size


@dataclass(frozen=True)
class RationalTable:
    """Whole numbers over common denominators.

    next_state: int32[S, A, K]. allowed: bool[S, A], the actions that count; a state without any is terminal. chance:
    whole[S, A, K], probabilities times `chance_unit`. rewards: whole[S, A] each, expected rewards times `reward_unit`.
    discount: gamma.
    """

    next_state: Integers
    allowed: Booleans
    chance: Whole
    chance_unit: int
    rewards: tuple[Whole, ...]
    reward_unit: int
    discount: Fraction

    def states(self) -> list[int]:
        """Return the states that are not terminal."""
        return [int(state) for state in np.flatnonzero(self.allowed.any(axis=1))]


def build_rational_table(mdp: TabularMDP, allowed: Booleans, rewards: tuple[Floats, ...]) -> RationalTable | None:
    """The states and actions of a table, with several rewards f64[S, A, K], in fractions; None where there are none.

    allowed: bool[S, A], the actions that count, none in states that count as terminal.
    """
    if mdp.next_state.size > MOST_STEPS:
        return None
    discount = as_fraction(mdp.discount)
    chances = _find_chances(mdp.probability * allowed[:, :, None])
    amounts = [_find_fractions(reward * (mdp.probability > 0) * allowed[:, :, None]) for reward in rewards]
    if discount is None or chances is None or any(amount is None for amount in amounts):
        return None
    chance_unit, (chance,) = _scale_to_whole([chances])
    reward_unit, wholes = _scale_to_whole([amount for amount in amounts if amount is not None])
    if chance_unit > MOST_DENOMINATOR:
        return None
    expected = tuple((chance * whole).sum(axis=2) for whole in wholes)
    return RationalTable(mdp.next_state, allowed, chance, chance_unit, expected, reward_unit * chance_unit, discount)


def _find_fractions(numbers: Floats) -> tuple[list[Fraction], NDArray[np.int64]] | None:
    """The different fractions of an array, and which of them stands where; None where a number is not a fraction."""
    different, where = np.unique(numbers, return_inverse=True)
    fractions = [as_fraction(number) for number in different.tolist()]
    found = [fraction for fraction in fractions if fraction is not None]
    return (found, where.reshape(numbers.shape)) if len(found) == len(fractions) else None


def _find_chances(probability: Floats) -> tuple[list[Fraction], NDArray[np.int64]] | None:
    """Return the same for rows of probabilities, each of which sums to 1 or is 0."""
    rows, which = np.unique(probability.reshape(-1, probability.shape[2]), axis=0, return_inverse=True)
    read = [_complete_row(row) for row in rows.tolist()]
    if any(row is None for row in read):
        return None
    flat = [chance for row in read if row is not None for chance in row]
    where = which.reshape(-1)[:, None] * probability.shape[2] + np.arange(probability.shape[2])
    return flat, where.reshape(probability.shape)


def _complete_row(numbers: list[float]) -> list[Fraction] | None:
    """Probabilities that sum to 1; the largest one takes what is left where that rounds to it."""
    chances = [as_fraction(number) for number in numbers]
    if not any(numbers):
        return [Fraction(0) for _ in numbers]
    largest = max(range(len(numbers)), key=numbers.__getitem__)
    others = [chance for n, chance in enumerate(chances) if n != largest]
    known = [chance for chance in others if chance is not None]
    left = 1 - sum(known, Fraction(0))
    if len(known) < len(others) or abs(left - Fraction(numbers[largest])) > ROUNDED * Fraction(
        math.ulp(numbers[largest])
    ):
        return None
    return [*known[:largest], left, *known[largest:]]


def _scale_to_whole(arrays: list[tuple[list[Fraction], NDArray[np.int64]]]) -> tuple[int, list[Whole]]:
    """Arrays of fractions over their common denominator."""
    unit = math.lcm(*(fraction.denominator for fractions, _ in arrays for fraction in fractions))
    return unit, [
        np.array([int(fraction * unit) for fraction in fractions], dtype=object)[where] for fractions, where in arrays
    ]


MOST_BITS = 24_000
MOST_ELIMINATED = 60
MOST_SOLVED = 700
ZERO = Fraction(0)
Row = Mapping[int, Fraction]


def solve_rational_chain(
    steps: Mapping[int, Row], rewards: Sequence[Mapping[int, Fraction]]
) -> list[dict[int, Fraction]] | None:
    """State -> return for each of several rewards; None where the system is too large or has no solution.

    steps: state -> next state -> gamma times the probability, terminal states left out. rewards: state -> reward.
    """
    values: list[dict[int, Fraction]] = [{} for _ in rewards]
    for members in _order_classes(steps):
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
            solved = _solve_class(members, system, right)
        if solved is None:
            return None
        for value, solution in zip(values, solved, strict=True):
            value.update(zip(members, solution, strict=True))
    return values


def compute_rational_averages(
    mdp: TabularMDP, policy: Policy, members: NDArray[np.int64], rewards: Sequence[Floats]
) -> list[Fraction] | None:
    """Return the average of each reward, f64[S, A, K], in a step of a policy's recurrent class; None without fractions.

    What is collected from one state until it comes again, over the number of steps until then.
    """
    first, inside = int(members[0]), set(members.tolist())
    steps: dict[int, dict[int, Fraction]] = {}
    amounts: list[dict[int, Fraction]] = [{} for _ in rewards]
    for state in members.tolist():
        chances = _complete_row(mdp.probability[state, policy[state]].tolist())
        if chances is None:
            return None
        steps[state] = {}
        for k, chance in enumerate(chances):
            if chance:
                target = int(mdp.next_state[state, policy[state], k])
                if target not in inside:
                    return None
                steps[state][target] = steps[state].get(target, ZERO) + chance
        for amount, reward in zip(amounts, rewards, strict=True):
            numbers = [as_fraction(float(number)) for number in reward[state, policy[state]]]
            known = [c * number for c, number in zip(chances, numbers, strict=True) if c and number is not None]
            if len(known) < sum(map(bool, chances)):
                return None
            amount[state] = sum(known, ZERO)
    amounts.append(dict.fromkeys(steps, Fraction(1)))
    rest = {s: {t: p for t, p in row.items() if t != first} for s, row in steps.items() if s != first}
    values = solve_rational_chain(rest, [{s: amount[s] for s in rest} for amount in amounts])
    if values is None:
        return None
    *totals, length = (
        amount[first] + sum((p * value[t] for t, p in steps[first].items() if t != first), ZERO)
        for amount, value in zip(amounts, values, strict=True)
    )
    return [total / length for total in totals]


def _order_classes(steps: Mapping[int, Row]) -> list[list[int]]:
    """Return the strongly connected classes, each after all that it leads to, by Tarjan's algorithm."""
    number: dict[int, int] = {}
    earliest: dict[int, int] = {}  # the first number that a state reaches among those of unfinished classes
    unfinished: list[int] = []
    classes: list[list[int]] = []
    for first in steps:
        path = [] if first in number else [(first, iter(steps[first]))]
        while path:
            state, following = path[-1]
            if state not in number:
                number[state] = earliest[state] = len(number)
                unfinished.append(state)
            for target in following:
                if target not in number:
                    path.append((target, iter(steps[target])))
                    break
                if target in earliest:
                    earliest[state] = min(earliest[state], earliest[target])
            else:
                path.pop()
                if path:
                    earliest[path[-1][0]] = min(earliest[path[-1][0]], earliest[state])
                if earliest[state] == number[state]:
                    members: list[int] = []
                    while state not in members[-1:]:
                        members.append(unfinished.pop())
                        del earliest[members[-1]]
                    classes.append(sorted(members))
    return classes


def _solve_class(
    members: list[int], system: list[dict[int, Fraction]], right: list[list[Fraction]]
) -> list[list[Fraction]] | None:
    """Return the solutions of one class's equations."""
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
    solutions = _refine(rows, sides)
    if solutions is None and len(members) <= MOST_ELIMINATED:
        solutions = _eliminate(rows, sides)
    return solutions


def _refine(rows: list[list[tuple[int, int]]], sides: list[list[int]]) -> list[list[Fraction]] | None:
    """Solutions by refinement; None where the factorisation is too coarse or the fractions are too long."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

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
        solution = _refine_column(rows, side, lambda right: factors.solve(right / scale))
        if solution is None:
            return None
        solutions.append(solution)
    return solutions


def _refine_column(rows: list[list[tuple[int, int]]], side: list[int], solve) -> list[Fraction] | None:  # type: ignore[no-untyped-def]
    """Return one right side: digits of the solution in base 2^20, each from the exact residual of those before."""
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
            solution = _reconstruct_fractions(rows, side, digits, bits)
            if solution is not None:
                return solution
    return None


def _reconstruct_fractions(
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


def _eliminate(rows: list[list[tuple[int, int]]], sides: list[list[int]]) -> list[list[Fraction]] | None:
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


MOST_ROUNDS = 30
MOST_ROUNDED = 2.0**52
MOST_UNIT_BITS = 1000


def compute_rational_returns(
    table: RationalTable, policy: Policy, rewards: Sequence[Whole], reward_unit: int
) -> list[dict[int, Fraction]] | None:
    """State -> return of a policy, int32[S], for each of several rewards; None where it has none.

    rewards: whole[S, A] each, over reward_unit.
    """
    states = table.states()
    inside = set(states)
    unit = table.discount / table.chance_unit
    chain = {}
    for state in states:
        action = int(policy[state])
        row: dict[int, int] = {}
        for target, chance in zip(table.next_state[state, action].tolist(), table.chance[state, action], strict=True):
            if chance and target in inside:
                row[target] = row.get(target, 0) + chance
        chain[state] = {target: chance * unit for target, chance in row.items()}
    amounts = [{s: Fraction(reward[s, policy[s]], reward_unit) for s in states} for reward in rewards]
    return solve_rational_chain(chain, amounts)


def find_rational_optimum(
    table: RationalTable, weights: Sequence[Fraction], policy: Policy, approximate: Floats, start: int
) -> Fraction | None:
    """Return the optimal return of one state for weighed rewards; None where it cannot be shown.

    weights: one for each of the table's rewards. policy: int32[S], proper, where the search begins. approximate:
    f64[S], its values but for rounding.
    """
    found = improve_in_fractions(table, weights, policy, approximate)
    return None if found is None else Fraction(found.values[0][start], found.values[1])


class RationalOptimum(NamedTuple):
    """An optimal policy, int32[S]; its values, whole[S] over a unit; the actions that are as good, bool[S, A]."""

    policy: Policy
    values: tuple[Whole, int]
    tied: Booleans


def improve_in_fractions(
    table: RationalTable, weights: Sequence[Fraction], policy: Policy, approximate: Floats | None = None
) -> RationalOptimum | None:
    """Return the optimum for weighed rewards by policy iteration in fractions; None where it cannot be shown.

    weights: one for each of the table's rewards. policy: int32[S], proper, where the search begins. approximate:
    f64[S], its values but for rounding, if they are known.
    """
    weight_unit = math.lcm(*(weight.denominator for weight in weights))
    reward: Whole = np.zeros(table.allowed.shape, dtype=object)
    for weight, each in zip(weights, table.rewards, strict=True):
        reward = reward + int(weight * weight_unit) * each
    reward_unit = weight_unit * table.reward_unit
    present = np.array(policy)
    values = None if approximate is None else _round_to_values(table, reward, reward_unit, policy, approximate)
    for _ in range(MOST_ROUNDS):
        if values is None:
            values = _compute_values(table, reward, reward_unit, present)
        if values is None:
            return None
        total, unit = _compute_action_values(table, reward, reward_unit, *values)
        here = (values[0] * (unit // values[1]))[:, None]
        better = np.asarray(total > here, dtype=np.bool_) & table.allowed
        improved = np.flatnonzero(better.any(axis=1)).tolist()
        if not improved:
            return RationalOptimum(present, values, np.asarray(total == here, dtype=np.bool_) & table.allowed)
        for state in improved:
            present[state] = max(np.flatnonzero(better[state]).tolist(), key=total[state].__getitem__)
        values = None
    return None


def _compute_values(table: RationalTable, reward: Whole, reward_unit: int, policy: Policy) -> tuple[Whole, int] | None:
    """Return a policy's values as whole numbers over a unit; None where there are none of bounded length."""
    returns = compute_rational_returns(table, policy, [reward], reward_unit)
    if returns is None:
        return None
    unit = math.lcm(*{fraction.denominator for fraction in returns[0].values()}) if returns[0] else 1
    if unit.bit_length() > MOST_BITS:
        return None
    whole = np.zeros(len(policy), dtype=object)
    for state, fraction in returns[0].items():
        whole[state] = fraction.numerator * (unit // fraction.denominator)
    return whole, unit


def _round_to_values(
    table: RationalTable, reward: Whole, reward_unit: int, policy: Policy, approximate: Floats
) -> tuple[Whole, int] | None:
    """Return the values that the approximate ones round to, where these are a policy's values exactly; else None."""
    unit = reward_unit // table.chance_unit
    if unit.bit_length() > MOST_UNIT_BITS:
        return None
    rounded = np.rint(np.where(table.allowed.any(axis=1), approximate, 0.0) * float(unit))
    if not (np.abs(rounded) < MOST_ROUNDED).all():
        return None
    whole = rounded.astype(np.int64).astype(object)
    total, common = _compute_action_values(table, reward, reward_unit, whole, unit)
    states = np.flatnonzero(table.allowed.any(axis=1))
    same = total[states, policy[states]] == (whole * (common // unit))[states]
    return (whole, unit) if np.asarray(same, dtype=np.bool_).all() else None


def _compute_action_values(
    table: RationalTable, reward: Whole, reward_unit: int, whole: Whole, unit: int
) -> tuple[Whole, int]:
    """r + gamma P V as whole numbers [S, A] over a multiple of the values' unit."""
    gamma = table.discount
    later = (table.chance * whole[table.next_state]).sum(axis=2) * (gamma.numerator * reward_unit)
    return reward * (unit * gamma.denominator * table.chance_unit) + later, (
        unit * reward_unit * gamma.denominator * table.chance_unit
    )
