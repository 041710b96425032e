"""How far a coefficient can go before a cycle has positive reward, in undiscounted tables.

own + c * auxiliary has a finite optimum as long as no set of states in which one can stay for ever (an end component)
gains on average: own + c * auxiliary <= 0 there, both averaged over its steps. The limit on each side is found from
outside: as long as policy iteration runs into such a gain, c moves to where that cycle has reward 0. The best proper
policy is found just inside the limit, at the nearest point at which returns can be told from rounding: closer to it,
policies may be best that stay in the cycle for billions of steps. Where the limits of both sides meet, the line shrinks
to that point. Where no episode can end (a trap), a cycle that gains is a limit as well.
References: W. Dinkelbach, "On nonlinear fractional programming", 1967 (Newton's method for ratios; here of cycles);
L. de Alfaro, "Formal verification of probabilistic systems", 1997, chapter 3 (end components).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.reachability import find_almost_sure_policy, find_end_components, find_states_leading_to
from engine.planning.certificates.rational import compute_rational_averages
from engine.planning.endless_returns import (
    GainingComponents,
    add_ways_out,
    find_endless_optimum,
    find_entering_policy,
    find_gaining_components,
    find_states_entering,
)
from engine.planning.lexicographic import EndlessGain, PairIteration, PairValues
from engine.planning.policy_chain import PolicyChain

NEXT = 1e-12
FURTHEST = 1e-6
CLEAR = 1e-6
BREAKS_EVEN = 1e-9
SMALL = 150  # steps of a table
WIDE = 4.0


class Limit(NamedTuple):
    """The end of the line on one side, and the best policy just inside it.

    coefficient: the end of the range where there is no limit in it. values: the outermost optimal policy and what it
    earns. leading: the same before ties were broken. inside: the coefficient at which both are best. policy: int32[S],
    of the policies beyond the limit one that enters a cycle of positive reward and stays; None without limit.
    """

    coefficient: float
    values: PairValues
    leading: PairValues
    inside: float
    policy: Policy | None = None


class NeverFinite(NoPlan):
    """At the bound of a range and everywhere inside it the optimum is not finite.

    policy: int32[S], one that gains for ever at all of these coefficients.
    """

    def __init__(self, policy: Policy) -> None:
        super().__init__(
            "a cycle has positive reward at every coefficient",
            place="own reward",
            remedy="make cycles cost something",
        )
        self.policy = policy

    def __reduce__(self) -> tuple[object, ...]:
        return NeverFinite, (self.policy,)


def ends_surely(search: PairIteration, table: TabularMDP, start: int) -> bool:
    """Return whether some policy surely ends or rests from the start."""
    return bool(search.allowed[start].any() or table.terminal[start])


def make_endless_error(start: int) -> NoPlan:
    """Return the error of a start state from which no policy surely ends, and none gains for ever either."""
    problem = "no policy surely ends, and to go on for ever costs own or auxiliary reward"
    return NoPlan(problem, place=f"discount 1, state {start}", remedy="use a discount below 1, or open a way out")


def find_limit(search: PairIteration, table: TabularMDP, start: int, sign: float, bound: float = math.inf) -> Limit:
    """The limit on one side (sign: -1.0 or 1.0), sought from a bound of the range on that side (infinite for none).

    search: policy iteration on the table, in which every state can be reached from the start. The limit is the bound
    itself, with policy None, where the optimum is finite there; its values are then those of the largest (sign 1.0) or
    smallest auxiliary return. Raises NeverFinite where a cycle has positive reward at the bound and everywhere further
    inside.
    """
    coefficient, policy = _find_trap_limit(search, table, start, sign, sign * math.inf if math.isinf(bound) else bound)
    step = NEXT
    while True:
        try:
            if math.isinf(coefficient):
                search.approach(start, sign)
                return Limit(coefficient, search.best((0.0, sign), (1.0, 0.0)), search.leading, coefficient)
            if policy is None:
                return Limit(coefficient, search.best((1.0, coefficient), (0.0, sign)), search.leading, coefficient)
            inside = 1.0, coefficient - sign * step * abs(coefficient)
            values = search.best(inside, (0.0, -sign))
            if step >= FURTHEST or _are_clear(search, values, inside, start):
                return Limit(coefficient, values, search.leading, inside[1], policy)
            step *= 10.0
        except EndlessGain as cycle:
            if sign * cycle.extra <= 0.0:
                if policy is not None and _breaks_even(cycle, coefficient):  # further inside another cycle gains
                    return _find_single_point(search, table, coefficient, policy, start)
                raise NeverFinite(_find_way_into(table, cycle, start)) from cycle
            following = -cycle.own / cycle.extra + 0.0  # not -0.0
            if policy is None or sign * following < sign * coefficient:
                coefficient, policy = following, _find_way_into(table, cycle, start)
            elif step < FURTHEST:  # it gains by rounding alone
                step *= 10.0
            else:
                raise


def _find_trap_limit(
    search: PairIteration, table: TabularMDP, start: int, sign: float, coefficient: float
) -> tuple[float, Policy | None]:
    """How far a coefficient can go before it pays to stay where no episode can end; the policy that does, or None.

    Each of these states gets a free way out: the optimum is then finite exactly as long as nothing gains there. What
    cannot be entered without the risk of a loss for ever does not count. In small tables that is done wherever one can
    stay, since a small gain of a cycle may be nothing beside the rewards of the ways out. coefficient: where to begin.
    Raises NeverFinite as `find_limit` does.
    """
    policy, lost, actions = None, search.lost, table.next_state.shape[1]
    staying = np.broadcast_to(lost[:, None], table.next_state.shape[:2])
    if table.discount == 1.0 and table.next_state.size <= SMALL:
        _, staying = find_end_components(table, np.ones(staying.shape, dtype=np.bool_))
        lost = np.asarray(np.any(staying, axis=1))
    while lost.any():
        kept = staying & lost[:, None]
        inner = PairIteration(add_ways_out(table, kept), add_ways_out(table.with_reward(search.extra), kept).reward)
        try:
            _require_no_gain(inner, coefficient)
            break
        except EndlessGain as cycle:
            stays = np.where(cycle.policy < actions, cycle.policy, 0)[:-1]
            into = _find_entering_policy(table, cycle.states, stays, start)
            if into is None:
                lost = lost & ~np.isin(np.arange(len(lost)), cycle.states)
                continue
            if sign * cycle.extra <= 0.0:
                if policy is not None and _breaks_even(cycle, coefficient):
                    break
                raise NeverFinite(into) from cycle
            following = -cycle.own / cycle.extra + 0.0  # not -0.0
            if policy is not None and sign * following >= sign * coefficient:  # it gains by rounding alone
                break
            coefficient, policy = following, into
    return coefficient, policy


def _require_no_gain(search: PairIteration, coefficient: float) -> None:
    """Raise EndlessGain where a cycle has positive reward at a coefficient, which may be infinite."""
    if math.isinf(coefficient):
        search.best((0.0, math.copysign(1.0, coefficient)), (1.0, 0.0))
    else:
        search.best((1.0, coefficient), (0.0, 0.0))


def _find_way_into(table: TabularMDP, cycle: EndlessGain, start: int) -> Policy:
    """Return the policy that stays in a cycle, and a way from the start that may enter it and else ends."""
    into = _find_entering_policy(table, cycle.states, cycle.policy, start)
    return cycle.policy if into is None else into


def _find_entering_policy(table: TabularMDP, states: NDArray[np.int64], stays: Policy, start: int) -> Policy | None:
    """A policy that may enter some states, where it follows `stays`, and else ends surely; None where there is none."""
    inside = np.isin(np.arange(len(table.terminal)), states)
    everything = np.ones(table.next_state.shape[:2], dtype=np.bool_)
    ending = find_almost_sure_policy(table, everything, inside | table.terminal)
    entering = find_entering_policy(table, inside, inside | table.terminal | (ending >= 0))
    if not inside[start] and entering[start] < 0:
        return None
    policy = np.where(entering >= 0, entering, np.maximum(ending, 0))
    return np.where(inside, stays, policy).astype(np.int32)


def keep_safe_part(table: TabularMDP, search: PairIteration, start: int) -> TabularMDP:
    """Return a table in which states that cannot be reached without the risk of never ending are terminal.

    States from which no episode surely ends stay as they are: no allowed action leads there.
    """
    possible = (table.probability > 0) & search.allowed[:, :, None]
    origin = np.nonzero(possible)[0]
    reached = find_states_leading_to(table.next_state[possible], origin, np.arange(len(table.terminal)) == start)
    return replace(table, terminal=table.terminal | ~(reached | search.lost))


def leave_cut_states(whole: TabularMDP, safe: TabularMDP, lost: Booleans, policy: Policy) -> Policy:
    """Return the same policy, which surely leaves the states that are terminal in the safe part of a table alone.

    lost: bool[S], from where no episode surely ends. It does not leave for there, where it may lose for ever.
    """
    cut = safe.terminal & ~whole.terminal
    everything = np.ones(whole.next_state.shape[:2], dtype=np.bool_)
    leaving = find_almost_sure_policy(whole, everything, ~(cut | lost)) if cut.any() else policy
    return np.where(cut & (leaving >= 0), leaving, policy).astype(np.int32)


class Gain(NamedTuple):
    """Between two coefficients a policy, int32[S], gains for ever; None where all policies lose, or go to and fro.

    least, most: between which it gains, which may be further.
    """

    low: float
    high: float
    policy: Policy | None
    least: float = math.inf
    most: float = -math.inf


class GainingCycle(NamedTuple):
    """A policy, int32[S], that stays in an end component, bool[S], and gains between two coefficients, not at them."""

    component: Booleans
    policy: Policy
    least: float
    most: float


def find_gains(
    table: TabularMDP, extra: Floats, inside: Booleans, start: int, between: tuple[float, float]
) -> list[Gain]:
    """Return neighbouring ranges of coefficients: where the optimum of the start is inf, and where it is not.

    A policy that may come to several sets of states in which it stays gains where none of them loses: between two
    coefficients, perhaps. inside: bool[S], the states of the sets that count.
    """
    staying = np.ones(table.next_state.shape[:2], dtype=np.bool_) & inside[:, None]
    component, staying = find_end_components(table, staying)
    cycles = list[GainingCycle]()
    for number in np.unique(component[component >= 0]):
        cycles += _find_gaining_cycles(table, extra, staying, component == number)
    edges = {*between, *itertools.chain.from_iterable((cycle.least, cycle.most) for cycle in cycles)}
    inner = sorted(edge for edge in edges if between[0] <= edge <= between[1])
    pairs = itertools.pairwise(inner) if len(inner) > 1 else [(inner[0], inner[0])]
    found = list[Gain]()
    for pair in pairs:
        gain = _find_gain_between(table, extra, cycles, start, *pair)
        if found and found[-1].policy is gain.policy is None:
            found[-1] = found[-1]._replace(high=gain.high)
        else:
            found.append(gain)
    return _bridge(table, extra, cycles, start, found)


def _bridge(
    table: TabularMDP, extra: Floats, cycles: Sequence[GainingCycle], start: int, found: list[Gain]
) -> list[Gain]:
    """Return the same ranges, neighbours that gain meeting where the policy on the right does so already.

    Where neither gains at the point where they meet, a policy that does comes between them.
    """
    result = found[:1]
    for right in found[1:]:
        left = result[-1]
        if left.policy is not None and right.policy is not None:
            if right.least >= left.high:
                between = _find_gain_between(table, extra, cycles, start, left.high, left.high)
                if between.policy is not None and between.least < left.high < between.most:
                    point = choose_inside(left.high, min(between.most, right.high))
                    between = between._replace(low=choose_inside(max(left.low, between.least), left.high), high=point)
                    result[-1] = left._replace(high=between.low)
                    result.append(between)
                    right = right._replace(low=point)
            else:
                point = choose_inside(max(left.low, right.least), left.high)
                result[-1], right = left._replace(high=point), right._replace(low=point)
        result.append(right)
    return result


def _find_gain_between(
    table: TabularMDP, extra: Floats, cycles: Sequence[GainingCycle], start: int, low: float, high: float
) -> Gain:
    """Return the same between two coefficients with no end of a cycle's range between them, or at one."""
    inside = choose_inside(low, high)
    gaining = [cycle for cycle in cycles if cycle.least < inside < cycle.most]
    if not gaining:
        return Gain(low, high, None)
    weighed = table.with_reward(table.reward + inside * extra)
    _, breaks_even, policy = find_gaining_components(weighed)
    gains = np.zeros(len(policy), dtype=np.bool_)
    for cycle in gaining:
        gains |= cycle.component
        policy = np.where(cycle.component, cycle.policy, policy).astype(np.int32)
    optimum = find_endless_optimum(weighed, GainingComponents(gains, breaks_even & ~gains, policy))
    if not np.isposinf(optimum.value[start]):
        return Gain(low, high, None)
    return Gain(low, high, optimum.policy, *_find_gaining_range(table, extra, optimum.policy, start))


