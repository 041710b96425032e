"""Two rewards within a number of steps, against all policies that may depend on the steps left."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.planning.finite_horizon import count_states_within, plan_finite_horizon, plan_finite_horizon_pair
from tests.engine.random_tables import ACTIONS, STATES, drawn

STEPS = 2


@pytest.mark.slow_cases(beyond=20)
@pytest.mark.parametrize("number", range(40))
def test_all_policies_of_two_steps(number: int) -> None:
    mdp, auxiliary, own_scale, auxiliary_scale = drawn(number)
    expected = [(mdp.probability * reward).sum(axis=2) for reward in (mdp.reward, auxiliary)]
    returns = []
    acting = STATES - 1
    for policies in itertools.product(itertools.product(range(ACTIONS), repeat=acting), repeat=STEPS):
        pair = np.zeros((2, STATES))
        for policy in policies:
            chosen = np.array([*policy, 0])
            chance, target = mdp.probability[range(STATES), chosen], mdp.next_state[range(STATES), chosen]
            earned = [each[range(STATES), chosen] for each in expected]
            pair = np.array(
                [
                    now + mdp.discount * (chance * later[target]).sum(axis=1)
                    for now, later in zip(earned, pair, strict=True)
                ]
            )
            pair[:, mdp.terminal] = 0.0
        returns.append(pair)
    first, second = np.array(returns).swapaxes(0, 1)
    best = first.max(axis=0)
    tied = first >= best - 1e-6 * own_scale
    everywhere = replace(mdp, start=np.full(STATES, 1 / STATES))
    value, extra, worst = plan_finite_horizon_pair(everywhere, auxiliary, STEPS)
    for each, some in zip(plan_finite_horizon_pair(mdp, auxiliary, STEPS), (value, extra, worst), strict=True):
        np.testing.assert_array_equal(each, some[mdp.start_states()])
    np.testing.assert_allclose(value, best, atol=1e-9 * own_scale)
    np.testing.assert_allclose(value, plan_finite_horizon(mdp, STEPS).value, atol=0)
    np.testing.assert_allclose(extra, np.where(tied, second, -np.inf).max(axis=0), atol=1e-9 * auxiliary_scale)
    np.testing.assert_allclose(worst, np.where(tied, second, np.inf).min(axis=0), atol=1e-9 * auxiliary_scale)


def test_with_few_steps_left_only_states_are_backed_up_that_may_be_reached_by_then() -> None:
    line = np.minimum(np.arange(1, 8), 6).astype(np.int32)[:, None, None]
    mdp = TabularMDP(
        tuple(range(7)), {n: n for n in range(7)}, ("on",), line, np.ones(line.shape), np.ones(line.shape),
        np.arange(7) == 6, np.eye(7)[0], 1.0,
    )  # fmt: skip
    assert count_states_within(mdp, 3) == [1, 2, 3, 4]
    assert count_states_within(mdp, 9) == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]
    assert plan_finite_horizon_pair(mdp, -mdp.reward, 4) == ([4.0], [-4.0], [-4.0])


def test_a_negative_number_of_steps_is_refused() -> None:
    mdp, auxiliary, *_ = drawn(0)
    with pytest.raises(BadValue, match="-1 steps"):
        plan_finite_horizon_pair(mdp, auxiliary, -1)
