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

import math
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.termination import find_almost_sure_policy
from engine.planning.lexicographic import EndlessGain, PairIteration, PairValues

NEXT = 1e-12
FURTHEST = 1e-6
CLEAR = 1e-6
BREAKS_EVEN = 1e-9
_Number = TypeVar("_Number", np.int32, np.float64)


class Limit(NamedTuple):
    """The end of the line on one side, and the best policy just inside it.

    coefficient: the end of the range where there is no limit in it. values: the outermost optimal policy and what it
    earns. leading: the same before ties were broken. policy: int32[S], of the policies beyond the limit one that enters
    a cycle of positive reward and stays; None without limit.
    """

    coefficient: float
    values: PairValues
    leading: PairValues
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


def require_an_end(search: PairIteration, table: TabularMDP, start: int) -> None:
    """NoPlan where every policy may go on for ever from the start, and loses one of the two rewards meanwhile."""
    if not (search.allowed[start].any() or table.terminal[start]):
        problem = "no policy surely ends, and to go on for ever costs own or auxiliary reward"
        raise NoPlan(problem, place=f"discount 1, state {start}", remedy="use a discount below 1, or open a way out")


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
                return Limit(coefficient, search.best((0.0, sign), (1.0, 0.0)), search.leading)
            if policy is None:
                return Limit(coefficient, search.best((1.0, coefficient), (0.0, sign)), search.leading)
            inside = 1.0, coefficient - sign * step * abs(coefficient)
            values = search.best(inside, (0.0, -sign))
            if step >= FURTHEST or _are_clear(search, values, inside, start):
                return Limit(coefficient, values, search.leading, policy)
            step *= 10.0
        except EndlessGain as cycle:
            if sign * cycle.extra <= 0.0:
                if policy is not None and _breaks_even(cycle, coefficient):  # further inside another cycle gains
                    return _find_single_point(search, table, coefficient, policy)
                raise NeverFinite(_find_way_into(table, cycle)) from cycle
            following = -cycle.own / cycle.extra + 0.0  # not -0.0
            if policy is None or sign * following < sign * coefficient:
                coefficient, policy = following, _find_way_into(table, cycle)
            elif step < FURTHEST:  # it gains by rounding alone
                step *= 10.0
            else:
                raise


def _find_trap_limit(
    search: PairIteration, table: TabularMDP, start: int, sign: float, coefficient: float
) -> tuple[float, Policy | None]:
    """How far a coefficient can go before it pays to stay where no episode can end; the policy that does, or None.

    Each of these states gets a free way out: the optimum is then finite exactly as long as nothing gains there. What
    cannot be entered without the risk of a loss for ever does not count. coefficient: where to begin. Raises
    NeverFinite as `find_limit` does.
    """
    policy, lost, actions = None, search.lost, table.next_state.shape[1]
    while lost.any():
        inner = PairIteration(*_add_ways_out(table, search.extra, lost))
        try:
            if math.isinf(coefficient):
                inner.best((0.0, sign), (1.0, 0.0))
            else:
                inner.best((1.0, coefficient), (0.0, 0.0))
            break
        except EndlessGain as cycle:
            stays = np.where(cycle.policy < actions, cycle.policy, 0)
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


def _add_ways_out(table: TabularMDP, extra: Floats, inside: Booleans) -> tuple[TabularMDP, Floats]:
    """Return a table of some states alone, all others terminal, with one more action that ends at once at no reward."""
    outside = int(np.flatnonzero(~inside)[0])

    def with_action(array: NDArray[_Number], value: float) -> NDArray[_Number]:
        more = np.zeros_like(array[:, :1])
        more[:, 0, 0] = value
        return np.concatenate([array, more], axis=1)

    wider = replace(
        table,
        actions=(*table.actions, "leave"),
        next_state=with_action(table.next_state, outside),
        probability=with_action(table.probability, 1.0),
        reward=with_action(table.reward, 0.0),
        terminal=~inside,
    )
    return wider, with_action(extra, 0.0)


def _find_entering_policy(table: TabularMDP, states: NDArray[np.int64], stays: Policy, start: int) -> Policy | None:
    """A policy that may enter some states, where it follows `stays`, and else ends surely; None where there is none."""
    inside = np.zeros(len(table.terminal), dtype=np.bool_)
    inside[states] = True
    everything = np.ones(table.next_state.shape[:2], dtype=np.bool_)
    result = find_almost_sure_policy(table, everything, inside | table.terminal)
    safe = inside | table.terminal | (result >= 0)
    possible = table.probability > 0
    allowed = (safe[table.next_state] | ~possible).all(axis=2) & ~table.terminal[:, None]
    result, near, grown = np.where(inside, stays, np.maximum(result, 0)).astype(np.int32), inside, True
    while grown:
        leads = allowed & (near[table.next_state] & possible).any(axis=2)
        more = leads.any(axis=1) & ~near
        result[more] = leads[more].argmax(axis=1)
        near, grown = near | more, bool(more.any())
    return result if near[start] else None


def _find_single_point(search: PairIteration, table: TabularMDP, coefficient: float, policy: Policy) -> Limit:
    """The limit where the optimum is finite at this one coefficient at most; NeverFinite where it is not even there.

    policy: as in `Limit`.
    """
    try:
        return Limit(coefficient, search.best((1.0, coefficient), (0.0, 0.0)), search.leading, policy)
    except EndlessGain as cycle:  # a third one
        raise NeverFinite(_find_way_into(table, cycle)) from cycle


def _are_clear(search: PairIteration, values: PairValues, weights: tuple[float, float], start: int) -> bool:
    """Return whether rounding leaves some digits of a sum in which long stays in a cycle of reward 0 nearly cancel."""
    noise = search.noise * float(values.size(weights)[start])
    return noise <= CLEAR * abs(float(values.weighed(weights)[start]))


def _breaks_even(cycle: EndlessGain, coefficient: float) -> bool:
    """Return whether a cycle has reward 0 at a coefficient, but for rounding."""
    extra = coefficient * cycle.extra
    return abs(cycle.own + extra) <= BREAKS_EVEN * (abs(cycle.own) + abs(extra))


def _find_way_into(table: TabularMDP, cycle: EndlessGain) -> Policy:
    """Return the policy that stays in a cycle, and a way into it from wherever it can be reached."""
    goal = np.zeros(len(table.terminal), dtype=np.bool_)
    goal[cycle.states] = True
    everything = np.ones(table.next_state.shape[:2], dtype=np.bool_)
    towards = find_almost_sure_policy(table, everything, goal)
    return np.where(goal | (towards < 0), cycle.policy, towards).astype(np.int32)
