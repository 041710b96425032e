"""Make a problem from a scenario and a formulation: whether it applies, the table, and what is weighed there.

A formulation applies where the scenario has what it weighs: newcomers, agents that act at the same time, options or
tasks. A problem has two distributions: the one that the formulation weighs, and the one whose welfare is reported.
"""

from __future__ import annotations

import math
from typing import Any

from craftworld.formulation import Formulation
from craftworld.formulations import FORMULATIONS, resolve_formulation
from craftworld.others.auxiliary_tasks import MOST_TASKS, AuxiliaryTasks
from craftworld.others.other_agents import OtherAgents
from craftworld.others.reward_distribution import tabulate_simultaneous_rewards
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Scenario
from craftworld.solution.problem import Problem
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.user_code import describe_place, user_code
from engine.value_types import Coefficient, require


def find_applicable_formulations(scenario: Scenario) -> tuple[str, ...]:
    """Names of the formulations that apply to a scenario: its default, those that weigh the same, the rest.

    Installed formulations that break their contract are left out; asking for one by name says why.
    """
    default = scenario.default_formulation
    weighs = FORMULATIONS[default].weighs
    distances = {default: (0, "")}
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
        raise BadValue(
            f"the formulation '{name}' needs {weighs.requirement}, and '{scenario.name}' has none",
            place=place,
            remedy=f"use {', '.join(find_applicable_formulations(scenario))}",
        )


def make_weighed_distribution(scenario: Scenario, mdp: TabularMDP, formulation: str | Formulation) -> Any:
    """The distribution that a formulation weighs, on a scenario's table; BadValue where it does not apply."""
    require_applicable(scenario, formulation)
    return resolve_formulation(formulation)[1].weighs.make(scenario, mdp)


def make_reported_distribution(scenario: Scenario, mdp: TabularMDP) -> OtherAgents:
    """Those whose welfare is reported under every formulation: what the scenario's default formulation weighs.

    Nobody where that is what the acting agent itself could still attain.
    """
    if issubclass(FORMULATIONS[scenario.default_formulation].weighs, AuxiliaryTasks):
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
    """A problem from a scenario: tabulate it, and work out what the formulation weighs.

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
        if weighs is FORMULATIONS[scenario.default_formulation].weighs and not issubclass(weighs, AuxiliaryTasks):
            return Problem(scenario, mdp, weighed, weighed, name, declaration, own)
        reported = make_reported_distribution(scenario, mdp) if others is None else others
        return Problem(scenario, mdp, reported, weighed, name, declaration, own)


def _bound_states(scenario: Scenario, planned_in: Scenario, weighs: type) -> int | None:
    """How many states may be planned in: a task is solved for each of the scenario's own. None for no bound."""
    if not issubclass(weighs, AuxiliaryTasks):
        return None
    return MOST_TASKS * (math.prod(planned_in.sizes) // math.prod(scenario.sizes))
