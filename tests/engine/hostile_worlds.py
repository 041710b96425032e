"""Hostile worlds drawn at random, and everything that any policy earns there in fractions, by enumeration.

Ties, steps of reward 0, cycles of both signs, several traps that chance chooses between, transitions that end, missing
actions, several starts, discounts from .01 to .99999999 and 1, rewards from 10^-9 to 10^9. The reference knows nothing
of planning: it lists the deterministic policies, follows each to the classes of states that it never leaves, and solves
linear systems in fractions (`engine.planning.endless_returns` says what an endless return is worth).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.randomness.counter_based import randrange, split
from tests.engine.random_tables import gauss

DISCOUNTS = ("1", "1", "1", "1", "0.01", "0.1", "0.5", "0.9", "0.99", "0.9999", "0.999999", "0.99999999")
SCALES = ("1", "1", "1", "1e-9", "1e-4", "1e-1", "1e3", "1e6", "1e9")
CHANCES = ((1,), (1,), (1, 1), (1, 3), (1, 2), (1, 9), (1, 1, 2), (1, 999999))
THEMES = {
    "ties": ("-1", "0", "1", "1"),
    "decimals": ("0.1", "0.2", "0.3", "-0.7", "1.1", "-2.3", "0", "3.7"),
    "zeros": ("0", "0", "0", "0", "1", "-1"),
    "cycles": ("2", "-2", "1", "-1", "3", "-3"),
}
UNDEFINED = "undefined"
Rewards = tuple[Fraction, ...]
Ways = tuple[tuple[tuple[tuple[int, Fraction, Rewards], ...] | None, ...], ...]
Value = Fraction | float | str
"""A fraction, -inf, inf or UNDEFINED."""


STORED = Fraction(1, 10**15)  # of the terms of a sum


class Class(NamedTuple):
    """States that a policy never leaves. gains: the average reward in a step. rewards: of every possible step."""

    gains: tuple[Fraction, ...]
    rewards: tuple[tuple[Fraction, ...], ...]

    def is_rounding(self) -> bool:
        """Whether the average of the first reward is no more than what sums of its largest terms miss when stored."""
        return 0 < abs(self.gains[0]) <= STORED * max(abs(step[0]) for step in self.rewards)

    def gain(self, weights: Sequence[Fraction]) -> Fraction:
        return sum((w * g for w, g in zip(weights, self.gains, strict=True)), Fraction(0))

    def is_free(self, weights: Sequence[Fraction] | None = None) -> bool:
        """Whether no step has a weighed reward; without weights, none of any kind."""
        if weights is None:
            return not any(any(step) for step in self.rewards)
        return all(sum((w * r for w, r in zip(weights, step, strict=True)), Fraction(0)) == 0 for step in self.rewards)


class Earned(NamedTuple):
    """What a policy earns from a state: the classes that it may enter, and its returns up to there."""

    classes: tuple[Class, ...]
    returns: tuple[Fraction, ...]

    def value(self, weights: Sequence[Fraction]) -> Value:
        """The weighed return: a loss for ever outweighs all, a gain for ever what only goes to and fro."""
        gains = [one.gain(weights) for one in self.classes]
        if any(gain < 0 for gain in gains):
            return -math.inf
        if any(gain > 0 for gain in gains):
            return math.inf
        if not all(one.is_free(weights) for one in self.classes):
            return UNDEFINED
        return sum((w * each for w, each in zip(weights, self.returns, strict=True)), Fraction(0))


def rank(value: Value) -> tuple[int, Fraction]:
    """Larger is better: a gain for ever, a number, what goes to and fro, a loss for ever."""
    if isinstance(value, Fraction):
        return 2, value
    return {math.inf: 3, UNDEFINED: 1, -math.inf: 0}[value], Fraction(0)


@dataclass(frozen=True)
class HostileWorld:
    """A table, its rewards f64[S, A, K], and both in fractions.

    ways[s][a]: (next state, chance, rewards) of each outcome, None for a missing action. discount: as the
    table stores it; `with_meant_discount` has the decimal number.
    """

    mdp: TabularMDP
    rewards: tuple[Floats, ...]
    ways: Ways
    discount: Fraction

    def with_meant_discount(self) -> HostileWorld:
        """The same world with the discount that was meant, .99999999 and not the nearest number in binary."""
        return replace(self, discount=Fraction(repr(self.mdp.discount)))

    def policies(self) -> Iterator[tuple[int, ...]]:
        """Every deterministic policy; terminal states have action 0."""
        choices = [
            [0] if self.mdp.terminal[s] else [a for a, way in enumerate(row) if way is not None]
            for s, row in enumerate(self.ways)
        ]
        return itertools.product(*choices)

    @cached_property
    def earned(self) -> dict[tuple[int, ...], tuple[Earned, ...]]:
        """Policy -> what it earns from each state."""
        return {policy: self.follow(policy) for policy in self.policies()}

    def follow(self, policy: tuple[int, ...]) -> tuple[Earned, ...]:
        """What a policy earns from each state."""
        if policy not in self._followed:
            self._followed[policy] = self._follow(policy)
        return self._followed[policy]

    @cached_property
    def _followed(self) -> dict[tuple[int, ...], tuple[Earned, ...]]:
        return {}

    def _follow(self, policy: tuple[int, ...]) -> tuple[Earned, ...]:
        kinds, count = len(self.rewards), len(self.ways)
        rows: list[dict[int, Fraction]] = [{} for _ in range(count)]
        mean = [[Fraction(0)] * kinds for _ in range(count)]
        for s in range(count):
            if not self.mdp.terminal[s]:
                way = self.ways[s][policy[s]]
                assert way is not None
                for target, chance, amounts in way:
                    rows[s][target] = rows[s].get(target, Fraction(0)) + chance
                    for kind, amount in enumerate(amounts):
                        mean[s][kind] += chance * amount
        leads = [_reach(s, rows) for s in range(count)]
        classes: dict[frozenset[int], Class] = {}
        if self.discount == 1:
            for s in range(count):
                if not self.mdp.terminal[s] and all(s in leads[t] for t in leads[s]):
                    members = frozenset(leads[s])
                    if members not in classes:
                        classes[members] = self._class_of(sorted(members), rows, mean, policy)
        inside = frozenset(itertools.chain.from_iterable(classes))
        live = [s for s in range(count) if not self.mdp.terminal[s] and s not in inside]
        returns = [[Fraction(0)] * kinds for _ in range(count)]
        if live:
            matrix = [[(s == t) - self.discount * rows[s].get(t, Fraction(0)) for t in live] for s in live]
            for kind in range(kinds):
                for s, amount in zip(live, gauss(matrix, [mean[s][kind] for s in live]), strict=True):
                    returns[s][kind] = amount
        return tuple(
            Earned(
                tuple(one for members, one in classes.items() if s in members or leads[s] & members), tuple(returns[s])
            )
            for s in range(count)
        )

    def _class_of(
        self, order: list[int], rows: list[dict[int, Fraction]], mean: list[list[Fraction]], policy: Sequence[int]
    ) -> Class:
        balance = [[rows[s].get(t, Fraction(0)) - (s == t) for s in order] for t in order]
        balance[0] = [Fraction(1)] * len(order)
        share = gauss(balance, [Fraction(1)] + [Fraction(0)] * (len(order) - 1))
        gains = tuple(
            sum((p * mean[s][kind] for p, s in zip(share, order, strict=True)), Fraction(0))
            for kind in range(len(self.rewards))
        )
        return Class(gains, tuple(amounts for s in order for _, _, amounts in self.ways[s][policy[s]] or ()))

    def optimum(self, state: int, weights: Sequence[Fraction]) -> Value:
        """The best that any policy earns from a state."""
        return max((each[state].value(weights) for each in self.earned.values()), key=rank)

    def size(self, policy: tuple[int, ...], state: int, weights: Sequence[Fraction]) -> Fraction:
        """The sum of absolute weighed rewards that a policy collects, which rounding is relative to."""
        return self._absolute.follow(policy)[state].value([abs(w) for w in weights])  # type: ignore[return-value]

    @cached_property
    def _absolute(self) -> HostileWorld:
        return replace(self, ways=self._change_rewards(lambda rewards: tuple(map(abs, rewards))))

    def weigh(self, weights: Sequence[Fraction]) -> HostileWorld:
        """The same world with one reward, the weighed one, rounded once."""

        def add(rewards: Rewards) -> Rewards:
            return (sum((w * r for w, r in zip(weights, rewards, strict=True)), Fraction(0)),)

        return self._with_ways(self._change_rewards(add))

    def as_stored(self) -> HostileWorld:
        """The same world with the rewards that its table stores: 10^9 + 10^-9 is 10^9 there."""
        return self._with_ways(self._change_rewards(lambda rewards: tuple(Fraction(float(r)) for r in rewards)))

    def _change_rewards(self, change: Callable[[Rewards], Rewards]) -> Ways:
        return tuple(
            tuple(None if way is None else tuple((t, p, change(rewards)) for t, p, rewards in way) for way in row)
            for row in self.ways
        )

    def complete(self) -> HostileWorld:
        """The same world, with the outcomes of the first action there is in place of a missing one."""
        ways = tuple(tuple(way or next(filter(None, row)) for way in row) for row in self.ways)
        return self._with_ways(ways)

    def with_partner(self, actions: int) -> HostileWorld:
        """A world of joint actions: the partner's shift which action of this complete one is carried out."""
        own = len(self.ways[0])
        joint = tuple(tuple(row[(a + b) % own] for a in range(own) for b in range(actions)) for row in self.ways)
        return self._with_ways(joint)

    def choose_actions(self, numbers: Sequence[Sequence[int]]) -> HostileWorld:
        """A world of those actions alone: their numbers in each state."""
        return self._with_ways(tuple(tuple(row[n] for n in able) for row, able in zip(self.ways, numbers, strict=True)))

    def _with_ways(self, ways: Ways) -> HostileWorld:
        return _tabulate(ways, self.mdp.terminal.tolist(), self.mdp.start.tolist(), self.discount)


