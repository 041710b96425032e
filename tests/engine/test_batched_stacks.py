"""Twin: the batched arithmetic in torch and the compiled one agree after a thousand gradient steps."""

import numpy as np
import pytest

pytest.importorskip("torch")

from engine.agent import Transition
from engine.errors import BadValue
from engine.learning.stacks.lanes import ActionValueSettings, PolicySettings
from engine.learning.stacks.rules import make_batched_arithmetic
from engine.learning.stacks.stacks import Stacks, make_stacks
from engine.randomness.counter_based import randrange

DQN = ActionValueSettings(100, 1, 16, 0.5, 0.9, 1, 1, 50, 0.1, 1.0, 0.05, 10.0, 100)
A2C = PolicySettings(5, 5, 1, 0.99, 0.9, 0.0, False, 0.05, 0.5, 0.5, 1e-5)
PPO = PolicySettings(30, 8, 4, 0.99, 0.95, 0.2, True, 0.01, 0.5, 0.5, 1e-5)
RULES = {
    "dqn": (DQN, 1_010),
    "a2c_rmsprop": (A2C, 5_050),
    "a2c_adam": (A2C, 500),
    "ppo": (PPO, 1_920),
    "ppo_redrawn": (PPO, 960),
}


def transition(turn, key, n_observations):
    seen = [randrange(n_observations, key, 0, turn + ahead) for ahead in range(2)]
    return Transition(
        seen[0], randrange(3, key, 1, turn), float(randrange(3, key, 2, turn) - 1), seen[1], turn % 9 == 8
    )


@pytest.mark.slow_cases("dqn-1", "a2c_rmsprop-1", "a2c_adam-1", "ppo-1", "ppo_redrawn-1", "a2c_rmsprop-3")
@pytest.mark.parametrize("n_observations", [1, 3, 40])
@pytest.mark.parametrize("rule", RULES)
def test_both_arithmetics_learn_the_same(rule, n_observations):
    settings, turns = RULES[rule]
    turns //= {1: 20, 3: 1, 40: 5}[n_observations]  # with one observation differences of rounding grow fastest
    compiled, in_torch = (
        [stacks.make_lane(rule, n_observations, 3, settings, key, 1e-3) for key in (1, 2)]
        for stacks in (Stacks(), Stacks(make_batched_arithmetic("cpu")))
    )
    for turn in range(turns):
        for key, (one, other) in enumerate(zip(compiled, in_torch, strict=True)):
            turned = transition(turn, key, n_observations)
            assert one.act(turned.observation) == other.act(turned.observation)
            one.train(turned)
            other.train(turned)
    for one, other in zip(compiled, in_torch, strict=True):
        ours, theirs = one.weights(), other.fork().weights()
        assert ours.keys() == theirs.keys()
        for name, weight in ours.items():
            np.testing.assert_allclose(theirs[name], weight, atol=5e-5, rtol=1e-3, err_msg=name)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("rule", RULES)
def test_a_lane_among_many_is_close_to_the_learner_alone(rule):
    settings, turns = RULES[rule]
    turns //= 4
    stacks = Stacks(make_batched_arithmetic("cpu"))
    lanes = [stacks.make_lane(rule, 3, 3, settings, key, 1e-3 * (key + 1)) for key in range(7)]
    alone = Stacks(make_batched_arithmetic("cpu")).make_lane(rule, 3, 3, settings, 4, 5e-3)
    for turn in range(turns):
        for key, lane in enumerate(lanes):
            lane.train(transition(turn, key, 3))
        alone.train(transition(turn, 4, 3))
    for name, weight in alone.weights().items():
        np.testing.assert_allclose(lanes[4].weights()[name], weight, atol=1e-5, rtol=1e-4, err_msg=name)


@pytest.mark.parametrize("rule", RULES)
def test_a_diverged_learner_answers_on_beside_others(rule):
    stacks = Stacks(make_batched_arithmetic("cpu"))
    diverging, other = (stacks.make_lane(rule, 2, 3, RULES[rule][0], key, rate) for key, rate in ((1, 1e30), (2, 1e-3)))
    for turn in range(130):
        diverging.train(transition(turn, 1, 2)._replace(reward=float("inf")))
        other.train(transition(turn, 2, 2))
        assert diverging.act(0) in range(3)
    assert all(np.isfinite(weight).all() for weight in other.weights().values())


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(BadValue, match=r"'nonsense'.*choose cpu"):
        make_stacks("nonsense")
    assert isinstance(make_stacks("cpu"), Stacks)
