"""Q-learning as in textbooks: what it learns, ties at random, chance, and what pessimistic initial values do to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue
from engine.learning import textbook_q_learning as module
from engine.learning.q_learning import QLearningSettings, greedy_policy
from engine.learning.textbook_q_learning import textbook_q_learning
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from tests.engine.worlds import corridor, numbered, tables

SHORT = QLearningSettings(steps=4_000, episode_steps=40, epsilon=0.5)


def fork() -> TabularMDP:
    """From state 0, actions 0 and 1 end with reward -1, action 2 with -5; three states, the last two terminal."""
    next_state = np.array([[[1], [1], [2]], [[1]] * 3, [[2]] * 3], dtype=np.int32)
    reward = np.array([[[-1.0], [-1.0], [-5.0]], [[0.0]] * 3, [[0.0]] * 3])
    return numbered(next_state, None, reward, [1, 2])


@given(tables(endable=True), st.integers(0, 2**64 - 1))
@settings(max_examples=40, deadline=None)
def test_optimistic_values_lead_to_what_is_planned(mdp: TabularMDP, key: int) -> None:
    learned = textbook_q_learning(mdp, key, SHORT, 0.0)
    assert learned[0].max() == pytest.approx(plan(mdp).value[0])


def test_pessimistic_values_stay_with_the_first_way_out() -> None:
    """Without exploration the way that was tried first is kept, whichever it was; ties are broken at random."""
    greedy = QLearningSettings(steps=50, epsilon=0.0)
    kept = [int(greedy_policy(textbook_q_learning(fork(), key, greedy, -1000.0))[0]) for key in range(200)]
    assert {action: kept.count(action) > 40 for action in set(kept)} == {0: True, 1: True, 2: True}
    explored = textbook_q_learning(fork(), 3, QLearningSettings(steps=200, epsilon=0.5), -1000.0)
    assert explored[0].tolist() == [-1.0, -1.0, -5.0]


def test_the_same_key_learns_the_same_bits_compiled_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    mdp, chosen = corridor(4), QLearningSettings(steps=40, episode_steps=20, learning_rate=0.3)
    compiled = [textbook_q_learning(mdp, key, chosen, -30.0) for key in (5, 5, 6)]
    monkeypatch.setattr(module, "_learn", module._learn.py_func)
    assert (compiled[0] == compiled[1]).all()
    assert (textbook_q_learning(mdp, 5, chosen, -30.0) == compiled[0]).all()
    assert (compiled[0] != compiled[2]).any()


def test_chance_and_unavailable_actions() -> None:
    mdp = tabulate(SCENARIOS["icy_yard"]())
    learned = textbook_q_learning(mdp, 1, QLearningSettings(steps=400_000, learning_rate=0.02, epsilon=0.3), 0.0)
    assert learned[0].max() == pytest.approx(-10.0, abs=0.5)
    assert mdp.available is not None
    assert np.isneginf(learned[~mdp.available & ~mdp.terminal[:, None]]).all()


def test_an_initial_value_is_a_finite_number() -> None:
    with pytest.raises(BadValue, match="initial action value nan"):
        textbook_q_learning(corridor(3), 0, SHORT, float("nan"))
