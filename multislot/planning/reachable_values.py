"""What all policies can reach in two values at once, exactly: their hull, and where uniformly random actions lead.

    V(h, a) = R(h, a) + sum over o of  g_o(h, a) V(h a o),        R, g_o >= 0: averages of the weights over slots

For futures that estimate their slot anew (`Continuation.RE_ESTIMATED`), P^i(h) and so R and g_o do not depend on the
policy. A policy chooses an action at each history, and no history comes twice. So the pairs of values that policies
reach from h are, over all actions, sums of those of the histories after it, and mixtures of them are a convex hull:

    S(h) = hull of the union over a of  (R^1, R^2)(h, a) + sum over o of  diag(g^1_o, g^2_o)(h, a) S(h a o)

With actions drawn uniformly at each history, alike by all agents who have it, the mean over a takes the place of the
union. Reference: The Multi-slot Framework, sections 4 and 4.2; Definition 8 says what a policy is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from operator import mul
from typing import NamedTuple

from engine.errors import BadValue
from engine.planning.trade_off.envelope import find_upper_hull
from multislot.futures import Continuation, Future, admit_any_slot
from multislot.planning.backup import SlotBackup, exact_arithmetic
from multislot.planning.belief import BeliefTransitions, SlotBelief
from multislot.worlds.environment import HistoryBasedEnvironment, Label, ensure_checked

ValuePair = tuple[Fraction, Fraction]
NOTHING: ValuePair = (Fraction(0), Fraction(0))


class ReachableValues(NamedTuple):
    """random: the pair of values of uniformly random actions. hull: the vertices of those of all policies."""

    random: ValuePair
    hull: tuple[ValuePair, ...]


def find_reachable_values(
    environment: HistoryBasedEnvironment, futures: tuple[Future, Future], horizon: int, discount: Fraction
) -> ReachableValues:
    """Find what policies reach in two futures; BadValue for one that does not estimate its slot anew."""
    for future in futures:
        if future.continuation is not Continuation.RE_ESTIMATED or future.admissible is not admit_any_slot:
            raise BadValue("a future on a slot", place="reachable values", remedy="give one that follows all copies")
    checked = ensure_checked(environment)
    transitions = BeliefTransitions(checked, admit_any_slot)
    backups = [
        tuple(SlotBackup(future, checked.rewards, discount, exact_arithmetic, step) for future in futures)
        for step in range(1, horizon + 1)
    ]

    @cache
    def reach(belief: SlotBelief, step: int) -> ReachableValues:
        if step == horizon:
            return ReachableValues(NOTHING, (NOTHING,))
        each = [take_action(belief, step, action) for action in checked.actions]
        mean = [sum(numbers) / len(each) for numbers in zip(*(found.random for found in each), strict=True)]
        return ReachableValues((mean[0], mean[1]), find_convex_hull(point for found in each for point in found.hull))

    def take_action(belief: SlotBelief, step: int, action: Label) -> ReachableValues:
        transition = transitions(belief.state, belief.slots, action)
        weights = [backup.weights(transition) for backup in backups[step]]
        divisors = [each.scale * each.normaliser(belief.masses) for each in weights]

        def average(numbers: Iterable[Sequence[int]]) -> ValuePair:
            one, other = (Fraction(sum(map(mul, belief.masses, n)), d) for n, d in zip(numbers, divisors, strict=True))
            return one, other

        random = average(each.rewards for each in weights)
        hull: tuple[ValuePair, ...] = (random,)
        for observation, update in transition.updates.items():
            share = average(each.total_copy_weight[observation] for each in weights)
            if any(share):
                later = reach(update(belief.masses), step + 1)
                random = _add(random, _scale(share, later.random))
                hull = find_convex_hull(_add(a, _scale(share, b)) for a in hull for b in later.hull)
        return ReachableValues(random, hull)

    first = transitions.first()
    return ReachableValues(NOTHING, (NOTHING,)) if first is None else reach(first, 0)


def _scale(share: ValuePair, point: ValuePair) -> ValuePair:
    return share[0] * point[0], share[1] * point[1]


def _add(one: ValuePair, other: ValuePair) -> ValuePair:
    return one[0] + other[0], one[1] + other[1]


def find_convex_hull(points: Iterable[ValuePair]) -> tuple[ValuePair, ...]:
    """Find the vertices of the convex hull, counterclockwise from the leftmost."""
    known = set(points)
    upper = [(x, y) for y, x in find_upper_hull((y, x) for x, y in known)]
    lower = [(x, -y) for y, x in find_upper_hull((-y, x) for x, y in known)]
    return tuple(dict.fromkeys([*lower, *reversed(upper)]))


def find_upper_right(points: Iterable[ValuePair]) -> list[ValuePair]:
    """Find the vertices of the hull that nothing exceeds in both, by a falling first number."""
    upper = find_upper_hull(points)
    return upper[upper.index(max(upper)) :] if upper else []
