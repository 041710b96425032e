"""The contract of a formulation, executable: its function is called with distributions of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from craftworld.formulation import FORMULATION, Formulation
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, make_auxiliary_tasks
from craftworld.others.inaction_baselines import TasksSinceStart, add_inaction_past, make_tasks_since_start
from craftworld.others.option_distribution import OptionDistribution, ValuedOptionDistribution
from craftworld.others.reward_distribution import RewardDistribution
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import ContractBroken
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.randomness.counter_based import uniform
from engine.user_code import describe_place

STATES, ACTIONS, SUCCESSORS = 7, 3, 2
NAMES, OWNERS, FIXED = ("V1", "V2", "V3", "V4"), ("agent 2", "agent 2", "agent 3", "agent 4"), ("agent 3",)


def check_formulation(thing: Any) -> None:
    """Check that an object keeps the contract of formulations.

    The reward must have the right shape and type and be finite, two calls must agree and change nothing, and an
    additive formulation must be linear in the agents' weights.

    Parameters
    ----------
    thing : Formulation

    Raises
    ------
    ContractBroken
        One line: the file and function, what was returned, what was expected.

    Examples
    --------
    >>> import caregrid
    >>> check_formulation(caregrid.FORMULATIONS["expected"])
    """
    formulation = FORMULATION.accept(thing)
    mdp, others = SAMPLES[formulation.weighs]()
    reward = formulation.reward(mdp, others)
    if not np.array_equal(reward, formulation.reward(mdp, others)):
        raise ContractBroken(
            "gave two answers to one question", place=describe_place(formulation), remedy="use no chance"
        )
    if formulation.additive:
        _check_additive(formulation, mdp, others)


def _check_additive(formulation: Formulation, mdp: TabularMDP, others: Any) -> None:
    """F of the sum of two weightings is the sum of their F."""
    if not hasattr(others, "weight"):
        raise ContractBroken(
            f"declared additive, but {type(others).__name__} has no weights",
            place=describe_place(formulation),
            remedy="leave out additive=True",
        )
    half = _draw_numbers(1, len(others.weight))
    parts = [formulation.reward(mdp, replace(others, weight=weight)) for weight in (half, others.weight - half)]
    if not np.allclose(sum(parts), formulation.reward(mdp, others)):
        raise ContractBroken(
            "declared additive, but it is not a sum over agents of weight times something",
            place=describe_place(formulation),
            remedy="leave out additive=True, or multiply each agent's part by others.weight",
        )


def _sample_values() -> tuple[TabularMDP, ValueDistribution]:
    value = _draw_numbers(2, len(NAMES), STATES)
    baseline = _freeze(value[:, 0].copy())
    return _make_table(), ValueDistribution(NAMES, OWNERS, value, _make_chances(), _make_weights(), baseline, FIXED)


def _sample_rewards() -> tuple[TabularMDP, RewardDistribution]:
    mdp = _make_table()
    reward = _draw_numbers(3, len(NAMES), *mdp.reward.shape)
    return mdp, RewardDistribution(NAMES, OWNERS, reward, _make_chances(), _make_weights(), FIXED)


def _sample_options() -> tuple[TabularMDP, OptionDistribution]:
    return _make_table(), OptionDistribution(NAMES, _draw_initiation_set(), _freeze(_make_chances() / 2))


def _sample_valued_options() -> tuple[TabularMDP, ValuedOptionDistribution]:
    value = _draw_numbers(5, len(NAMES), STATES)
    return _make_table(), ValuedOptionDistribution(NAMES, _draw_initiation_set(), _freeze(_make_chances() / 2), value)


def _sample_tasks() -> tuple[TabularMDP, AuxiliaryTasks]:
    scenario = SCENARIOS["garden"]()
    mdp = tabulate(scenario, 0.9)
    return mdp, make_auxiliary_tasks(scenario, mdp)


def _sample_tasks_since_start() -> tuple[TabularMDP, TasksSinceStart]:
    scenario = add_inaction_past(make_scenario(SCENARIOS["conveyor_belt"]))
    mdp = tabulate(scenario, 0.9)
    return mdp, make_tasks_since_start(scenario, mdp)


SAMPLES: dict[type, Callable[[], tuple[TabularMDP, Any]]] = {
    ValueDistribution: _sample_values,
    RewardDistribution: _sample_rewards,
    OptionDistribution: _sample_options,
    ValuedOptionDistribution: _sample_valued_options,
    AuxiliaryTasks: _sample_tasks,
    TasksSinceStart: _sample_tasks_since_start,
}


def _make_table() -> TabularMDP:
    """Seven states, the last two terminal, three actions of two successors each."""
    shape = (STATES, ACTIONS, SUCCESSORS)
    next_state = np.floor((_draw_numbers(6, *shape) + 10.0) / 20.0 * STATES).astype(np.int32)
    terminal = np.arange(STATES) >= STATES - 2
    next_state[terminal] = np.flatnonzero(terminal)[:, None, None]
    reward = np.where(terminal[:, None, None], 0.0, _draw_numbers(7, *shape))
    start = np.eye(STATES)[0]
    states = tuple(range(STATES))
    index = dict(zip(states, states, strict=True))
    actions = tuple(f"action {n}" for n in range(ACTIONS))
    return TabularMDP(states, index, actions, next_state, np.full(shape, 0.5), reward, terminal, start, 0.9)


def _draw_numbers(key: int, *shape: int) -> Floats:
    """Numbers from [-10, 10) that cannot be written to."""
    drawn = [uniform(key, n) for n in range(int(np.prod(shape)))]
    return _freeze(20.0 * np.array(drawn).reshape(shape) - 10.0)


def _make_chances() -> Floats:
    """Of the two possibilities of agent 2, of agents 3 and 4; agent 4 is not possible."""
    return _freeze(np.array([0.25, 0.75, 1.0, 0.0]))


def _make_weights() -> Floats:
    return _freeze(np.array([3.0, 3.0, 0.5, 2.0]))


def _draw_initiation_set() -> Floats:
    return _freeze((_draw_numbers(4, len(NAMES), STATES) > 0).astype(np.float64))


def _freeze(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