def _find_gaining_range(table: TabularMDP, extra: Floats, policy: Policy, start: int) -> tuple[float, float]:
    """Return between which coefficients no class of states that a policy may come to loses for ever."""
    chain = PolicyChain(table, policy)
    low, high = -math.inf, math.inf
    for members in chain.endless_classes():
        goal = np.isin(np.arange(len(policy)), members)
        if not find_states_entering(table, policy, goal)[start]:
            continue
        rewards = table.reward, extra
        exact = compute_rational_averages(table, policy, members, rewards)
        own, auxiliary = map(float, exact or chain.average_rewards(members, rewards))
        if auxiliary > 0.0:
            low = max(low, -own / auxiliary + 0.0)
        elif auxiliary < 0.0:
            high = min(high, -own / auxiliary + 0.0)
    return low, high


def choose_inside(low: float, high: float) -> float:
    """Return a coefficient of few digits between two others, of which any may be infinite; the middle of both.

    Of a wide range that is the geometric mean: the larger a coefficient, the less of the own reward is left beside it.
    With few digits sums of weighed rewards stay fractions that can be read.
    """
    if math.isinf(low) and math.isinf(high):
        return 0.0
    if math.isinf(low):
        middle = high - 1.0 - abs(high)
    elif math.isinf(high):
        middle = low + 1.0 + abs(low)
    elif low * high > 0.0 and not 1.0 / WIDE <= low / high <= WIDE:
        middle = math.copysign(math.sqrt(abs(low)) * math.sqrt(abs(high)), low)
    else:
        middle = low + (high - low) / 2
    least, most = middle / 2 + low / 2, middle / 2 + high / 2  # not just inside, where rounding decides
    rounded = (float(f"{middle:.{digits}e}") for digits in range(17))
    return next((each for each in rounded if least < each < most), middle)


