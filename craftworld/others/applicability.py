"""Which formulations fit a scenario, and the distribution that each of them weighs there."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, get_type_hints

from craftworld.formulations import FORMULATIONS, Formulation
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, auxiliary_tasks
from craftworld.others.option_distribution import (
    OptionDistribution,
    ValuedOptionDistribution,
    option_distribution,
    valued_option_distribution,
)
from craftworld.others.other_agents import OtherAgents
from craftworld.others.reward_distribution import RewardDistribution, simultaneous_rewards
from craftworld.others.value_distribution import ValueDistribution, precompute
from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP


class Source(NamedTuple):
    """Where a distribution comes from. what: its name in messages. offered: whether a scenario has it; make: get it."""

    what: str
    offered: Callable[[Scenario], bool]
    make: Callable[[Scenario, TabularMDP], Any]


SOURCES: dict[type, Source] = {
    ValueDistribution: Source("newcomers", lambda scenario: bool(scenario.newcomers()), precompute),
    RewardDistribution: Source(
        "agents that act at the same time", lambda scenario: bool(scenario.simultaneous_agents()), simultaneous_rewards
    ),
    OptionDistribution: Source("options", lambda scenario: bool(scenario.options()), option_distribution),
    ValuedOptionDistribution: Source(
        "options with values",
        lambda scenario: bool(scenario.options()) and all(option.value for option in scenario.options()),
        valued_option_distribution,
    ),
    AuxiliaryTasks: Source("an own future", lambda scenario: True, auxiliary_tasks),
}


def weighed_by(formulation: Formulation) -> type:
    """The distribution that a formulation weighs: the type of its first parameter."""
    first = next(iter(inspect.signature(formulation).parameters))
    kind: type = get_type_hints(formulation)[first]
    return kind


def applicable_formulations(scenario: Scenario) -> tuple[str, ...]:
    """Names of the formulations that fit a scenario: its default, those that weigh the same, the rest."""
    fits = [name for name in FORMULATIONS if SOURCES[weighed_by(FORMULATIONS[name])].offered(scenario)]
    kind = weighed_by(FORMULATIONS[scenario.default_formulation])

    def distance(name: str) -> tuple[bool, bool, str]:
        return name != scenario.default_formulation, weighed_by(FORMULATIONS[name]) is not kind, name

    return tuple(sorted(fits, key=distance))


def require_applicable(scenario: Scenario, formulation: str, place: str = "") -> None:
    """BadValue, naming the formulations that fit, where one does not apply to a scenario."""
    source = SOURCES[weighed_by(FORMULATIONS[formulation])]
    if not source.offered(scenario):
        raise BadValue(
            f"the formulation '{formulation}' needs {source.what}, and '{scenario.name}' has none",
            place=place,
            remedy=f"use {', '.join(applicable_formulations(scenario))}",
        )


def distribution_of(scenario: Scenario, mdp: TabularMDP, formulation: str) -> Any:
    """What a formulation weighs in a scenario; BadValue, naming the formulations that fit, where it does not apply."""
    require_applicable(scenario, formulation)
    return SOURCES[weighed_by(FORMULATIONS[formulation])].make(scenario, mdp)


def default_distribution(scenario: Scenario, mdp: TabularMDP) -> OtherAgents:
    """Those whose welfare is reported, whatever formulation is used: what the scenario's default formulation weighs."""
    others: OtherAgents = distribution_of(scenario, mdp, scenario.default_formulation)
    return others
