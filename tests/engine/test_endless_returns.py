"""Returns that do not end have one meaning: in values, plans, segments, regions and certificates."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.certificates.interval import enclose_exactly
from engine.planning.certificates.trade_off import OptimumBounds, certify
from engine.planning.coefficient_regions import CoefficientDomain, CoverageSet
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.reward_regions import find_reward_regions
from engine.planning.trade_off.envelope import undo_rounding
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from tests.engine.worlds import numbered

ROOM, FIRST, SECOND, END = range(4)


def make_two_traps(pays: tuple[float, float], chance: float = 0.5) -> TabularMDP:
    """From a room the agent leaves at -1, or falls into one of two traps by chance; a step in each pays something."""
    next_state = np.full((4, 2, 2), END, dtype=np.int32)
    next_state[ROOM, 1] = FIRST, SECOND
    next_state[FIRST], next_state[SECOND] = FIRST, SECOND
    probability = np.zeros(next_state.shape)
    probability[:, :, 0] = 1.0
    probability[ROOM, 1] = chance, 1.0 - chance
    reward = np.zeros(next_state.shape)
    reward[ROOM, 0], reward[FIRST], reward[SECOND] = -1.0, pays[0], pays[1]
    return numbered(next_state, probability, reward, [END], actions=("leave", "fall"))


def find_regions(mdp: TabularMDP, *others: Floats) -> CoverageSet:
    axes = len(others)
    domain = CoefficientDomain.box([0.0] * axes, [math.inf] * axes)
    return find_reward_regions(mdp, {0: [mdp.reward, *others]}, domain)


def enter(mdp: TabularMDP, state: int, amount: float) -> Floats:
    """f64[S, A, K]: an amount on every step of one state."""
    reward = np.zeros(mdp.reward.shape)
    reward[state] = amount
    return reward


@pytest.mark.parametrize(
    ("pays", "value"),
    [
        ((1.0, 1.0), math.inf),
        ((1.0, 0.0), math.inf),
        ((0.0, 0.0), 0.0),
        ((1.0, -1e-9), -1.0),
        ((-1.0, -1.0), -1.0),
    ],
)
def test_a_gain_counts_unless_it_risks_a_loss_for_ever(pays: tuple[float, float], value: float) -> None:
    mdp = make_two_traps(pays)
    solution = plan(mdp)
    assert solution.value[ROOM] == value
    assert evaluate_policy(mdp, solution.policy)[ROOM] == value
    assert evaluate_policy(mdp, np.ones(4, dtype=np.int32))[ROOM] == (
        -math.inf if min(pays) < 0.0 else max(pays) and value
    )


def test_no_certificate_says_that_nothing_is_better_than_to_leave_where_two_traps_pay_for_ever() -> None:
    mdp = make_two_traps((1.0, 1.0))
    nothing = np.zeros(mdp.reward.shape)
    segments = find_segments(mdp, nothing, ROOM)
    assert [segment.line.own for segment in segments] == [-math.inf]
    assert segments[0].policy is not None
    assert segments[0].policy[ROOM] == 1
    assert OptimumBounds(mdp, nothing, start=ROOM).upper((Fraction(1), Fraction(0))) is None
    assert OptimumBounds(make_two_traps((1.0, -1.0)), nothing, start=ROOM).upper((Fraction(1), Fraction(0))) == -1


def test_two_traps_gain_together_in_the_middle_of_a_range() -> None:
    """One trap pays c - 1 a step, the other 2 - c: from 1 to 2 neither loses."""
    mdp = make_two_traps((-1.0, 2.0))
    auxiliary = enter(mdp, FIRST, 1.0) + enter(mdp, SECOND, -1.0)
    segments = find_segments(mdp, auxiliary, ROOM)
    assert [(one.start, one.stop, one.line.own) for one in segments] == [
        (-math.inf, 1.0, -1.0),
        (1.0, 2.0, -math.inf),
        (2.0, math.inf, -1.0),
    ]
    assert find_segment_at(segments, 1.5).policy is not None
    certificate = certify(mdp, auxiliary, ROOM, segments)
    assert certificate.loss.amount == 0
    with pytest.raises(BadValue, match="several traps gain for ever together"):
        find_regions(mdp, auxiliary)


def test_regions_end_where_a_trap_gains() -> None:
    """To stay costs 2 a step and gives each of two others 1."""
    next_state = np.array([[[2], [1]], [[1], [1]], [[2], [2]]], dtype=np.int32)
    mdp = numbered(next_state, None, np.array([[[-1.0], [-2.0]], [[-2.0], [-2.0]], [[0.0], [0.0]]]), [2])
    gift = enter(mdp, 1, 1.0)
    assert [one.stop for one in find_segments(mdp, 2 * gift, 0)] == [1.0, math.inf]
    found = find_regions(mdp, gift, gift)
    assert found.limits.tolist() == [[1.0, 1.0, 2.0]] or (found.limits * 2).tolist() == [[1.0, 1.0, 2.0]]
    assert found.is_finite(np.array([0.9, 0.9]))
    assert not found.is_finite(np.array([5.0, 5.0]))


def test_a_cycle_that_only_a_risk_leads_to_is_no_limit() -> None:
    """From the room a gamble leads to a hall, in which one may gain or leave, or into a trap that costs for ever."""
    mdp = make_two_traps((0.0, -1.0))
    next_state = mdp.next_state.copy()
    next_state[FIRST, 0] = END
    hall = replace(mdp, next_state=next_state)
    auxiliary = enter(hall, FIRST, 1.0)
    auxiliary[FIRST, 0] = 0.0
    [segment] = find_segments(hall, auxiliary, ROOM)
    assert (segment.start, segment.stop, segment.line) == (-math.inf, math.inf, (-1.0, 0.0))
    assert find_segments(hall, auxiliary, FIRST)[-1].line.own == -math.inf
    assert len(find_regions(hall, auxiliary).limits) == 0


@pytest.mark.parametrize(
    ("rewards", "value"), [((3.0, -1.0), math.inf), ((1.0, -3.0), -math.inf), ((1.0, -1.0), math.nan)]
)
@pytest.mark.parametrize("successors", [1, 2])
def test_cycles_of_both_signs_have_a_value(rewards: tuple[float, float], value: float, successors: int) -> None:
    next_state = np.array([[[1, 1]], [[0, 0]], [[2, 2]]], dtype=np.int32)[:, :, :successors]
    reward = np.zeros(next_state.shape)
    reward[0], reward[1] = rewards
    mdp = numbered(next_state, np.full(next_state.shape, 1 / successors), reward, [2])
    for found in (evaluate_policy(mdp, np.zeros(3, dtype=np.int32)), plan(mdp).value):
        np.testing.assert_array_equal(found, [value, value, 0.0])


def test_a_plan_that_could_rest_leaves_for_its_value() -> None:
    """From state 0 the agent rests at 0, or leaves for 2, paid on the way; to wait a step ties with leaving at once."""
    next_state = np.array([[[0, 0], [1, 1]], [[2, 2], [2, 2]], [[3, 3], [3, 3]], [[3, 3], [3, 3]]], dtype=np.int32)
    reward = np.zeros(next_state.shape)
    reward[1] = 2.0
    mdp = numbered(next_state, np.full(next_state.shape, 0.5), reward, [3])
    solution = plan(mdp)
    np.testing.assert_array_equal(solution.value, [2.0, 2.0, 0.0, 0.0])
    np.testing.assert_array_equal(evaluate_policy(mdp, solution.policy), solution.value)


def test_small_losses_are_no_ties_beside_large_rewards() -> None:
    """Elsewhere a step pays 10^9; here the first action loses a little that a tolerance of 10^9 units would hide."""
    next_state = np.array([[[2], [2]], [[2], [2]], [[2], [2]]], dtype=np.int32)
    mdp = numbered(next_state, None, np.array([[[0.25], [0.5]], [[1e9], [1e9]], [[0.0], [0.0]]]), [2], 0.9)
    assert plan(mdp).policy[0] == 1
    assert plan(replace(mdp, discount=1.0, reward=mdp.reward - 1.0)).policy[0] == 1


def test_an_error_bounds_how_far_a_printed_number_is_from_an_exact_one() -> None:
    third = enclose_exactly(Fraction(1, 3))
    assert Fraction(third.error(1 / 3)) >= abs(Fraction(1, 3) - Fraction(1 / 3)) > 0
    assert third.error(0.5) == pytest.approx(1 / 6)
    assert enclose_exactly(2).error(2.0) == 0.0


@pytest.mark.parametrize(("number", "noise"), [(1000010.03, 0.04), (62573.07, 0.08), (0.17, 0.18)])
def test_a_break_point_does_not_snap_to_a_number_that_noise_cannot_tell(number: float, noise: float) -> None:
    assert undo_rounding(number, noise) == number


def test_what_gains_everywhere_is_still_refused() -> None:
    mdp = make_two_traps((1.0, 1.0))
    open_traps = mdp.next_state.copy()
    open_traps[[FIRST, SECOND], 1] = END
    with pytest.raises(NoPlan, match="positive reward at every coefficient"):
        find_segments(replace(mdp, next_state=open_traps), np.zeros(mdp.reward.shape), ROOM)