def _reach(state: int, rows: list[dict[int, Fraction]]) -> set[int]:
    found: set[int] = set()
    waiting = [*rows[state]]
    while waiting:
        target = waiting.pop()
        if target not in found:
            found.add(target)
            waiting.extend(rows[target])
    return found


def draw_world(number: int, kinds: int = 2) -> HostileWorld:
    """The world of a number, with so many rewards; every second million is drawn by theme."""
    return (_draw_mixed_world, _draw_themed_world)[number // 10**6 % 2](number, kinds)


def _draw_themed_world(number: int, kinds: int) -> HostileWorld:
    """A world of one theme: ties, decimals, zeros or cycles; its last states may be traps that only chance leads to."""
    random = Random(f"hostile {number} {kinds}")
    discount = Fraction(float(random.choice(DISCOUNTS)))
    live, ends = random.choice((2, 3, 3, 4)), random.choice((0, 1, 1, 2))
    actions, traps = (2 if live > 2 else 3), random.choice((0, 0, 1, 2) if live > 2 else (0, 1))
    amounts = random.choice(tuple(THEMES.values()))
    cycles, mixed, stepwise = random.random() < 0.3, random.random() < 0.2, random.random() < 0.6
    scales = [random.choice(SCALES) for _ in range(kinds)]
    ways: list[tuple[tuple[tuple[int, Fraction, Rewards], ...] | None, ...]] = []
    for state in range(live):
        trap = state >= live - traps
        row: list[tuple[tuple[int, Fraction, Rewards], ...] | None] = []
        for action in range(actions):
            parts, outcomes = ((1,) if trap else random.choice(CHANCES)), []
            for part in parts:
                target = state if trap else random.randrange(live + ends)
                if cycles and not trap and random.random() < 0.6:
                    target = (state + 1) % (live - traps)
                rewards = [
                    Fraction(random.choice(amounts)) * Fraction(random.choice(SCALES) if mixed else scale)
                    for scale in scales
                ]
                if not stepwise and target < live and not trap:
                    rewards[1:] = [Fraction(0)] * (kinds - 1)  # others gain only where the episode ends
                outcomes.append((target, Fraction(part, sum(parts)), tuple(rewards)))
            row.append(None if action and random.random() < 0.15 else tuple(outcomes))
        ways.append(tuple(row))
    for state in range(live, live + ends):
        ways.append((((state, Fraction(1), (Fraction(0),) * kinds),),) * actions)
    starts = random.choice((1, 1, 2))
    start = [1.0 / starts if state < starts else 0.0 for state in range(live + ends)]
    return _tabulate(tuple(ways), [state >= live for state in range(live + ends)], start, discount)


def _draw_mixed_world(number: int, kinds: int) -> HostileWorld:
    key, counter = split(77, number), itertools.count()

    def draw(n: int) -> int:
        return int(randrange(n, key, next(counter)))

    discount = Fraction(float(DISCOUNTS[draw(len(DISCOUNTS))]))
    live = 2 + draw(2)
    actions = 2 + (live < 3 and draw(2)) if draw(2) else 3 - (live > 2 and draw(2))
    ends = 1 + draw(2) if draw(6) else 0
    count = live + ends
    mixed, certain, stepwise = draw(4) == 0, draw(3) == 0, draw(2)
    scales = [Fraction(SCALES[draw(len(SCALES))]) for _ in range(kinds)]
    top, trap = draw(3), draw(3) == 0  # the largest reward on the way; the last live states cannot be left
    ways: list[tuple[tuple[tuple[int, Fraction, tuple[Fraction, ...]], ...] | None, ...]] = []
    for state in range(count):
        if state >= live:
            ways.append(tuple(((state, Fraction(1), (Fraction(0),) * kinds),) for _ in range(actions)))
            continue
        row: list[tuple[tuple[int, Fraction, tuple[Fraction, ...]], ...] | None] = []
        for action in range(actions):
            if action and draw(6) == 0:
                row.append(None)
                continue
            parts = (1,) if certain else CHANCES[draw(len(CHANCES))]
            outcomes = []
            for part in parts:
                target = draw(count)
                if trap and live > 2 and state >= live - 2:
                    target = state if draw(3) else live - 2 + draw(2)
                amounts = []
                for kind in range(kinds):
                    late = kind > 0 and not stepwise and target < live
                    scale = scales[kind] if not mixed else Fraction(SCALES[draw(len(SCALES))])
                    amount = (top - 1 - draw(3)) if kind == 0 else draw(5) - 2
                    amount = (
                        amount if draw(5) else [3, 7, 10, Fraction("1.7"), Fraction("0.3")][draw(5)] * (1 - 2 * draw(2))
                    )
                    amounts.append(Fraction(0) if late or draw(4) == 0 else Fraction(amount) * scale)
                outcomes.append((target, Fraction(part, sum(parts)), tuple(amounts)))
            row.append(tuple(outcomes))
        ways.append(tuple(row))
    starts = [0.0] * count
    for state in range(1 + draw(2)):
        starts[state] = 1.0
    return _tabulate(tuple(ways), [s >= live for s in range(count)], [p / sum(starts) for p in starts], discount)


def _tabulate(ways: Ways, terminal: list[bool], start: list[float], discount: Fraction) -> HostileWorld:
    """The stored table of a world in fractions."""
    count, actions = len(ways), len(ways[0])
    width = max(len(way) for row in ways for way in row if way is not None)
    kinds = next(len(way[0][2]) for row in ways for way in row if way is not None)
    shape = (count, actions, width)
    next_state, probability = np.zeros(shape, dtype=np.int32), np.zeros(shape)
    rewards = np.zeros((kinds, *shape))
    available = np.ones(shape[:2], dtype=np.bool_)
    for s, a in itertools.product(range(count), range(actions)):
        if ways[s][a] is None:
            available[s, a] = False
            continue
        for k, (target, chance, amounts) in enumerate(ways[s][a]):
            next_state[s, a, k], probability[s, a, k] = target, float(chance)
            rewards[:, s, a, k] = [float(amount) for amount in amounts]
    states = tuple(range(count))
    mdp = TabularMDP(
        states, {s: s for s in states}, tuple("abcdef"[:actions]), next_state, probability, rewards[0],
        np.array(terminal), np.array(start), float(discount),
    )  # fmt: skip
    complete = mdp.with_available(available)
    return HostileWorld(complete, tuple(complete.complete(each) for each in rewards), ways, discount)


def as_policy(policy: Sequence[int]) -> Policy:
    """A policy of the reference for the table."""
    return np.array(policy, dtype=np.int32)


Line = tuple[Fraction, Fraction]
Bound = Fraction | float


class Piece(NamedTuple):
    """From one coefficient to another the optimum: a line (own, auxiliary), inf for a gain for ever, or neither."""

    low: Bound
    high: Bound
    best: Line | float | str


def find_pieces(world: HostileWorld, state: int) -> list[Piece]:
    """The optimum of  own + c * auxiliary  from a state for every c: lines, gains for ever, and what is none of both.

    Pieces of no width are left out.
    """
    everything = {each[state] for each in world.earned.values()}
    lines = {each.returns for each in everything if all(one.is_free() for one in each.classes)}
    endless = [one for one in map(_gaining, everything) if one is not None]
    hull: list[Line] = []
    for slope in sorted({line[1] for line in lines}):
        line = max(own for own, extra in lines if extra == slope), slope
        while hull and (
            hull[-1][0] <= line[0]
            if len(hull) == 1 and hull[-1][1] == slope
            else len(hull) > 1 and _crossing(hull[-2], line) <= _crossing(hull[-2], hull[-1])
        ):
            hull.pop()
        hull.append(line)
    edges: set[Bound] = {-math.inf, math.inf, *itertools.chain.from_iterable(endless)}
    edges |= {_crossing(one, other) for one, other in itertools.pairwise(hull)}
    pieces: list[Piece] = []
    for low, high in itertools.pairwise(sorted(edges)):
        inside = choose_between(low, high)
        if any(one < inside < other for one, other in endless):
            best: Line | float | str = math.inf
        elif hull:
            best = max(hull, key=lambda line: line[0] + inside * line[1])
        else:
            best = max((each.value([Fraction(1), inside]) for each in everything), key=rank)  # type: ignore[assignment]
        apart = best == math.inf and not any(one < low < other for one, other in endless)
        if pieces and pieces[-1].best == best and not apart:
            pieces[-1] = pieces[-1]._replace(high=high)
        else:
            pieces.append(Piece(low, high, best))
    return pieces


def _gaining(each: Earned) -> tuple[Bound, Bound] | None:
    """Between which coefficients a policy gains for ever and never loses; None where it does not."""
    low, high = -math.inf, math.inf
    gains = [one.gains for one in each.classes]
    for own, extra in gains:
        if extra > 0:
            low = max(low, -own / extra)
        elif extra < 0:
            high = min(high, -own / extra)
        elif own < 0:
            return None
    return (low, high) if low < high and any(any(gain) for gain in gains) else None


def _crossing(flat: Line, steep: Line) -> Fraction:
    return (flat[0] - steep[0]) / (steep[1] - flat[1])


def choose_between(low: Bound, high: Bound) -> Fraction:
    """A coefficient between two others, of which any may be infinite."""
    if low == -math.inf:
        return Fraction(0) if high == math.inf else Fraction(high) - 1 - abs(Fraction(high))
    return Fraction(low) + 1 + abs(Fraction(low)) if high == math.inf else (Fraction(low) + Fraction(high)) / 2
