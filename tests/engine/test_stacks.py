"""Lanes of stacks: one in a stack of any size is the same, bit for bit; rows are copied, given back and never mixed."""

import gc
import tracemalloc

import numpy as np
import pytest

pytest.importorskip("torch")

from engine.agent import Transition
from engine.errors import ContractBroken
from engine.learning.stacks.lanes import ActionValueSettings, PolicySettings
from engine.learning.stacks.stacks import Stacks
from engine.randomness.counter_based import randrange

DQN = ActionValueSettings(100, 1, 8, 1.0, 0.99, 1, 1, 50, 0.1, 1.0, 0.05, 10.0, 100)
A2C = PolicySettings(2, 2, 1, 0.99, 1.0, 0.0, False, 0.01, 0.5, 0.5, 1e-5)
PPO = PolicySettings(8, 4, 3, 0.99, 0.95, 0.2, True, 0.0, 0.5, 0.5, 1e-5)
RULES = {"dqn": DQN, "a2c_rmsprop": A2C, "a2c_adam": A2C, "ppo": PPO, "ppo_redrawn": PPO}
each = pytest.mark.parametrize("rule", RULES)


def lane(stacks, rule, key=0, rate=1e-3, n_observations=4, n_actions=3):
    return stacks.make_lane(rule, n_observations, n_actions, RULES[rule], key, rate)


def past(turns, key, n_observations=4, n_actions=3):
    seen = [randrange(n_observations, key, 0, turn) for turn in range(turns + 1)]
    actions = [randrange(n_actions, key, 1, turn) for turn in range(turns)]
    rewards = [float(randrange(5, key, 2, turn) - 2) for turn in range(turns)]
    return [Transition(seen[t], actions[t], rewards[t], seen[t + 1], t % 11 == 10) for t in range(turns)]


def bytes_of(learner):
    return {name: weight.tobytes() for name, weight in learner.weights().items()}


def test_greedy_actions_are_those_of_the_greatest_value():
    learner = lane(Stacks(), "dqn", rate=1e-2, n_observations=40)
    for transition in past(200, 1, n_observations=40):
        learner.train(transition)
    assert (learner.action_values().argmax(axis=1) == learner.greedy()).all()
    assert len(set(learner.greedy().tolist())) > 1


@pytest.mark.slow_cases(beyond=2)
@each
def test_a_lane_among_many_is_the_learner_alone_bit_for_bit(rule):
    """A thousand gradient steps and more, beside lanes that are trained at another pace."""
    turns = {"dqn": 1_050, "ppo": 1_400, "ppo_redrawn": 1_400}.get(rule, 2_100)
    stacks, alone = Stacks(), lane(Stacks(), rule, key=3, rate=2e-3)
    others = [lane(stacks, rule, key=key, rate=1e-3 * (key + 1)) for key in range(3)]
    among = lane(stacks, rule, key=3, rate=2e-3)
    others += [lane(stacks, rule, key=key) for key in range(7, 11)]
    stream = past(turns, 1)
    for turn, transition in enumerate(stream):
        for number, other in enumerate(others):
            for repeated in range(turn % (number + 1) == 0):
                other.train(stream[(turn + number + repeated) % turns])
        observation = transition.observation
        assert among.act(observation) == alone.act(observation)
        among.train(transition)
        alone.train(transition)
    assert bytes_of(among) == bytes_of(alone)
    assert len({tuple(bytes_of(other).values()) for other in others}) == len(others)


@each
def test_a_fork_is_a_row_of_its_own(rule):
    stacks = Stacks()
    original, untouched = (lane(stacks, rule, key=5) for _ in range(2))
    for transition in past(37, 2):
        original.train(transition)
        untouched.train(transition)
    twin = original.fork()
    assert twin.row != original.row
    assert bytes_of(twin) == bytes_of(original)
    for transition in past(50, 3):
        assert [twin.act(o) for o in range(4)] == [twin.act(o) for o in range(4)]
        twin.train(transition)
    assert bytes_of(original) == bytes_of(untouched)
    for transition in past(50, 3):
        original.train(transition)
    assert bytes_of(original) == bytes_of(twin)
    assert [original.act(o) for o in range(4)] == [twin.act(o) for o in range(4)]


@pytest.mark.slow_cases(beyond=1)
@each
def test_rows_of_lanes_that_nobody_has_are_used_again(rule):
    fresh = lane(Stacks(), rule)
    for transition in past(200, 4):
        copy = fresh.fork()
        copy.train(transition)
        copy.act(0)
    gc.collect()
    assert fresh.fork().row <= 3


