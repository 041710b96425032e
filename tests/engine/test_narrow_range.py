"""Searches between two neighbouring lines: what is left out is never best, and what is found is what others find."""

import numpy as np
import pytest

from engine.mdp.mdp import Floats
from engine.planning import policy_evaluation
from engine.planning.dynamic_programming import action_values
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off import narrow_range
from engine.planning.trade_off import supporting_lines as line_search
from engine.planning.trade_off.narrow_range import (
    NarrowIteration,
    count_mixed_visits,
    find_inside,
    find_live_actions,
    improve_rows,
    make_rows,
    narrow_iteration,
)
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.test_asynchronous import harmful
from tests.engine.test_hostile_worlds import THEMED, check_segments

ENDS = ((1.0, 0.2), (1.0, 0.9))
KERNELS = find_live_actions, find_inside, make_rows, count_mixed_visits, improve_rows
TOLD_BY_FRACTIONS = {26, 74, 96, 1_000_001}  # tables whose segments floating point does not tell, searched one way or the other


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> list[NarrowIteration]:
    """Search between neighbours in small tables too, without fractions; all such searches."""
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)
    monkeypatch.setattr(line_search, "LARGE", 0)
    monkeypatch.setattr(line_search, "FIRST_ROUNDS", ())
    monkeypatch.setattr(line_search, "LATER_ROUNDS", 4)
    monkeypatch.setattr(line_search, "find_rational_pieces", lambda *_: None)
    made, make = [], narrow_range.NarrowIteration.__init__

    def keep(search, *given) -> None:  # type: ignore[no-untyped-def]
        made.append(search)
        make(search, *given)

    monkeypatch.setattr(narrow_range.NarrowIteration, "__init__", keep)
    return made


def test_hostile_worlds_are_solved_between_neighbours_as_enumeration_does(narrow: list[NarrowIteration]) -> None:
    for number in (*range(100), *THEMED):
        if number not in TOLD_BY_FRACTIONS:
            check_segments(number)
    assert sum(search._found for search in narrow) > 30


@pytest.mark.parametrize("fails", [False, True], ids=["narrow", "whole"])
def test_lines_are_those_of_the_whole_table(
    fails: bool, narrow: list[NarrowIteration], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where value iteration takes too long: the search in the whole table goes on."""
    mdp, harm = harmful(9, 2)
    monkeypatch.setattr(line_search, "LARGE", 1_000)
    whole = find_segments(mdp, harm, 0, between=(-0.1, 3.0))
    monkeypatch.setattr(line_search, "LARGE", 0)
    if fails:
        monkeypatch.setattr(narrow_range, "improve_rows", lambda *_: False)
    found = find_segments(mdp, harm, 0, between=(-0.1, 3.0))
    assert len(found) == len(whole) > 40
    np.testing.assert_allclose([s.line for s in found], [s.line for s in whole], rtol=1e-14)
    np.testing.assert_allclose([s.start for s in found], [s.start for s in whole], rtol=1e-11)
    assert (sum(search._found for search in narrow) == 0) == fails


def make_search(side: int) -> tuple[NarrowIteration, PairIteration, Floats]:
    """A search between two coefficients, the whole one, and the harm."""
    mdp, harm = harmful(side, 2)
    whole = PairIteration(mdp, harm)
    left, right = ((whole.best(weights, (0.0, 1.0)).policy, weights) for weights in ENDS)
    narrowed = narrow_iteration(whole, left, right, 0)
    assert narrowed is not None
    return narrowed, whole, harm


def test_actions_that_are_left_out_are_best_nowhere_between_the_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """By plain value iteration; most actions are left out, and at each end's coefficient none that is best."""
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)
    narrowed, whole, harm = make_search(8)
    live = np.zeros(whole.allowed.shape, dtype=bool)
    origin = np.repeat(narrowed._order, np.diff(narrowed._rows[0]))
    live[origin, narrowed._action] = True
    for coefficient in np.linspace(ENDS[0][1], ENDS[1][1], 15):
        reward = whole.table.reward + coefficient * harm
        value = np.zeros(len(live))
        for _ in range(2_000):
            action_value = action_values(whole.table.with_reward(reward), value)
            value = np.where(whole.table.terminal, 0.0, action_value.max(axis=1))
        best = (action_value >= value[:, None] - 1e-12) & ~whole.table.terminal[:, None]
        inside = np.isin(np.arange(len(live)), narrowed._order)[:, None]
        assert not (best & inside & ~live).any()
    assert narrowed._order[narrowed._place[0]] == 0
    assert live.sum() < 1.6 * len(narrowed._order)


def test_compiled_kernels_of_a_narrow_range_and_their_plain_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)
    results = []
    for plain in (False, True):
        for kernel in KERNELS if plain else ():
            monkeypatch.setattr(narrow_range, kernel.__name__, kernel.py_func)
        search, whole, _ = make_search(4)
        rows = *search._rows, 1.0, 0.6, whole.finest
        assert narrow_range.improve_rows(*rows, search._choice, search._gain, 200)
        results.append([search._choice, search._gain, search._order, search._rows[8]])
    for compiled, plain_twin in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, plain_twin, rtol=1e-12, atol=1e-15)
