"""From a scenario to a problem: tabulate it, and make the distributions that are weighed and reported."""

from __future__ import annotations

import math
from typing import Any

from craftworld.formulation import Formulation
from craftworld.formulations import FORMULATIONS, declared_formulation
from craftworld.others.applicability import reported_agents, require_applicable, weighed_distribution
from craftworld.others.auxiliary_tasks import MOST_TASKS, AuxiliaryTasks
from craftworld.others.sources import SOURCES
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Scenario
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.limits.coefficients import require_coefficient
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.user_code import place_of, user_code


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
    require_coefficient(own, "own")
    if isinstance(formulation, str | None):
        formulation = formulation or scenario.default_formulation
    name, declaration = declared_formulation(formulation)
    weighs = declaration.weighs
    with user_code(place_of(scenario)):
        if others is None:
            require_applicable(scenario, declaration)
        planned_in = SOURCES[weighs].world(scenario)
        if mdp is None:
            gamma = scenario.discount if discount is None else discount
            mdp = tabulate(planned_in, gamma, most_states=_most_states(scenario, planned_in, weighs))
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
    with user_code(place_of(scenario)):
        weighed: Any = others
        if others is None or weighs is not ValueDistribution:
            weighed = weighed_distribution(scenario, mdp, declaration)
        if weighs is FORMULATIONS[scenario.default_formulation].weighs and not issubclass(weighs, AuxiliaryTasks):
            return Problem(scenario, mdp, weighed, weighed, name, declaration, own)
        reported = reported_agents(scenario, mdp) if others is None else others
        return Problem(scenario, mdp, reported, weighed, name, declaration, own)


def _most_states(scenario: Scenario, planned_in: Scenario, weighs: type) -> int | None:
    """How many states may be planned in: a task is solved for each of the scenario's own. None for no bound."""
    if not issubclass(weighs, AuxiliaryTasks):
        return None
    return MOST_TASKS * (math.prod(planned_in.sizes) // math.prod(scenario.sizes))
