"""Episodes: every step counts, both endings are kept apart, and chance follows the key."""

import numpy as np
import pytest

from engine.errors import BadValue
from engine.mdp.mdp import TabularMDP
from engine.mdp.policies import rollout
from engine.planning.dynamic_programming import evaluate_policy
from tests.engine.worlds import corridor


def test_an_episode_holds_what_happened() -> None:
    episode = rollout(corridor(3), lambda state: 0, 0, limit=10)
    assert episode.ending == "terminated"
    assert episode.states == (0, 1, 2, 3)
    assert episode.actions == ("on", "on", "on")
    assert [step.reward for step in episode.steps] == [-1.0, -1.0, -1.0]
    assert episode.total() == -3.0
    assert episode.total(0.5) == -1.75
    assert [(step.state, step.next_state) for step in episode.steps] == [(0, 1), (1, 2), (2, 3)]


def test_the_clock_truncates_and_does_not_terminate() -> None:
    episode = rollout(corridor(3), lambda state: 1, 0, limit=4)
    assert episode.ending == "truncated"
    assert len(episode.steps) == 4
    assert rollout(corridor(3), lambda state: 0, 0, limit=3).ending == "terminated"
    assert rollout(corridor(3), lambda state: 0, 0, limit=2).ending == "truncated"


def test_an_episode_that_begins_at_its_end() -> None:
    episode = rollout(corridor(2), lambda state: 0, 2, limit=5)
    assert (episode.steps, episode.ending, episode.states, episode.total()) == ((), "terminated", (2,), 0.0)


def test_no_steps_are_no_episode() -> None:
    with pytest.raises(BadValue, match="allow at least one step"):
        rollout(corridor(1), lambda state: 0, 0, limit=0)


def test_chance_follows_its_probabilities_and_its_key() -> None:
    table = corridor(1)
    coin = TabularMDP(
        **{
            **vars(table),
            "next_state": np.array([[[1, 0], [1, 0]], [[1, 0], [1, 0]]], dtype=np.int32),
            "probability": np.array([[[0.3, 0.7]] * 2, [[1.0, 0.0]] * 2]),
            "reward": np.array([[[-1.0, -1.0]] * 2, [[0.0, 0.0]] * 2]),
        }
    )
    totals = [rollout(coin, lambda state: 0, 0, 1000, key).total() for key in range(3000)]
    expected = evaluate_policy(coin, np.zeros(2, dtype=np.int32))[0]
    assert expected == pytest.approx(-1 / 0.3)
    assert np.mean(totals) == pytest.approx(expected, abs=0.25)
    assert rollout(coin, lambda state: 0, 0, 1000, 7) == rollout(coin, lambda state: 0, 0, 1000, 7)
