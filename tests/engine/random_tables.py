"""Random tables that are rich in ties, and all their policies in exact fractions.

Rewards are small integers, probabilities halves and quarters, so that thousands of tables hold free cycles, equal
policies and equal lines. The reference enumerates policies, solves each chain in fractions, and takes the upper
envelope exactly.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Floats, TabularMDP
from engine.randomness.counter_based import randrange, split
from tests.engine.worlds import numbered

STATES, ACTIONS = 4, 3
DISCOUNTS = (1.0, 1.0, 0.5, 0.75)
SCALES = (1.0, 1.0, 2.0**-30, 2.0**20)


class Drawn(NamedTuple):
    """A table, its auxiliary reward, and the factors by which both rewards were multiplied."""

    mdp: TabularMDP
    auxiliary: Floats
    own_scale: float
    auxiliary_scale: float


def drawn(number: int, top: int = 0) -> Drawn:
    """The table of a number: STATES states, the last one terminal.

    top: the largest own reward, in units of its scale; above 0 some cycles gain of themselves.
    """
    key = split(0, number)
    counter = itertools.count()

    def draw(n: int) -> int:
        return int(randrange(n, key, next(counter)))

    successors, discount = 1 + draw(2), DISCOUNTS[draw(4)]
    own_scale, auxiliary_scale = SCALES[draw(4)], SCALES[draw(4)]
    stepwise = draw(2) == 1
    shape = (STATES, ACTIONS, successors)
    next_state, probability = np.zeros(shape, dtype=np.int32), np.zeros(shape)
    reward, auxiliary = np.zeros(shape), np.zeros(shape)
    next_state[-1], probability[-1, :, 0] = STATES - 1, 1.0
    for state, action in itertools.product(range(STATES - 1), range(ACTIONS)):
        quarters = 4 if successors == 1 else 1 + draw(3)
        probability[state, action] = [quarters / 4, 1 - quarters / 4][:successors]
        for k in range(successors):
            forward = action == 0 and k == 0
            next_state[state, action, k] = state + 1 if forward else draw(STATES)
            ends = next_state[state, action, k] == STATES - 1
            reward[state, action, k] = (top - draw(3)) * own_scale
            auxiliary[state, action, k] = (draw(5) - 2) * auxiliary_scale if ends or stepwise else 0.0
    mdp = numbered(next_state, probability, reward, np.arange(STATES) == STATES - 1, discount)
    return Drawn(mdp, auxiliary, own_scale, auxiliary_scale)


Pair = tuple[Fraction, Fraction]


def reference(world: Drawn) -> tuple[set[Pair], list[Pair]]:
    """(own, auxiliary) of all proper policies, and the averages of all endless classes, exactly, scales divided out."""
    mdp = world.mdp
    lines, gains = set(), set()
    for policy in itertools.product(range(ACTIONS), repeat=STATES - 1):
        reach, boundary = {0}, [0]
        chain: dict[int, dict[int, Fraction]] = {}
        rewards: dict[int, Pair] = {}
        while boundary:
            state = boundary.pop()
            if mdp.terminal[state]:
                continue
            chain[state], own, extra = {}, Fraction(0), Fraction(0)
            for k in range(mdp.next_state.shape[2]):
                chance = Fraction(float(mdp.probability[state, policy[state], k]))
                if not chance:
                    continue
                target = int(mdp.next_state[state, policy[state], k])
                chain[state][target] = chain[state].get(target, Fraction(0)) + chance
                own += chance * Fraction(float(mdp.reward[state, policy[state], k] / world.own_scale))
                extra += chance * Fraction(float(world.auxiliary[state, policy[state], k] / world.auxiliary_scale))
                if target not in reach:
                    reach.add(target)
                    boundary.append(target)
            rewards[state] = own, extra
        trapped = [] if mdp.discount < 1 else endless(chain)
        if trapped:
            gains |= {average(members, chain, rewards) for members in trapped}
            if is_free(world, policy, trapped):
                inside = {state for members in trapped for state in members}
                chain = {state: ({STATES - 1: Fraction(1)} if state in inside else row) for state, row in chain.items()}
            else:
                continue
        lines.add(solved(chain, rewards, Fraction(mdp.discount)))
    return lines, sorted(gains)


def is_free(world: Drawn, policy: tuple[int, ...], trapped: list[set[int]]) -> bool:
    """Whether no step of the endless classes has a reward of either kind."""
    mdp = world.mdp
    for state in itertools.chain.from_iterable(trapped):
        possible = mdp.probability[state, policy[state]] > 0
        if mdp.reward[state, policy[state], possible].any() or world.auxiliary[state, policy[state], possible].any():
            return False
    return True


def endless(chain: dict[int, dict[int, Fraction]]) -> list[set[int]]:
    """The closed strongly connected sets of states that are not terminal."""
    reachable = {state: _reach(state, chain) for state in chain}
    classes = {frozenset(t for t in reachable[s] if s in reachable.get(t, ())) for s in chain if s in reachable[s]}
    return [set(c) for c in classes if all(set(chain[s]) <= c for s in c)]


def _reach(state: int, chain: dict[int, dict[int, Fraction]]) -> set[int]:
    found: set[int] = set()
    waiting = [*chain[state]]
    while waiting:
        target = waiting.pop()
        if target not in found:
            found.add(target)
            waiting.extend(chain.get(target, {}))
    return found


def average(members: set[int], chain: dict[int, dict[int, Fraction]], rewards: dict[int, Pair]) -> Pair:
    """The mean rewards of a step within an endless class."""
    order = sorted(members)
    rows = [[chain[s].get(t, Fraction(0)) - (s == t) for s in order] for t in order]
    rows[0] = [Fraction(1)] * len(order)
    share = gauss(rows, [Fraction(1)] + [Fraction(0)] * (len(order) - 1))
    return tuple(sum((p * rewards[s][n] for p, s in zip(share, order, strict=True)), Fraction(0)) for n in (0, 1))  # type: ignore[return-value]


def solved(chain: dict[int, dict[int, Fraction]], rewards: dict[int, Pair], discount: Fraction) -> Pair:
    """The values of state 0 for both rewards."""
    order = sorted(chain)
    if 0 not in chain:
        return Fraction(0), Fraction(0)
    rows = [[(s == t) - discount * chain[s].get(t, Fraction(0)) for t in order] for s in order]
    return tuple(gauss(rows, [rewards[s][n] for s in order])[order.index(0)] for n in (0, 1))  # type: ignore[return-value]


def gauss(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """The solution of a regular linear system."""
    table = [[*map(Fraction, row), value] for row, value in zip(rows, right, strict=True)]
    n = len(table)
    for column in range(n):
        pivot = next(row for row in range(column, n) if table[row][column] != 0)
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [value / table[column][column] for value in table[column]]
        for row in range(n):
            if row != column and table[row][column]:
                factor = table[row][column]
                table[row] = [a - factor * b for a, b in zip(table[row], table[column], strict=True)]
    return [row[-1] for row in table]


def limits(gains: list[Pair]) -> tuple[float | Fraction, float | Fraction] | None:
    """Between which coefficients no endless class gains on average; None where there are none."""
    low: float | Fraction = -math.inf
    high: float | Fraction = math.inf
    for own, extra in gains:
        if extra > 0:
            high = min(high, -own / extra)
        elif extra < 0:
            low = max(low, -own / extra)
        elif own > 0:
            return None
    return None if low > high else (low, high)
