"""Proposition 1: undiscounted and negative everywhere, optimal policies end; elsewhere they may not, and say so."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craftworld.formulations import FORMULATIONS
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import solve, solve_trade_off
from craftworld.solution.problem import augment, find_applicable_formulations, make_problem
from engine.mdp.mdp import TabularMDP
from engine.mdp.reachability import find_zero_cost_cycle_states
from engine.planning.dynamic_programming import is_proper, plan
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from engine.value_types import LIGHTEST
from tests.printed_json import printed_content

ASIDE = 0.25
LONG = 1500
CARES = st.floats(-20, 20).filter(lambda care: abs(care) >= LIGHTEST or care == 0.0)
ENDING = ("expected", "worst_case", "no_worse_off", "per_agent", "least_well_off")


@st.composite
def tables(draw, most_states=7, actions=3, highest=-1):
    """A random table: some states end, the last one always; every state can step towards it."""
    n = draw(st.integers(2, most_states))
    successor = st.integers(0, n - 1)
    target = np.array([[draw(successor) for _ in range(actions)] for _ in range(n)], dtype=np.int32)
    target[np.arange(n - 1), 0] = np.arange(1, n)  # action 0 leads on to the end
    reward = np.array([[draw(st.integers(-5, highest)) for _ in range(actions)] for _ in range(n)], dtype=float)
    terminal = np.array([draw(st.booleans()) if 0 < state < n - 1 else state == n - 1 for state in range(n)])
    target[terminal] = np.flatnonzero(terminal)[:, None]
    reward[terminal] = 0.0
    shape = (n, actions, 1)
    start = np.eye(n)[0]
    return TabularMDP(
        tuple(range(n)),
        {state: state for state in range(n)},
        tuple("abc"[:actions]),
        target.reshape(shape),
        np.ones(shape),
        reward.reshape(shape),
        terminal,
        start,
        1.0,
    )


def others(draw_value, n):
    value = np.array(draw_value, dtype=float).reshape(2, n)
    names = ("left", "right")
    return ValueDistribution(names, names, value, np.array([0.3, 0.7]), np.array([1.0, 2.0]), value[:, 0])


@settings(deadline=None, max_examples=150)
@given(data=st.data(), formulation=st.sampled_from(ENDING), care=CARES)
def test_negative_everywhere_and_undiscounted_means_terminating(data, formulation, care):
    mdp = data.draw(tables())
    n = len(mdp.terminal)
    values = data.draw(st.lists(st.integers(-50, 50), min_size=2 * n, max_size=2 * n))
    augmented = augment(mdp, others(values, n), FORMULATIONS[formulation], 1.0, care)
    assert is_proper(augmented, plan(augmented).policy)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), care=st.integers(-8, 8))
def test_segments_with_rewards_on_every_step_are_optimal_or_said_never_to_end(data, care):
    """Against value iteration of many steps: bounded optima agree, unbounded ones have an endless segment."""
    own = data.draw(tables(most_states=6, highest=0))
    n = len(own.terminal)
    extra = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=3 * n, max_size=3 * n)), dtype=float)
    auxiliary = np.where(own.terminal[:, None, None], 0.0, extra.reshape(n, 3, 1))
    coefficient = care + ASIDE
    segment = find_segment_at(find_segments(own, auxiliary, 0), coefficient)
    both = own.reward + coefficient * auxiliary
    if segment.line.own == -math.inf:
        assert _finite_horizon(own, both, 2 * LONG) > _finite_horizon(own, both, LONG) + ASIDE
    else:
        assert segment.line.at(coefficient) == pytest.approx(_ending(own, auxiliary, both), abs=1e-6)


def _ending(mdp, auxiliary, both):
    """The most that walks can collect from state 0 that end, or stay at no cost and no gain."""
    free = (mdp.reward == 0.0) & (auxiliary == 0.0)
    zero_cost = find_zero_cost_cycle_states(mdp.with_reward(np.where(free, 0.0, -1.0)))
    return _finite_horizon(mdp, both, 60, np.where(mdp.terminal | zero_cost, 0.0, -np.inf))


def _finite_horizon(mdp, reward, steps, last=0.0):
    """The most that `steps` steps can collect from state 0, and what the last state is worth."""
    value = np.zeros(len(mdp.terminal)) + last
    for _ in range(steps):
        onwards = (reward + value[mdp.next_state])[:, :, 0].max(axis=1)
        value = np.maximum(np.where(mdp.terminal, 0.0, onwards), last)
    return value[0]


@pytest.mark.parametrize("name", ["garden", "playroom", "mailroom", "workshop_auto"])
def test_every_optimum_of_the_scenarios_ends(name):
    world = SCENARIOS[name]()
    for formulation in find_applicable_formulations(world)[:5]:
        for segment in solve_trade_off(make_problem(world, formulation)):
            assert segment.outcome.handover is not None


def test_with_a_discount_care_can_make_ending_too_dear():
    """The paper's limitation: whoever comes suffers, so better never let them come."""
    problem = make_problem(SCENARIOS["playroom"](), "expected", discount=0.9)
    endless = solve_trade_off(problem)[-1].outcome
    assert endless.handover is None
    assert math.isnan(endless.total)
    assert endless.own == pytest.approx(-1 / (1 - 0.9))
    outcome, _ = solve(problem, 0.0)
    assert outcome.handover is not None


def test_a_free_loop_may_be_better_than_any_end():
    problem = make_problem(SCENARIOS["playroom"](), "expected", own=0.0)
    outcome, _ = solve(problem, 1.0)
    assert outcome.handover is None
    assert len(outcome.actions) < 100


def test_json_says_null_where_nothing_is_handed_over(capsys):

    from caregrid.main import main

    assert main(["breakpoints", "playroom", "--discount", "0.9", "--json"]) == 0
    result = printed_content(capsys.readouterr().out)
    assert result["segments"][-1]["handover"] is None
    assert result["segments"][-1]["total"] is None
    assert set(result) >= {"scenario", "formulation", "segments", "ties"}
    assert result["scenario"] == "playroom"
