"""Q-learning in a scenario: how many steps, and the values of newcomers that learn ("Be Considerate", appendix C).

Steps. Unless a caller says otherwise, an agent takes as many as the scenario's protocol says, or as its table needs by
its size where that is more (`engine.learning.q_learning.count_enough_steps`). Then it goes on, with twice as many steps
in episodes twice as long, until its greedy policy earns what its values promise, `MOST_TIMES` as many steps at most.
Where chance decides, a hundredth of the value is near enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from craftworld.others.other_agents import OtherAgents, list_newcomers
from craftworld.others.value_distribution import ValueDistribution, replace_endless_values, tabulate_followed_newcomer
from craftworld.scenario import Newcomer, Scenario
from engine.errors import argument
from engine.learning.observed_q_learning import ObservedLearner, make_learner
from engine.learning.q_learning import MOST_STEPS, QLearningSettings, TableLearner, count_enough_steps
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.finite_horizon import compute_limited_return
from engine.randomness.counter_based import split

MOST_TIMES = 16
ROUNDING = 1e-9


class Learning(NamedTuple):
    """settings: hyper-parameters. exact: whether `settings.steps` are taken as they are, or are the fewest."""

    settings: QLearningSettings
    exact: bool

    def learn_table(self, table: TabularMDP, key: int) -> TableLearner | ObservedLearner:
        """Learn a table, and go on until the learner is settled unless the steps are exact."""
        settings = self.settings
        if not self.exact:
            steps = max(settings.steps, count_enough_steps(table, settings.episode_steps))
            settings = replace(settings, steps=steps)
        learner = make_learner(table, key, settings)
        learner.learn(settings.steps)
        times = 1
        while not self.exact and times < MOST_TIMES and not learner.is_settled():
            times *= 2
            learner.learn(times * settings.steps, times * settings.episode_steps)
        return learner

    def suggest_steps(self, table: TabularMDP) -> int:
        """Suggest steps for a table that was not learned: the most that the rule allows, or 4 times as many."""
        most = MOST_TIMES * count_enough_steps(table, self.settings.episode_steps)
        taken = self.settings.steps if self.exact else max(MOST_TIMES * self.settings.steps, most)
        return min(max(most, 4 * taken), MOST_STEPS)


def choose_acting_learning(scenario: Scenario, steps: int | None = None) -> Learning:
    """Choose how the acting agent learns in a scenario. steps: exactly so many, by default by the rule."""
    return _make_learning(scenario, scenario.learning.steps, steps)


def choose_newcomer_learning(scenario: Scenario, steps: int | None = None) -> Learning:
    """Choose how newcomers learn in a scenario. steps: exactly so many, by default by the rule."""
    return _make_learning(scenario, scenario.learning.newcomer_steps, steps)


def _make_learning(scenario: Scenario, fewest: int, steps: int | None) -> Learning:
    settings = QLearningSettings(steps=fewest if steps is None else steps, epsilon=scenario.learning.epsilon)
    return Learning(settings, steps is not None)


class NewcomerLearners:
    """Newcomers that learn, each from its own key: a function for `precompute` that counts their steps.

    seed: of their keys. steps: newcomer -> its number of steps. residual: newcomer -> the distance of its policy's
    returns from its values (`TableLearner.residual`).
    """

    def __init__(self, learning: Learning, seed: int) -> None:
        self.learning = learning
        self.seed = seed
        self.steps: dict[str, int] = {}
        self.residual: dict[str, float] = {}

    def __call__(self, newcomer: Newcomer, table: TabularMDP) -> Floats:
        """Learn one newcomer's policy; return its values, f64[S]; the time limit's where it never ends."""
        learner = self.learning.learn_table(table, split(split(self.seed, "newcomer"), newcomer.name))
        self.steps[newcomer.name] = learner.steps
        self.residual[newcomer.name] = learner.residual()
        limit = newcomer.scenario.time_limit
        value = evaluate_policy(table, learner.policy)
        value = np.where(np.isneginf(value), compute_limited_return(table, learner.policy, limit), value)
        lost = np.isneginf(learner.action_value.max(axis=1))  # every step there is remembered
        return replace_endless_values(table, np.where(lost, -np.inf, value), limit)


def measure_values_error(exact: OtherAgents, learned: OtherAgents) -> float:
    """Return the largest distance of learned values from the exact ones, over all states; 0 for other distributions."""
    if not isinstance(exact, ValueDistribution) or not isinstance(learned, ValueDistribution):
        return 0.0
    error = float(np.abs(exact.value - learned.value).max(initial=0.0))
    return error if error > ROUNDING * float(np.abs(exact.value).max(initial=0.0)) else 0.0


def warn_of_values(
    scenario: Scenario, mdp: TabularMDP, error: float, learning: Learning, name: str = "steps"
) -> str | None:
    """Return one line with the error of learned values and the steps to try; None where there is no error.

    mdp: the acting agent's table. name: of the argument that gives newcomers their steps.
    """
    if error == 0.0:
        return None
    tables = (tabulate_followed_newcomer(scenario, mdp, each)[0] for each in list_newcomers(scenario))
    steps = max(map(learning.suggest_steps, tables))
    return f"others' learned values are off by up to {error:g}: try {argument(name, steps)}"
