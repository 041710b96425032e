"""Which formulations apply to a scenario, and the distribution that each of them weighs there."""

from __future__ import annotations

from typing import Any

from craftworld.formulation import Formulation
from craftworld.formulations import FORMULATIONS, declared_formulation
from craftworld.others.auxiliary_tasks import AuxiliaryTasks
from craftworld.others.other_agents import OtherAgents
from craftworld.others.reward_distribution import simultaneous_rewards
from craftworld.others.sources import SOURCES
from craftworld.scenario import Scenario
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import TabularMDP


def applicable_formulations(scenario: Scenario) -> tuple[str, ...]:
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
        if name != default and SOURCES[other].is_met(scenario):
            distances[name] = (1 if other is weighs else 2, name)
    return tuple(sorted(distances, key=lambda name: distances[name]))


def require_applicable(scenario: Scenario, formulation: str | Formulation, place: str = "") -> None:
    """BadValue, naming the formulations that apply, where one does not apply to a scenario."""
    name, declaration = declared_formulation(formulation)
    source = SOURCES[declaration.weighs]
    if not source.is_met(scenario):
        raise BadValue(
            f"the formulation '{name}' needs {source.requirement}, and '{scenario.name}' has none",
            place=place,
            remedy=f"use {', '.join(applicable_formulations(scenario))}",
        )


def weighed_distribution(scenario: Scenario, mdp: TabularMDP, formulation: str | Formulation) -> Any:
    """The distribution that a formulation weighs, on a scenario's table; BadValue where it does not apply."""
    require_applicable(scenario, formulation)
    return SOURCES[declared_formulation(formulation)[1].weighs].make(scenario, mdp)


def reported_agents(scenario: Scenario, mdp: TabularMDP) -> OtherAgents:
    """Those whose welfare is reported under every formulation: what the scenario's default formulation weighs.

    Nobody where that is what the acting agent itself could still attain.
    """
    if issubclass(FORMULATIONS[scenario.default_formulation].weighs, AuxiliaryTasks):
        return simultaneous_rewards(scenario, mdp)
    others: OtherAgents = weighed_distribution(scenario, mdp, scenario.default_formulation)
    return others
