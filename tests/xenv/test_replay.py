"""The replay memory: a ring, drawn by key, deep copies independent."""

import copy

import numpy as np

from engine.agent import Transition
from xenv.deep.action_value import Replay


def filled(capacity, turns, key=1):
    memory = Replay(capacity, key)
    for turn in range(turns):
        memory.add(Transition(turn, turn % 3, turn / 4, turn + 1, turn % 5 == 4))
    return memory


def test_the_oldest_gives_way():
    memory = filled(10, 25)
    assert len(memory) == 10
    drawn = memory.draw(500)
    assert set(drawn.observation.tolist()) == set(range(15, 25))
    np.testing.assert_array_equal(drawn.next_observation, drawn.observation + 1)
    np.testing.assert_array_equal(drawn.action, drawn.observation % 3)
    np.testing.assert_array_equal(drawn.reward, drawn.observation / 4)
    np.testing.assert_array_equal(drawn.terminated, drawn.observation % 5 == 4)


def test_draws_are_fresh_uniform_and_a_function_of_the_key():
    one, same, other = filled(8, 8), filled(8, 8), filled(8, 8, key=2)
    first, second = one.draw(4000), one.draw(4000)
    np.testing.assert_allclose(np.bincount(first.observation) / 4000, 1 / 8, atol=0.03)
    assert not np.array_equal(first.observation, second.observation)
    np.testing.assert_array_equal(first.observation, same.draw(4000).observation)
    assert not np.array_equal(first.observation, other.draw(4000).observation)


def test_a_deep_copy_goes_its_own_way():
    memory = filled(10, 4)
    twin = copy.deepcopy(memory)
    np.testing.assert_array_equal(copy.deepcopy(twin).draw(50).observation, copy.deepcopy(memory).draw(50).observation)
    twin.add(Transition(99, 0, 0.0, 99))
    assert len(memory) == 4
    assert 99 in twin.draw(200).observation
    assert 99 not in memory.draw(200).observation
