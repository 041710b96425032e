"""Where each distribution that a formulation may weigh comes from: what a scenario must have, and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from craftworld.others.auxiliary_tasks import AuxiliaryTasks, auxiliary_tasks
from craftworld.others.inaction_baseline import TasksSinceStart, tasks_since_start, with_inaction_past
from craftworld.others.named_others import newcomers_of, options_of, simultaneous_agents_of
from craftworld.others.option_distribution import (
    OptionDistribution,
    ValuedOptionDistribution,
    option_distribution,
    valued_option_distribution,
)
from craftworld.others.reward_distribution import RewardDistribution, simultaneous_rewards
from craftworld.others.value_distribution import ValueDistribution, precompute
from craftworld.scenario import Scenario
from engine.mdp.mdp import TabularMDP


def _itself(scenario: Scenario) -> Scenario:
    return scenario


class DistributionSource(NamedTuple):
    """requirement: what a scenario must have, in words. is_met: whether it has; make: the distribution on its table.

    world: the scenario as it is planned in, where what is weighed depends on more than its state.
    """

    requirement: str
    is_met: Callable[[Scenario], bool]
    make: Callable[[Scenario, TabularMDP], Any]
    world: Callable[[Scenario], Scenario] = _itself


SOURCES: dict[type, DistributionSource] = {
    ValueDistribution: DistributionSource("newcomers", lambda scenario: bool(newcomers_of(scenario)), precompute),
    RewardDistribution: DistributionSource(
        "agents that act at the same time",
        lambda scenario: bool(simultaneous_agents_of(scenario)),
        simultaneous_rewards,
    ),
    OptionDistribution: DistributionSource("options", lambda scenario: bool(options_of(scenario)), option_distribution),
    ValuedOptionDistribution: DistributionSource(
        "options with values",
        lambda scenario: bool(options_of(scenario)) and all(option.value for option in options_of(scenario)),
        valued_option_distribution,
    ),
    AuxiliaryTasks: DistributionSource("auxiliary tasks", lambda scenario: True, auxiliary_tasks),
    TasksSinceStart: DistributionSource(
        "auxiliary tasks", lambda scenario: True, tasks_since_start, with_inaction_past
    ),
}
