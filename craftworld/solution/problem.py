"""A problem to solve: a scenario, its table, those whose welfare is reported, a formulation, and the augmented reward.

The augmented reward has one form for all formulations ("Be Considerate", Eqs 1 to 8):

    r'(s, a, s') = alpha_1 r_1(s, a, s')                                 if s' is not terminal
                   alpha_1 r_1(s, a, s') + gamma alpha_2 F(V, P, s')     if s' is terminal

for formulations F of the end; those of every step add alpha_2 f(s, a, s') instead. Where some agents' coefficients
are fixed (Eqs 4 and 6), what they contribute is added to the own part, and alpha_2 sweeps the rest:

    r'(s, a, s') = own r_1(s, a, s') + fixed(s, a, s') + care swept(s, a, s'),

linear in the caring coefficient, so that all optimal segments of a start state, or those of a range, are computed at
once.

A formulation applies where the scenario has what it weighs: newcomers, agents that act at the same time, options or
tasks. A problem has two distributions: that which the formulation weighs, and that whose welfare is reported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from craftworld.formulation import Formulation
from craftworld.formulations import FORMULATIONS, resolve_formulation
from craftworld.others.other_agents import (
    OtherAgents,
    TooManyTasks,
    WeighedDistribution,
    split_weights,
    tabulate_simultaneous_rewards,
)
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Scenario
from engine.errors import BadValue, ContractBroken, NoPlan
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.reachability import find_zero_cost_cycle_states, has_proper_policy, keep_reachable_part
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import Solution, plan
from engine.planning.trade_off.envelope import EVERYWHERE, Line, Range, SearchCost, Segment, check_range
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from engine.user_code import describe_place, user_code
from engine.value_types import Coefficient, require

if TYPE_CHECKING:
    from craftworld.others.newcomer_worlds import PlannedNewcomer


LARGEST_RETURN = 1e290
"""Beyond it products of returns and probabilities, and their errors, are no finite floats."""


def augment(mdp: TabularMDP, others: Any, formulation: Formulation, own: float = 1.0, care: float = 1.0) -> TabularMDP:
    """Augment the acting agent's reward in its table; own is alpha_1, care is alpha_2 (both may be negative)."""
    for name, coefficient in (("own", own), ("care", care)):
        require(name, coefficient, Coefficient)
    fixed, swept = compute_caring_rewards(mdp, others, formulation, is_swept=care != 0.0)
    return mdp.with_reward(weigh_own_reward(mdp, own, fixed) + care * swept)


def weigh_own_reward(mdp: TabularMDP, own: float, fixed: Floats) -> Floats:
    """f64[S, A, K]: own r_1 + fixed; the table's own array where own is 1 and fixed is 0."""
    with np.errstate(over="ignore"):  # an infinite reward has no plan, of which `Problem` names the cause
        weighed = mdp.reward if own == 1.0 else own * mdp.reward
    return weighed + fixed if fixed.any() else weighed


def compute_caring_rewards(
    mdp: TabularMDP, others: Any, formulation: Formulation, is_swept: bool = True
) -> tuple[Floats, Floats]:
    """Compute what is added at every care, and what one unit of care adds, f64[S, A, K] each.

    others: what the formulation weighs, see `make_weighed_distribution`. is_swept: False where only care 0 is asked
    for; what would take too long to compute is then 0.
    """
    if not formulation.additive or not others.fixed:
        nothing = np.broadcast_to(np.float64(0.0), mdp.reward.shape)
        try:
            return nothing, formulation.reward(mdp, others)
        except TooManyTasks:
            if is_swept:
                raise
            return nothing, nothing
    for_fixed, for_swept = split_weights(others)
    return (
        formulation.reward(mdp, replace(others, weight=for_fixed)),
        formulation.reward(mdp, replace(others, weight=for_swept)),
    )


