"""Sarsa and expected Sarsa: their updates by hand, compiled as plain, and what they learn beside a cliff."""

from __future__ import annotations

import numpy as np
import pytest

import xenv
from engine.agent import Transition, check_agent
from engine.agents.q_learning import QLearning
from engine.agents.sarsa import ExpectedSarsa, Sarsa
from engine.compiling.objects import explain_not_compilable
from xenv.names import agent_spec


@pytest.mark.parametrize("name", ["sarsa", "expected_sarsa"])
def test_they_keep_the_contract_of_agents(name: str) -> None:
    check_agent(agent_spec(name))
    assert explain_not_compilable(agent_spec(name).build(3, 2, 5)) is None


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("name", ["sarsa", "expected_sarsa"])
@pytest.mark.parametrize("environment", ["repeater", "crying_baby", "self_recognition"])
def test_compiled_is_plain(name: str, environment: str) -> None:
    plain = xenv.run_environment(environment, name, 400, key=3, compiled=False)
    assert xenv.run_environment(environment, name, 400, key=3, compiled=True) == plain


def test_sarsa_takes_the_action_that_is_taken_next() -> None:
    agent = Sarsa(learning_rate=0.5, discount=0.5).build(3, 2, 1)
    agent.values[:] = [[0.0, 0.0], [10.0, 2.0], [0.0, 0.0]]
    agent.train(Transition(0, 0, 1.0, 1))
    assert agent.values[0, 0] == 0.0  # it waits for the next action
    agent.train(Transition(1, 1, 0.0, 2))
    assert agent.values[0, 0] == 0.5 * (1.0 + 0.5 * 2.0)  # not 10, which Q-learning would take
    agent.train(Transition(2, 0, 7.0, 0, terminated=True))
    assert agent.values[1, 1] == 2.0 + 0.5 * (0.0 + 0.5 * 0.0 - 2.0)
    assert agent.values[2, 0] == 3.5


def test_an_episode_that_was_cut_takes_the_expectation() -> None:
    agent = Sarsa(epsilon=0.5, learning_rate=1.0, discount=1.0).build(3, 2, 1)
    agent.values[1] = [4.0, 0.0]
    agent.train(Transition(0, 0, 1.0, 1))
    agent.train(Transition(2, 0, 0.0, 2))
    assert agent.values[0, 0] == 1.0 + 0.5 * 4.0 + 0.5 * 2.0


def test_expected_sarsa_takes_the_mean_of_its_policy() -> None:
    agent = ExpectedSarsa(epsilon=0.2, learning_rate=1.0, discount=0.5).build(2, 4, 1)
    agent.values[1] = [1.0, 5.0, 2.0, 0.0]
    agent.train(Transition(0, 3, 1.0, 1))
    assert agent.values[0, 3] == pytest.approx(1.0 + 0.5 * (0.8 * 5.0 + 0.2 * 2.0))


WIDTH, HEIGHT = 6, 3


def _walk_the_cliff(spec: object, episodes: int) -> np.ndarray:
    """Sutton and Barto's cliff (example 6.6) on 6 x 3 cells: from the lower left to the lower right corner."""
    agent = spec.build(WIDTH * HEIGHT, 4, 7)  # type: ignore[attr-defined]
    start, goal = (HEIGHT - 1) * WIDTH, HEIGHT * WIDTH - 1
    for _ in range(episodes):
        cell = start
        for _ in range(500):
            action = agent.act(cell)
            row, column = divmod(cell, WIDTH)
            row = min(HEIGHT - 1, max(0, row + (-1, 1, 0, 0)[action]))
            column = min(WIDTH - 1, max(0, column + (0, 0, -1, 1)[action]))
            following = row * WIDTH + column
            falls = row == HEIGHT - 1 and 0 < column < WIDTH - 1
            following = start if falls else following
            agent.train(Transition(cell, action, -100.0 if falls else -1.0, following, following == goal))
            cell = following
            if cell == goal:
                break
    return np.asarray(agent.values.argmax(axis=1))


def _greedy_path(policy: np.ndarray) -> list[int]:
    cell, path = (HEIGHT - 1) * WIDTH, [(HEIGHT - 1) * WIDTH]
    while cell != HEIGHT * WIDTH - 1 and len(path) < 30:
        row, column = divmod(cell, WIDTH)
        row = min(HEIGHT - 1, max(0, row + (-1, 1, 0, 0)[policy[cell]]))
        column = min(WIDTH - 1, max(0, column + (0, 0, -1, 1)[policy[cell]]))
        cell = row * WIDTH + column
        path.append(cell)
    return path


def test_on_policy_learners_stay_away_from_the_cliff_and_q_learning_walks_along_it() -> None:
    settings = {"epsilon": 0.2, "learning_rate": 0.2, "discount": 1.0}
    along = range(WIDTH, 2 * WIDTH)
    risky = _greedy_path(_walk_the_cliff(QLearning(**settings), 3_000))
    assert set(risky[1:-1]) == set(along)
    for spec in (Sarsa(**settings), ExpectedSarsa(**settings)):
        safe = _greedy_path(_walk_the_cliff(spec, 3_000))
        assert set(safe) & set(range(WIDTH))