def _find_gaining_cycles(
    table: TabularMDP, extra: Floats, staying: Booleans, component: Booleans
) -> list[GainingCycle]:
    """Return the cycles that gain furthest in, on each side, of those that stay in an end component, bool[S].

    Between them nothing gains there; where their ranges meet, something gains everywhere. staying: bool[S, A].
    """
    staying = staying & component[:, None]
    if not ((table.reward != 0.0) | (extra != 0.0))[staying].any():
        return []
    wider = add_ways_out(table, staying)
    inner = PairIteration(wider, add_ways_out(table.with_reward(extra), staying).reward)
    found = list[GainingCycle]()
    for sign in (-1.0, 1.0):
        coefficient, last = sign * math.inf, None
        while True:
            try:
                _require_no_gain(inner, coefficient)
                break
            except EndlessGain as cycle:
                core = np.isin(np.arange(len(component)), cycle.states)
                towards = find_almost_sure_policy(table, staying, core)
                policy = np.where(core, cycle.policy[:-1], towards).astype(np.int32)
                if not cycle.extra:
                    return [GainingCycle(component, policy, -math.inf, math.inf)]
                following = -cycle.own / cycle.extra + 0.0  # not -0.0
                if sign * cycle.extra < 0.0:  # it gains from there inwards, and meets the last one
                    limits = (following, math.inf) if sign < 0.0 else (-math.inf, following)
                    return [*([last] if last else []), GainingCycle(component, policy, *limits)]
                if not sign * following < sign * coefficient:  # it gains by rounding alone
                    break
                coefficient = following
                limits = (-math.inf, following) if sign < 0.0 else (following, math.inf)
                last = GainingCycle(component, policy, *limits)
        found += [last] if last else []
    return found


def _find_single_point(
    search: PairIteration, table: TabularMDP, coefficient: float, policy: Policy, start: int
) -> Limit:
    """The limit where the optimum is finite at this one coefficient at most; NeverFinite where it is not even there.

    policy: as in `Limit`.
    """
    try:
        values = search.best((1.0, coefficient), (0.0, 0.0))
        return Limit(coefficient, values, search.leading, coefficient, policy)
    except EndlessGain as cycle:  # a third one
        raise NeverFinite(_find_way_into(table, cycle, start)) from cycle


def _are_clear(search: PairIteration, values: PairValues, weights: tuple[float, float], start: int) -> bool:
    """Return whether rounding leaves some digits of a sum in which long stays in a cycle of reward 0 nearly cancel."""
    noise = search.noise * float(values.size(weights)[start])
    return noise <= CLEAR * abs(float(values.weigh(weights)[start]))


def _breaks_even(cycle: EndlessGain, coefficient: float) -> bool:
    """Return whether a cycle has reward 0 at a coefficient, but for rounding."""
    extra = coefficient * cycle.extra
    return abs(cycle.own + extra) <= BREAKS_EVEN * (abs(cycle.own) + abs(extra))