@dataclass(frozen=True)
class Problem:
    """A scenario to solve, with its table and a formulation.

    others: the agents whose welfare is reported. weighed: the distribution that the formulation weighs, often the same.
    formulation: its name, registered or of a user's own function. declaration: the formulation itself. own: alpha_1.
    """

    scenario: Scenario
    mdp: TabularMDP
    others: OtherAgents
    weighed: OtherAgents
    formulation: str
    declaration: Formulation
    own: float = 1.0

    def compute_caring_rewards(self, start: int, is_swept: bool = True) -> tuple[Floats, Floats]:
        """Compute what is added at every care, and per unit of care, f64[S, A, K] each, by one start's baseline."""
        return compute_caring_rewards(self.mdp, self.weighed.with_baseline(start), self.declaration, is_swept)

    def with_formulation(self, formulation: str | Formulation) -> Problem:
        """The same world and own weight under another formulation; what is known of the others is not computed again.

        Raises UnknownName, or BadValue for one that does not apply.
        """
        name, declaration = resolve_formulation(formulation)
        if declaration.weighs is self.declaration.weighs:
            return replace(self, formulation=name, declaration=declaration)
        if declaration.weighs.plan_in(self.scenario) is not self.scenario:
            return make_problem(self.scenario, formulation, self.own, discount=self.mdp.discount)
        usual = FORMULATIONS[self.scenario.default_formulation].weighs
        weighed: Any = self.others
        if declaration.weighs is not usual or not usual.concerns_others:
            with user_code(describe_place(self.scenario)):
                weighed = make_weighed_distribution(self.scenario, self.mdp, declaration)
        return replace(self, weighed=weighed, formulation=name, declaration=declaration)

    def make_augmented_table(self, care: float, start: int) -> TabularMDP:
        """Make the table with the augmented reward that starts in one state."""
        begin = np.zeros_like(self.mdp.start)
        begin[start] = 1.0
        table = augment(self.mdp, self.weighed.with_baseline(start), self.declaration, self.own, care)
        return replace(table, start=begin)

    def restrict_to_start(self, start: int, table: TabularMDP) -> TabularMDP:
        """Make all states terminal that cannot be reached from one start state. table: one of this problem."""
        return table if len(self.mdp.start_states()) == 1 else keep_reachable_part(table, start)

    def plan_optimum(self, care: float, start: int) -> Solution:
        """Plan the optimum at a coefficient from one start state; values of unreachable states need not be finite."""
        return plan(self.restrict_to_start(start, self.make_augmented_table(care, start)))

    @property
    def segments(self) -> dict[int, list[Segment]]:
        """Start state's number -> its optimal segments from -inf to inf."""
        return self.find_segments_between(EVERYWHERE)

    def find_segments_between(self, between: Range) -> dict[int, list[Segment]]:
        """Find each start state's optimal segments, at least for all coefficients of a range.

        Only the range is solved, unless a wider one has been. Where no episode can end and no policy gains for ever,
        there is one segment, of own return -inf. Raises BadValue for an empty range.
        """
        low, high = check_range(between, "care")
        for (from_care, to_care), known in self._solved.items():
            if from_care <= low and high <= to_care:
                return known
        result = {}
        cost = SearchCost()
        for start in map(int, self.mdp.start_states()):
            fixed, swept = self.compute_caring_rewards(start, is_swept=(low, high) != (0.0, 0.0))
            weighted = self.mdp.with_reward(weigh_own_reward(self.mdp, self.own, fixed))
            try:
                result[start] = find_segments(weighted, swept, start, (low, high), cost)
            except NoPlan:
                if self.can_end(start):
                    self._refuse_overflow(weighted.reward, swept)
                    raise
                result[start] = [self._make_endless_segment(start, (low, high))]
        self._solved[low, high] = result
        self._costs[low, high] = cost
        return result

    def _refuse_overflow(self, own: Floats, swept: Floats) -> None:
        """Raise BadValue where rewards are finite and what they add up to is too large for a float."""
        steps = 1.0 / (1.0 - self.mdp.discount) if self.mdp.discount < 1.0 else float(len(self.mdp.states))
        for name, reward in (("its own", own), ("the others'", swept)):
            size = float(np.abs(reward).max(initial=0.0))
            if size * steps > LARGEST_RETURN:
                remedy = f"measure them in a larger unit, so that returns stay below {LARGEST_RETURN:g}"
                raise BadValue(f"{name} rewards are of size {size:g}", place=self.scenario.name, remedy=remedy)

    def find_segments_of(self, cares: Sequence[float]) -> dict[int, list[Segment]]:
        """Find the segments of several coefficients by one search, from 0 or the lowest coefficient on."""
        return self.find_segments_between((min([0.0, *cares]), math.inf))

    def can_end(self, start: int) -> bool:
        """Return whether an undiscounted episode from a start state can end, or go on for ever at no cost."""
        return self.mdp.discount < 1.0 or bool(
            has_proper_policy(self.mdp, find_zero_cost_cycle_states(self.mdp))[start]
        )

    def _make_endless_segment(self, start: int, between: Range) -> Segment:
        """Make the segment of first actions: where nothing ends and nothing gains, all policies are equally bad."""
        policy = self.mdp.executable(np.zeros(len(self.mdp.terminal), dtype=np.int32))
        path = [start]
        passed = set[int]()
        while self.mdp.is_deterministic and path[-1] not in passed:
            passed.add(path[-1])
            path.append(int(self.mdp.next_state[path[-1], policy[path[-1]], 0]))
        states = tuple(path) if len(path) > 1 else ()
        return Segment(*between, Line(-math.inf, 0.0), states, tuple(policy[path[:-1]].tolist()), policy)

    def find_search_cost(self, between: Range) -> SearchCost:
        """Return the cost of the search that found the segments of a range."""
        known = self.find_segments_between(between)
        return next(self._costs[solved] for solved, segments in self._solved.items() if segments is known)

    def find_segment(self, care: float, start: int) -> Segment:
        """Find a start state's optimal segment at a coefficient; a break point belongs to the one on its right."""
        require("care", care, Coefficient)
        return find_segment_at(self.find_segments_between((care, care))[start], care)

    @cached_property
    def planned_newcomers(self) -> tuple[PlannedNewcomer, ...]:
        """The newcomers' plans, whatever the acting agent has done."""
        from craftworld.others.newcomer_worlds import plan_newcomers

        return plan_newcomers(self.scenario, self.mdp, self.others)

    @cached_property
    def _costs(self) -> dict[Range, SearchCost]:
        return {}

    @cached_property
    def _solved(self) -> dict[Range, dict[int, list[Segment]]]:
        return {}