@each
def test_a_row_that_is_used_again_holds_nothing_of_its_past(rule):
    stacks, expected = Stacks(), lane(Stacks(), rule, key=9)
    used = lane(stacks, rule, key=8)
    for transition in past(60, 5):
        used.train(transition)
    used.act(0)  # a lane that waits to learn is in use
    row = used.row
    del used
    again = lane(stacks, rule, key=9)
    assert again.row == row
    for transition in past(60, 6):
        assert again.act(2) == expected.act(2)
        again.train(transition)
        expected.train(transition)
    assert bytes_of(again) == bytes_of(expected)


@each
def test_many_observations_are_looked_up_when_asked(rule):
    few, many = (lane(Stacks(), rule, key=1, n_observations=n) for n in (31, 500))
    for transition in past(40, 7, n_observations=31):
        for learner in (few, many):
            learner.train(transition)
            assert learner.act(transition.observation) in range(3)
    answers = [many.act(observation) for observation in range(500)]
    assert answers == [many.act(observation) for observation in range(500)]
    with pytest.raises(ContractBroken, match="observation 500"):
        many.act(500)


@each
@pytest.mark.parametrize("wrong", [(4, 0, 0.0, 0), (0, 3, 0.0, 0), (0, -1, 0.0, 0), (0, 0, 0.0, -1)], ids=str)
def test_transitions_out_of_range_are_refused_before_they_are_noted(rule, wrong):
    learner = lane(Stacks(), rule)
    with pytest.raises(ContractBroken, match="observations are 0 to 3, actions 0 to 2"):
        learner.train(Transition(*wrong))
    assert not learner.transitions


@each
def test_a_learner_that_has_diverged_answers_on(rule):
    learner = lane(Stacks(), rule, rate=1e30)
    for transition in past(120, 8):
        learner.train(transition._replace(reward=float("inf")))
        assert learner.act(0) in range(3)
    assert not all(np.isfinite(weight).all() for weight in learner.weights().values())


@each
def test_learning_rates_are_the_lanes_own(rule):
    stacks = Stacks()
    slow, fast = (lane(stacks, rule, rate=rate) for rate in (0.0, 1e-2))
    before = bytes_of(slow)
    for transition in past(60, 9):
        slow.train(transition)
        fast.train(transition)
    assert bytes_of(slow) == before != bytes_of(fast)
    assert (slow.learning_rate, fast.learning_rate) == (0.0, 1e-2)


@each
def test_the_greedy_action_is_the_best_of_what_the_weights_say(rule):
    """After all that it has to learn, at more observations than are looked up at once, and nothing is changed by it."""
    n = 70
    learner = lane(Stacks(), rule, key=4, rate=0.05, n_observations=n)
    stream = past(48, 2, n_observations=n)
    for transition in stream[:24]:
        learner.train(transition)
    asked, twin = learner.fork(), learner.fork()
    greedy, weights = asked.greedy(), asked.weights()
    names = {"dqn": "q_net.q_net.{}"}.get(rule, "mlp_extractor.policy_net.{}")
    last = names.format(4) if rule == "dqn" else "action_net"
    layers = [names.format(0), names.format(2), last]
    values = np.eye(n, dtype=np.float32)
    for name in layers:
        values = values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        if name != last:
            values = np.maximum(values, 0) if rule == "dqn" else np.tanh(values)
    best = values.max(axis=1)
    assert greedy.shape == (n,)
    assert np.allclose(values[np.arange(n), greedy], best, atol=1e-5)
    for transition in stream[24:]:
        asked.train(transition)
        twin.train(transition)
    assert bytes_of(asked) == bytes_of(twin)


@pytest.mark.slow_cases(beyond=1)
@each
def test_memory_grows_with_the_number_of_lanes_and_nothing_else(rule):
    """Rows that are given back are used again; a stack of four times the lanes takes four times the memory."""

    def allocated(lanes):
        tracemalloc.start()
        try:
            learners = [lane(stacks, rule, key) for stacks in [Stacks()] for key in range(lanes)]
            for transition in past(64, 0):
                for learner in learners:
                    learner.train(transition)
                    learner.fork()
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    allocated(2)
    few, many = allocated(15), allocated(60)
    assert 3.5 < many / few < 4.5
