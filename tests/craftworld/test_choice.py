"""Choice, entropy and empowerment of others, against closed forms, plain loops and matrix powers."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import caregrid
from craftworld.formulations import FORMULATIONS
from craftworld.formulations.choice import (
    compute_capacity,
    compute_empowerment,
    compute_entropy,
    compute_state_entropy,
    count_reachable_states,
    find_soft_policy,
    make_discrete_choice,
    make_empowerment,
    make_entropic_choice,
)
from craftworld.others.newcomer_worlds import NewcomerWorlds
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan


def entropy(*chances: float) -> float:
    return -sum(p * math.log2(p) for p in chances if p > 0)


@pytest.mark.parametrize("flip", [0.0, 0.01, 0.11, 0.5])
def test_the_capacity_of_a_symmetric_channel_is_one_minus_the_entropy_of_its_noise(flip: float) -> None:
    assert compute_capacity(np.array([[1 - flip, flip], [flip, 1 - flip]])) == pytest.approx(
        1 - entropy(flip, 1 - flip)
    )


@pytest.mark.parametrize("lost", [0.1, 0.25, 0.9])
def test_the_capacity_of_an_erasure_channel_is_what_is_not_erased(lost: float) -> None:
    assert compute_capacity(np.array([[1 - lost, 0, lost], [0, 1 - lost, lost]])) == pytest.approx(1 - lost)


def test_the_capacity_of_the_z_channel() -> None:
    assert compute_capacity(np.array([[1.0, 0.0], [0.5, 0.5]])) == pytest.approx(math.log2(5 / 4), abs=1e-9)


def test_a_channel_whose_rows_are_alike_has_no_capacity() -> None:
    assert compute_capacity(np.array([[0.3, 0.7], [0.3, 0.7], [0.3, 0.7]])) == pytest.approx(0.0, abs=1e-9)


def test_entropies_of_rows() -> None:
    rows = np.array([[1.0, 0.0, 0.0, 0.0], [0.25] * 4, [0.5, 0.5, 0.0, 0.0]])
    assert compute_entropy(rows).tolist() == pytest.approx([0.0, 2.0, 1.0])


def _walk(table: TabularMDP, state: int, actions: tuple[int, ...]) -> Counter[int]:
    """Where a sequence of actions ends: state -> probability, by enumeration of all courses of events."""
    reached: Counter[int] = Counter()
    for slots in itertools.product(range(table.next_state.shape[2]), repeat=len(actions)):
        here, chance = state, 1.0
        for action, slot in zip(actions, slots, strict=True):
            chance *= float(table.probability[here, action, slot])
            here = int(table.next_state[here, action, slot])
        if chance > 0:
            reached[here] += chance  # type: ignore[assignment]
    return reached


@pytest.mark.parametrize("name", ["garden", "icy_yard"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_counts_entropies_and_empowerment_of_a_world_agree_with_plain_loops(name: str, steps: int) -> None:
    scenario = make_scenario(SCENARIOS[name], None)
    [first, *_] = NewcomerWorlds.make(scenario, tabulate(scenario, 1.0)).planned
    table = first.table
    policy = find_soft_policy(table, first.solution)
    states = np.flatnonzero(~table.terminal)[:6].tolist()
    sequences = list(itertools.product(range(len(table.actions)), repeat=steps))
    for state in states:
        ends = [_walk(table, state, actions) for actions in sequences]
        assert count_reachable_states(table, [state], steps)[0] == len(set().union(*ends))
        soft: Counter[int] = Counter()
        for slots in itertools.product(range(len(table.actions)), range(table.next_state.shape[2]), repeat=steps):
            here, chance = state, 1.0
            for action, slot in zip(slots[::2], slots[1::2], strict=True):
                chance *= float(policy[here, action] * table.probability[here, action, slot])
                here = int(table.next_state[here, action, slot])
            soft[here] += chance  # type: ignore[assignment]
        assert compute_state_entropy(table, policy, [state], steps)[0] == pytest.approx(entropy(*soft.values()))
        if table.is_deterministic:
            assert compute_empowerment(table, state, steps) == pytest.approx(math.log2(len(set().union(*ends))))


def test_a_soft_policy_prefers_what_is_worth_more_and_knows_what_is_not_available() -> None:
    table = tabulate(make_scenario(SCENARIOS["garden"], None), 1.0)
    solution = plan(table)
    policy = find_soft_policy(table, solution)
    assert policy.sum(axis=1) == pytest.approx(np.ones(len(policy)))
    finite = np.isfinite(solution.action_value[0])
    one, other = np.flatnonzero(finite)[:2]
    ratio = policy[0, one] / policy[0, other]
    assert ratio == pytest.approx(math.exp(solution.action_value[0, one] - solution.action_value[0, other]))


def _amounts(name: str, formulation: str) -> Floats:
    scenario = make_scenario(SCENARIOS[name], None)
    worlds = NewcomerWorlds.make(scenario, tabulate(scenario, 1.0))
    return FORMULATIONS[formulation].function(worlds)


def test_more_steps_are_more_choice_until_everything_is_reached() -> None:
    scenario = make_scenario(SCENARIOS["garden"], None)
    worlds = NewcomerWorlds.make(scenario, tabulate(scenario, 1.0))
    counts = [make_discrete_choice(steps).function(worlds).max() for steps in (1, 3, 10)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert make_entropic_choice(1).function(worlds).max() < _amounts("garden", "entropic_choice").max()


@pytest.mark.parametrize("name", ["discrete_choice", "entropic_choice", "immediate_choice", "empowerment"])
def test_an_altruist_of_choice_is_solved_exactly(name: str) -> None:
    points = caregrid.problem("playroom", name).breakpoints()
    assert points.segments
    care = caregrid.problem("playroom", name).solve(care=5.0)
    none = caregrid.problem("playroom", name).solve(care=0.0)
    assert care.own <= none.own


def test_sequences_without_bound_are_refused_with_their_number() -> None:
    scenario = make_scenario(SCENARIOS["garden"], None)
    worlds = NewcomerWorlds.make(scenario, tabulate(scenario, 1.0))
    with pytest.raises(BadValue, match=r"sequences, and 10,000 are the most"):
        make_empowerment(9).reward(worlds.mdp, worlds)