def find_applicable_formulations(scenario: Scenario) -> tuple[str, ...]:
    """Names of the formulations that apply to a scenario: its default, those that weigh the same, the rest.

    Installed formulations that break their contract are left out; asking for one by name says why.
    """
    default = scenario.default_formulation
    weighs = FORMULATIONS[default].weighs
    distances = {default: (0, "")} if weighs.applies(scenario) else {}
    for name in FORMULATIONS:
        try:
            other = FORMULATIONS[name].weighs
        except ContractBroken:
            continue
        if name != default and other.applies(scenario):
            distances[name] = (1 if other is weighs else 2, name)
    return tuple(sorted(distances, key=lambda name: distances[name]))


def require_applicable(scenario: Scenario, formulation: str | Formulation, place: str = "") -> None:
    """BadValue, naming the formulations that apply, where one does not apply to a scenario."""
    name, declaration = resolve_formulation(formulation)
    weighs = declaration.weighs
    if not weighs.applies(scenario):
        remedy = f"use {', '.join(find_applicable_formulations(scenario))}"
        if name == scenario.default_formulation:
            remedy = f"define them, or set default_formulation in the class; {remedy}"
        raise BadValue(
            f"the formulation '{name}' needs {weighs.requirement}, and '{scenario.name}' has none",
            place=place,
            remedy=remedy,
        )


def make_weighed_distribution(scenario: Scenario, mdp: TabularMDP, formulation: str | Formulation) -> Any:
    """Return the distribution that a formulation weighs, on a scenario's table; BadValue where it does not apply."""
    require_applicable(scenario, formulation)
    return resolve_formulation(formulation)[1].weighs.make(scenario, mdp)


def make_reported_distribution(scenario: Scenario, mdp: TabularMDP) -> OtherAgents:
    """Those whose welfare is reported under every formulation: what the scenario's default formulation weighs.

    Nobody where that is what the acting agent itself could still attain.
    """
    if not FORMULATIONS[scenario.default_formulation].weighs.concerns_others:
        return tabulate_simultaneous_rewards(scenario, mdp)
    others: OtherAgents = make_weighed_distribution(scenario, mdp, scenario.default_formulation)
    return others


def make_problem(
    scenario: Scenario,
    formulation: str | Formulation | None = None,
    own: float = 1.0,
    others: ValueDistribution | None = None,
    discount: float | None = None,
    mdp: TabularMDP | None = None,
) -> Problem:
    """Return a problem from a scenario: tabulate it, and work out what the formulation weighs.

    formulation: a registered name, "module:attribute" or an object, the scenario's own by default. own: alpha_1.
    others: precomputed values of the newcomers. discount: gamma, the scenario's own by default. mdp: the scenario's
    table where it has been made already, which then decides the discount. Raises UnknownName, BadValue for what does
    not apply or is not finite, and ContractBroken for what the scenario's own code raises.
    """
    require("own", own, Coefficient)
    if isinstance(formulation, str | None):
        formulation = formulation or scenario.default_formulation
    name, declaration = resolve_formulation(formulation)
    weighs = declaration.weighs
    with user_code(describe_place(scenario)):
        if others is None:
            require_applicable(scenario, declaration)
        planned_in = weighs.plan_in(scenario)
        if mdp is None:
            gamma = scenario.discount if discount is None else discount
            mdp = tabulate(planned_in, gamma, most_states=_bound_states(scenario, planned_in, weighs))
        elif planned_in is not scenario:
            remedy = "leave the values out, or choose another formulation"
            raise BadValue(
                f"'{name}' plans with the past, and values are of states", place=scenario.name, remedy=remedy
            )
        scenario = planned_in
    if others is not None and others.value.shape[1] != len(mdp.states):
        raise BadValue(
            f"values of {others.value.shape[1]} states for a table of {len(mdp.states)} states",
            place=scenario.name,
            remedy="precompute them for this table",
        )
    with user_code(describe_place(scenario)):
        weighed: Any = others
        if others is None or weighs is not ValueDistribution:
            weighed = make_weighed_distribution(scenario, mdp, declaration)
        if weighs is FORMULATIONS[scenario.default_formulation].weighs and weighs.concerns_others:
            return Problem(scenario, mdp, weighed, weighed, name, declaration, own)
        reported = make_reported_distribution(scenario, mdp) if others is None else others
        return Problem(scenario, mdp, reported, weighed, name, declaration, own)


def _bound_states(scenario: Scenario, planned_in: Scenario, weighs: type[WeighedDistribution]) -> int | None:
    """Return how many states may be planned in, of which the scenario's own are a share. None for no bound."""
    if weighs.most_states is None:
        return None
    return weighs.most_states * (math.prod(planned_in.sizes) // math.prod(scenario.sizes))
