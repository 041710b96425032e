"""The random, constant and Q-learning agents, and the sources that they draw from."""

import random

import pytest

from engine.agent import Transition
from engine.agents.constant import Constant
from engine.agents.q_learning import QLearning
from engine.agents.random import Random
from engine.errors import BadValue, UnknownName
from engine.randomness.counter_based import randrange, split, uniform
from engine.randomness.random_sources import make_random_source


def test_keys_give_the_numbers_of_the_stateless_generator() -> None:
    source, key = make_random_source("keys", 7, "agents"), split(7, "agents")
    assert [source.uniform(k) for k in range(50)] == [uniform(key, k) for k in range(50)]
    assert [source.randrange(6, k) for k in range(50)] == [randrange(6, key, k) for k in range(50)]


def test_published_pools_are_agents_first_environments_second_and_repeat() -> None:
    generator = random.Random(3)
    numbers = [generator.random() for _ in range(200_000)]
    agents, environments = (
        make_random_source("published", 3, "agents"),
        make_random_source("published", 3, "environments"),
    )
    assert [agents.uniform(k) for k in (0, 1, 99_999, 100_000, 250_001)] == [
        numbers[k] for k in (0, 1, 99_999, 0, 50_001)
    ]
    assert environments.uniform(0) == numbers[100_000]


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'published'"):
        make_random_source("publishd", 1, "agents")


def test_q_learning_is_the_textbook_rule() -> None:
    learner = QLearning(learning_rate=0.5, discount=0.5).build(2, 2, key=1)
    learner.train(Transition(0, 1, 4.0, 1))
    learner.train(Transition(1, 0, 2.0, 0))
    learner.train(Transition(1, 0, 2.0, 0, terminated=True))
    assert learner.values.tolist() == [[0.0, 2.0], [1.75, 0.0]]


def test_q_learner_explores_as_often_as_epsilon_says_and_breaks_zero_rows_at_random() -> None:
    learner = QLearning(epsilon=0.25).build(2, 4, key=5)
    learner.train(Transition(0, 2, 1.0, 0))
    greedy, untouched = 0, [0] * 4
    for _ in range(4000):
        greedy += learner.act(0) == 2
        untouched[learner.act(1)] += 1
        learner.train(Transition(0, 2, 1.0, 0))
    assert greedy / 4000 == pytest.approx(0.75 + 0.25 / 4, abs=0.03)
    assert min(untouched) > 850


def test_q_learner_breaks_other_ties_by_the_lowest_action() -> None:
    learner = QLearning(epsilon=0.0).build(1, 3, key=0)
    for action in (2, 1):
        learner.train(Transition(0, action, 1.0, 0, terminated=True))
    assert learner.act(0) == 1


@pytest.mark.parametrize("setting", [{"epsilon": 1.5}, {"learning_rate": -0.1}, {"discount": float("nan")}])
def test_q_learning_refuses_settings_outside_their_range(setting: dict[str, float]) -> None:
    with pytest.raises(BadValue, match="give a number from 0 to 1"):
        QLearning(**setting)


def test_random_agent_draws_anew_after_each_training_and_not_before() -> None:
    agent = Random().build(1, 5, key=2)
    seen = []
    for _ in range(500):
        seen.append(agent.act(0))
        assert agent.act(0) == seen[-1]
        agent.train(Transition(0, 0, 0.0, 0))
    assert min(seen.count(action) for action in range(5)) > 60


def test_constant_agent_refuses_an_action_that_there_is_not() -> None:
    assert Constant(action=1).build(1, 2, key=0).act(0) == 1
    with pytest.raises(BadValue, match="action is 2; choose from 0 to 1"):
        Constant(action=2).build(1, 2, key=0)
