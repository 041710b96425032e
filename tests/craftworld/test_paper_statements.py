"""Proposition 1 and the sequential case of Eq 6, against plain breadth-first search in fractions; and they can fail."""

from collections import deque
from dataclasses import replace
from fractions import Fraction

import pytest

from caregrid.programmes.caring.statements import check_statements
from craftworld.others.value_distribution import ValueDistribution
from craftworld.paper_statements import check_termination, compare_sequential_case
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.errors import BadValue


def find_fewest_steps(scenario, begin):
    """The fewest steps to every state from one, and which of them are terminal, without any table."""
    import numpy as np

    kind = type(begin)
    known = {begin: 0}
    waiting = deque([begin])
    ends = {}
    while waiting:
        state = waiting.popleft()
        columns = kind(*(np.array([field]) for field in state))
        if bool(np.asarray(scenario.is_terminal(columns)).all()):
            ends[state] = known[state]
            continue
        for action in range(len(scenario.actions)):
            step = scenario.step(columns, action)
            following = kind(*(int(np.broadcast_to(field, 1)[0]) for field in step))
            if following not in known:
                known[following] = known[state] + 1
                waiting.append(following)
    return ends


@pytest.mark.parametrize("care", [Fraction(0), Fraction(1, 2), Fraction(3), Fraction(20)])
def test_both_optima_are_that_of_plain_search(care):
    """The playroom: every step costs 1, everywhere, for everybody."""
    import numpy as np

    scenario = SCENARIOS["playroom"]()
    [start] = scenario.starts()
    best = None
    for last, steps in find_fewest_steps(scenario, start).items():
        columns = type(last)(*(np.array([field]) for field in last))
        value = Fraction(-steps)
        for newcomer in scenario.newcomers():
            handed = scenario.handover(columns, newcomer)
            begin = type(handed)(*(int(np.broadcast_to(field, 1)[0]) for field in handed))
            fewest = min(find_fewest_steps(newcomer.scenario, begin).values())
            value -= care * Fraction(newcomer.probability).limit_denominator(1000) * fewest
        best = value if best is None else max(best, value)
    [case] = compare_sequential_case(make_problem(scenario, "expected"), [float(care)])
    assert case.in_turn == pytest.approx(float(best), abs=1e-12)
    assert case.at_once == pytest.approx(float(best), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "formulation"), [("garden", "per_agent"), ("icy_yard", "expected"), ("kitchen_salad", "expected")]
)
def test_at_once_is_in_turn_with_weights_chance_and_newcomers_that_cannot_finish(name, formulation):
    result = check_statements(make_problem(SCENARIOS[name](), formulation), [-0.5, 0.0, 0.3, 7.0])
    assert result.hold
    assert len(result.cases) >= 4


def test_a_wrong_value_is_found():
    """The joined world holds no values: where those that a problem was given are wrong, the two optima differ."""
    right = make_problem(SCENARIOS["playroom"](), "expected")
    assert isinstance(right.weighed, ValueDistribution)
    wrong = replace(right, weighed=replace(right.weighed, value=right.weighed.value + 1.0))
    result = check_statements(wrong, [2.0])
    assert not result.hold
    assert "DIFFERENT" in result.text()


def test_proposition_1_says_nothing_with_a_discount_where_the_optimum_may_not_end():
    check = check_termination(make_problem(SCENARIOS["playroom"](), "expected", discount=0.9))
    assert not check.applies
    assert [ends for _, _, ends in check.ends] == [True, True, True, True, False]
    assert check.holds


def test_where_it_applies_an_endless_optimum_would_contradict_it():
    check = check_termination(make_problem(SCENARIOS["playroom"](), "expected"))
    assert check.applies
    assert check.holds
    assert not check._replace(ends=[(0.0, 1.0, False)]).holds


def test_rewards_that_are_not_negative_everywhere_are_a_condition_that_fails():
    check = check_termination(make_problem(SCENARIOS["playroom"](), "expected", own=0.0))
    assert [words for words, holds in check.conditions.items() if not holds] == [
        "the own reward is negative everywhere"
    ]


def test_what_is_no_sum_and_other_discounts_are_refused():
    with pytest.raises(BadValue, match="no sum over those who come next"):
        compare_sequential_case(make_problem(SCENARIOS["playroom"](), "worst_case"), [1.0])
    with pytest.raises(BadValue, match=r"discounts by 1, the agent by 0\.9"):
        compare_sequential_case(make_problem(SCENARIOS["playroom"](), "expected", discount=0.9), [1.0])
