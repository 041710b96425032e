"""Every equation on raw numbers, without a scenario: the worked example, at a terminal and at a non-terminal step."""

from dataclasses import replace

import numpy as np
import pytest

from craftworld.formulations import FORMULATIONS
from craftworld.others.option_distribution import OptionDistribution, ValuedOptionDistribution
from craftworld.others.other_agents import RewardDistribution
from craftworld.others.value_distribution import ValueDistribution
from craftworld.solution.problem import augment, compute_caring_rewards
from engine.errors import BadValue
from engine.mdp.mdp import Outcome
from engine.mdp.tabulate import tabulate

OWN, CARE, DISCOUNT = 2.0, 3.0, 0.9
STOP, GO_ON = range(2)


class Step:
    """One decision: stop (a terminal step) or go on, either for -1."""

    actions = ("stop", "go on")

    def starts(self):
        return {"start": 1.0}

    def outcomes(self, state, action):
        return [Outcome("end" if action == STOP else "start", -1.0)]

    def is_terminal(self, state):
        return state == "end"


@pytest.fixture
def table():
    return tabulate(Step(), DISCOUNT)


def named(count):
    return tuple(f"V{number}" for number in range(count))


def on_states(start, end):
    """f64[N, 2]: values in the start state and in the end."""
    return np.array([start, end], dtype=float).T


UNKNOWN = ValueDistribution(
    named(3),
    named(3),
    on_states((-8, -5, 2), (-10, -4, 6)),
    np.array([0.5, 0.3, 0.2]),
    np.ones(3),
    np.array([-8.0, -5.0, 2.0]),
)
OWNERS = ("agent 2", "agent 2", "agent 3")
LIKELY, WEIGHTS = np.array([0.25, 0.75, 1.0]), np.array([3.0, 3.0, 0.5])
AGENTS = ValueDistribution(
    named(3), OWNERS, on_states((0, 0, 0), (-10, -2, -7)), LIKELY, WEIGHTS, np.array([0.0, 0.0, 0.0])
)
EVERY_STEP = np.array([-10.0, -2.0, -7.0])[:, None, None, None] * np.array([[1.0, 1.0], [0.0, 0.0]])[None, :, :, None]
REWARDS = RewardDistribution(named(3), OWNERS, EVERY_STEP, LIKELY, WEIGHTS)
CAN_START, CHANCES = on_states((0, 0, 0), (1, 0, 1)), np.array([0.2, 0.3, 0.5])
OPTIONS = OptionDistribution(named(3), CAN_START, CHANCES, np.ones(3))
UNWANTED = replace(OPTIONS, weight=np.array([1.0, 1.0, -2.0]))
VALUED = ValuedOptionDistribution(named(3), CAN_START, CHANCES, np.ones(3), on_states((0, 0, 0), (4, 7, -2)))
UNWANTED_VALUED = replace(VALUED, weight=np.array([1.0, 1.0, -2.0]))


@pytest.mark.parametrize(
    ("formulation", "others", "care", "terminal_step"),
    [
        ("expected", UNKNOWN, CARE, -15.5),
        ("worst_case", UNKNOWN, CARE, -29.0),
        ("no_worse_off", UNKNOWN, CARE, -18.47),
        ("per_agent", AGENTS, 1.0, -15.95),
        ("least_well_off", AGENTS, 1.0, -12.8),
        ("simultaneous", REWARDS, 1.0, -17.5),
        ("options", OPTIONS, CARE, -0.11),
        ("options", UNWANTED, CARE, -2 + 0.9 * CARE * (0.2 - 2 * 0.5)),
        ("options_with_values", UNWANTED_VALUED, CARE, -2 + 0.9 * CARE * (0.2 * 4 - 2 * 0.5 * -2)),
        ("options_with_values_printed", VALUED, CARE, -2.6),
        ("options_with_values", VALUED, CARE, -2.54),
    ],
)
def test_worked_numbers(table, formulation, others, care, terminal_step):
    reward = augment(table, others, FORMULATIONS[formulation], OWN, care).reward[0, :, 0]
    assert reward[STOP] == pytest.approx(terminal_step)
    assert reward[GO_ON] == pytest.approx(-17.5 if formulation == "simultaneous" else -2.0)


def test_a_walk_is_worth_to_options_what_can_start_where_it_ends(table):
    start, end = (table.index[state] for state in ("start", "end"))
    assert OPTIONS.path_returns(table, (start, start, end), (GO_ON, STOP)).tolist() == [1, 0, 1]
    assert OPTIONS.path_returns(table, (start, start), (GO_ON,)).tolist() == [0, 0, 0]


def test_impossible_value_functions_do_not_count_as_the_worst(table):
    others = ValueDistribution(
        named(2), named(2), on_states((0, 0), (-100, -1)), np.array([0.0, 1.0]), np.ones(2), np.zeros(2)
    )
    assert FORMULATIONS["worst_case"].function(others).tolist() == [0.0, -1.0]


