"""Definition 1 and Proposition 1 of "Be Considerate": proper policies, their states, and zero-cost cycles."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.mdp.mdp import TabularMDP
from engine.mdp.reachability import (
    find_almost_sure_policy,
    find_proper_states,
    find_zero_cost_cycle_actions,
    find_zero_cost_cycle_states,
    has_proper_policy,
)
from engine.planning.dynamic_programming import compute_ending_probability, describe_ending, plan
from tests.engine.worlds import corridor, numbered, tables

EXAMPLES = 100
FREE_OR_COSTS = st.integers(-1, 0).map(float)
LONG = 12


def probability_of_ending(mdp: TabularMDP, policy: np.ndarray[tuple[int], np.dtype[np.int32]]) -> np.ndarray:  # type: ignore[type-arg]
    """f64[S]: how likely an episode is over after 2^LONG-many steps, by squaring the transition matrix."""
    states = np.arange(len(policy))
    step = np.zeros((len(states), len(states)))
    for k in range(mdp.next_state.shape[2]):
        np.add.at(step, (states, mdp.next_state[states, policy, k]), mdp.probability[states, policy, k])
    return np.linalg.matrix_power(step, 2**LONG) @ mdp.terminal


def random_policies(mdp: TabularMDP) -> itertools.product:  # type: ignore[type-arg]
    return itertools.product(*([range(1 if over else len(mdp.actions)) for over in mdp.terminal]))


@given(tables(successors=2, most_states=5))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_policy_is_proper_where_its_probability_of_ending_is_one(mdp: TabularMDP) -> None:
    somewhere = np.zeros(len(mdp.terminal), dtype=np.bool_)
    for choice in itertools.islice(random_policies(mdp), 100):
        policy = np.array(choice, dtype=np.int32)
        np.testing.assert_array_equal(find_proper_states(mdp, policy), probability_of_ending(mdp, policy) > 1 - 1e-6)
        somewhere |= find_proper_states(mdp, policy)
    assert (somewhere <= has_proper_policy(mdp)).all()


@given(tables(successors=2, most_states=5))
@settings(max_examples=EXAMPLES, deadline=None)
def test_one_policy_is_proper_wherever_some_policy_is(mdp: TabularMDP) -> None:
    everything = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    policy = find_almost_sure_policy(mdp, everything, mdp.terminal)
    possible = has_proper_policy(mdp)
    np.testing.assert_array_equal(policy >= 0, possible & ~mdp.terminal)
    np.testing.assert_array_equal(find_proper_states(mdp, np.maximum(policy, 0))[possible], True)


@given(tables(rewards=FREE_OR_COSTS, successors=2, most_states=5))
@settings(max_examples=EXAMPLES, deadline=None)
def test_zero_cost_cycles_never_end_and_have_reward_0(mdp: TabularMDP) -> None:
    cyclic = find_zero_cost_cycle_states(mdp)
    allowed = find_zero_cost_cycle_actions(mdp, cyclic)
    np.testing.assert_array_equal(allowed.any(axis=1), cyclic)
    assert not (cyclic & mdp.terminal).any()
    for s, a in np.argwhere(allowed):
        possible = mdp.probability[s, a] > 0
        assert cyclic[mdp.next_state[s, a, possible]].all()
        assert (mdp.reward[s, a, possible] == 0.0).all()


@given(tables(bonus=st.integers(-1000, 1000).map(float), successors=3, endable=True))
@settings(max_examples=EXAMPLES, deadline=None)
def test_proposition_1(mdp: TabularMDP) -> None:
    """gamma 1, rewards on the way negative, some policy terminates: every optimal policy does, whatever ending adds."""
    assert has_proper_policy(mdp).all()
    assert find_proper_states(mdp, plan(mdp).policy).all()


@given(tables(bonus=st.integers(-1000, -1).map(float), successors=3, endable=True, discount=0.9))
@settings(max_examples=EXAMPLES, deadline=None)
def test_discounted_optima_need_not_be_proper_but_it_can_be_said(mdp: TabularMDP) -> None:
    policy = plan(mdp).policy
    np.testing.assert_array_equal(find_proper_states(mdp, policy), probability_of_ending(mdp, policy) > 1 - 1e-6)


def test_the_papers_limitation_shows_with_a_discount_and_with_zero_cost_cycles() -> None:
    """Both conditions of Proposition 1 matter: drop one, and an optimal policy may put the end off for ever."""
    for discount, step in ((0.9, -1.0), (1.0, 0.0)):
        avoided = corridor(2, discount, step)
        avoided.reward[1, 0, 0] = -100.0
        assert not find_proper_states(avoided, plan(avoided).policy)[0]
    avoided = corridor(2)
    avoided.reward[1, 0, 0] = -100.0
    assert find_proper_states(avoided, plan(avoided).policy).all()


def test_a_risky_way_out_is_none() -> None:
    """One action leads out or into a trap: no policy is proper there, and optimal ones keep away where they can."""
    next_state = np.array([[[1, 1], [2, 2]], [[3, 2], [1, 1]], [[2, 2], [2, 2]], [[3, 3], [3, 3]]], dtype=np.int32)
    half = np.full(next_state.shape, 0.5)
    risky = numbered(next_state, half, -2.0 * half, [3])
    np.testing.assert_array_equal(has_proper_policy(risky), [False, False, False, True])
    np.testing.assert_array_equal(plan(risky).value, [-np.inf, -np.inf, -np.inf, 0])


@settings(max_examples=EXAMPLES, deadline=None)
@given(tables(successors=2, most_states=5), st.integers(0, 10**6))
def test_how_likely_a_policy_ends(mdp: TabularMDP, number: int) -> None:
    policies = list(itertools.islice(random_policies(mdp), 200))
    policy = np.array(policies[number % len(policies)], dtype=np.int32)
    expected = probability_of_ending(mdp, policy)
    for state in range(len(mdp.terminal)):
        found = compute_ending_probability(mdp, policy, state)
        assert abs(found - expected[state]) < 1e-6
        assert (found == 1.0) == bool(find_proper_states(mdp, policy)[state])
        assert describe_ending(found) == (
            "" if found == 1.0 else "never ends" if not found else f"ends with probability {found:.3g}"
        )
