"""How far newcomers' values, as they were planned, may be from their optimum."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from craftworld.others.value_distribution import ValueDistribution, newcomer_table, within_time_limit
from craftworld.scenario import Scenario
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.random_states import RandomStates
from engine.planning.certificates.interval import Interval, as_fraction, exactly, stored_number, weighted_sum
from engine.planning.certificates.policy_value import bounded_policy_values, policy_values
from engine.planning.certificates.rational_table import means_stored_discount
from engine.planning.certificates.trade_off import OptimumBounds
from engine.planning.dynamic_programming import plan

ROUNDED_SUM = Fraction(1, 10**13)


class _Planned(NamedTuple):
    """A newcomer's plan. finishes: bool[S], where the plan is not cut by the time limit."""

    table: TabularMDP
    begins: RandomStates
    value: Floats
    policy: Policy
    finishes: Booleans


class NewcomerBounds:
    """Asked for one newcomer and one state of the acting agent at a time; tables are made once."""

    def __init__(self, scenario: Scenario, mdp: TabularMDP, values: ValueDistribution) -> None:
        self._scenario, self._mdp, self._values = scenario, mdp, values
        self._plans: dict[int, _Planned] = {}
        self._optima: dict[tuple[int, int], Interval | None] = {}

    def error(self, newcomer: int, state: int) -> Fraction | None:
        """A bound of |V - V*| where the acting agent ends in a state, 0 where V* is known exactly; None for no bound.

        Values that are not those planned here, such as those of a file, are taken as given: 0.
        """
        plan_of = self._plans.get(newcomer) or self._plan(newcomer)
        number, probability = plan_of.begins.number[state], plan_of.begins.probability[state]
        stored = float(self._values.value[newcomer, state])
        if float(plan_of.begins.expected(plan_of.value)[state]) != stored:
            return Fraction(0)
        begins = [(float(p), int(start)) for p, start in zip(probability, number, strict=True) if p]
        optima = [self._optimum(newcomer, start) for _, start in begins]
        known = [optimum for optimum in optima if optimum is not None]
        if len(known) < len(optima):
            return None
        mean = weighted_sum(zip([stored_number(p) for p, _ in begins], known, strict=True))
        meant = as_fraction(stored) if mean.exact is not None else None
        here = Fraction(stored) if meant is None else meant
        return max(mean.upper - here, here - mean.lower, Fraction(0))

    def _plan(self, newcomer: int) -> _Planned:
        who = self._scenario.newcomers()[newcomer]
        table, begins = newcomer_table(self._scenario, self._mdp, who)
        solution = plan(table)
        value = within_time_limit(table, solution.value, who.scenario.time_limit)
        planned = _Planned(table, begins, value, solution.policy, np.isfinite(solution.value))
        self._plans[newcomer] = planned
        return planned

    def _optimum(self, newcomer: int, start: int) -> Interval | None:
        """Bounds of a newcomer's optimal value from one of its start states."""
        if (newcomer, start) not in self._optima:
            self._optima[newcomer, start] = _bounds(self._plans[newcomer], start)
        return self._optima[newcomer, start]


def _bounds(planned: _Planned, start: int) -> Interval | None:
    table, value = planned.table, Fraction(float(planned.value[start]))
    if not planned.finishes[start]:  # what the time limit lets it collect: a sum of rewards
        whole = table.discount == 1.0 and table.is_deterministic and bool((table.reward == np.rint(table.reward)).all())
        room = Fraction(0) if whole else ROUNDED_SUM * abs(value)
        return Interval(value - room, value + room)
    nothing, weights = np.zeros(table.reward.shape), (Fraction(1), Fraction(0))
    optimum = OptimumBounds(table, nothing, start)
    upper = optimum.upper(weights)
    [own] = policy_values(table, [table.reward], planned.policy, start)
    in_fractions = not optimum.has_rounded and own is not None and own.exact is not None
    if not (in_fractions or means_stored_discount(table)):  # both for the stored discount then
        upper = OptimumBounds(table, nothing, start, exact_work=0).upper(weights)
        [own] = bounded_policy_values(table, [table.reward], planned.policy, start)
    if upper is None or own is None:
        return None
    return exactly(upper) if own.exact == upper else Interval(min(own.lower, upper), upper)