def test_an_agent_without_a_value_function_is_not_the_least_well_off():
    value, nobody = on_states((0, 0, 0), (5, 3, -50)), np.array([1.0, 1.0, 0.0])
    others = ValueDistribution(named(3), ("a", "b", "c"), value, nobody, np.ones(3), np.zeros(3))
    assert FORMULATIONS["least_well_off"].function(others)[1] == 3.0  # neither -50 nor 0
    with pytest.raises(BadValue, match="no agent has a value function"):
        FORMULATIONS["least_well_off"].function(
            ValueDistribution(named(3), ("a", "b", "c"), value, 0 * nobody, np.ones(3), np.zeros(3))
        )


def test_least_well_off_weighs_agents_not_possibilities():
    assert FORMULATIONS["least_well_off"].function(AGENTS)[1] == pytest.approx(min(3 * -4.0, 0.5 * -7.0))


THREE = ValueDistribution(
    named(4),
    ("a", "a", "b", "c"),
    np.array([[0.0, 4.0, 2.0, 0.0], [8.0, 4.0, 2.0, 8.0], [2.0, 0.0, 1.0, 2.0], [-6.0, 0.0, -5.0, -7.0]]),
    np.array([0.5, 0.5, 1.0, 1.0]),
    np.array([1.0, 1.0, 2.0, 1.0]),
    np.zeros(4),
)
"""In four states agent a expects 4, 4, 2, 4; b 2, 0, 1, 2 and counts twice; c -6, 0, -5, -7."""


@pytest.mark.parametrize(
    ("formulation", "amounts"),
    [
        ("least_well_off", [-6, 0, -5, -7]),
        ("gini_welfare", [(5 * -6 + 3 * 4 + 4) / 9, 4 / 9, (5 * -5 + 3 * 2 + 2) / 9, (5 * -7 + 3 * 4 + 4) / 9]),
        ("leximin", [1, 3, 2, 0]),
        ("nash_welfare", [(2 * 2 * 1) ** (1 / 3), 0, 0, 0]),
        ("relative_utilitarian", [1 + 2 + 1 / 7, 1 + 0 + 1, 0 + 2 / 2 + 2 / 7, 1 + 2 + 0]),
    ],
)
def test_fairness_by_hand(formulation, amounts):
    assert FORMULATIONS[formulation].function(THREE) == pytest.approx(amounts)


def test_scales_do_not_matter_where_they_should_not():
    """An agent that counts in cents: Nash welfare orders states alike, relative utilitarianism gives the same."""
    cents = replace(THREE, value=THREE.value * np.array([1.0, 1.0, 100.0, 1.0])[:, None])
    nash, relative = FORMULATIONS["nash_welfare"].function, FORMULATIONS["relative_utilitarian"].function
    assert nash(cents) == pytest.approx(nash(THREE) * 100 ** (1 / 3))
    assert relative(cents) == pytest.approx(relative(THREE))


def test_the_acting_agent_may_own_possibilities_too(table):
    others = ValueDistribution(
        named(2), ("agent 1", "agent 2"), on_states((0, 0), (-6, -4)), np.ones(2), np.array([1.0, 0.0]), np.zeros(2)
    )
    assert FORMULATIONS["per_agent"].function(others)[1] == -6.0


@pytest.mark.parametrize("care", [-2.0, 0.0, 1.0, 7.0])
@pytest.mark.parametrize(("formulation", "others"), [("per_agent", AGENTS), ("simultaneous", REWARDS)])
def test_care_sweeps_some_weights_and_leaves_others_alone(table, formulation, others, care):
    from dataclasses import replace

    swept = augment(table, replace(others, fixed=("agent 3",)), FORMULATIONS[formulation], OWN, care)
    explicit = replace(others, weight=np.array([3.0 * care, 3.0 * care, 0.5]))
    assert swept.reward == pytest.approx(augment(table, explicit, FORMULATIONS[formulation], OWN, 1.0).reward)


def test_rewards_of_others_are_added_up_one_by_one() -> None:
    """The same numbers on every machine: no library chooses the order."""
    draws = np.random.default_rng(0)
    reward, weights = draws.normal(size=(5, 300, 4, 1)), draws.random(5)
    total = np.zeros(reward.shape[1:])
    for weight, one in zip(weights, reward, strict=True):
        total = total + weight * one
    names = named(5)
    found = RewardDistribution(names, names, reward, weights, np.ones(5))
    assert found.sum_weighted(weights).tobytes() == found.step_reward(None).tobytes() == total.tobytes()


def test_nothing_is_fixed_where_nobody_is(table):
    fixed, _ = compute_caring_rewards(table, AGENTS, FORMULATIONS["per_agent"])
    assert not fixed.any()


@pytest.mark.parametrize("care", [float("nan"), float("inf")])
def test_coefficients_are_finite(table, care):
    with pytest.raises(BadValue, match="care"):
        augment(table, UNKNOWN, FORMULATIONS["expected"], OWN, care)
