"""Contract of the deep agents: asking changes nothing, equal pasts give equal weights, memory stays constant."""

import tracemalloc

import numpy as np
import pytest
import torch

from engine.agent import Agent, Transition
from engine.errors import BadValue, ContractBroken
from engine.randomness.counter_based import randrange
from xenv.agents.sb3_a2c import SB3A2C
from xenv.agents.sb3_dqn import SB3DQN
from xenv.agents.sb3_ppo import SB3PPO
from xenv.agents.stacked_a2c import StackedA2C
from xenv.agents.stacked_dqn import StackedDQN
from xenv.agents.stacked_ppo import StackedPPO
from xenv.deep.actor_critic import Rollout

SPECS = {
    "sb3_dqn": SB3DQN(buffer_size=40, target_update_interval=10, total_timesteps=20),
    "sb3_a2c": SB3A2C(),
    "sb3_ppo": SB3PPO(n_steps=16, batch_size=8, n_epochs=2),
    "stacked_dqn": StackedDQN(buffer_size=40, target_update_interval=10, total_timesteps=20),
    "stacked_a2c": StackedA2C(),
    "stacked_a2c_adam": StackedA2C(use_rms_prop=False, normalize_advantage=True, ent_coef=0.1),
    "stacked_ppo": StackedPPO(n_steps=16, batch_size=8, n_epochs=2),
}
each = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)


def past(turns, key=0, n_observations=3):
    """A random history in which every turn continues the one before."""
    seen = [randrange(n_observations, key, 0, turn) for turn in range(turns + 1)]
    return [
        Transition(seen[t], randrange(2, key, 1, t), float(randrange(3, key, 2, t) - 1), seen[t + 1], t % 7 == 6)
        for t in range(turns)
    ]


def grown(spec, turns, key=5):
    agent = spec.build(3, 2, key)
    for transition in past(turns):
        agent.train(transition)
    return agent


def same_weights(one, other):
    ours, theirs = one.weights(), other.weights()
    return ours.keys() == theirs.keys() and all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)


@each
def test_is_an_agent_with_in_range_actions(spec):
    agent = grown(spec, 40)
    assert isinstance(agent, Agent)
    assert {agent.act(observation) for observation in range(3)} <= {0, 1}


@each
def test_asking_changes_nothing(spec):
    asked, silent = spec.build(3, 2, 1), spec.build(3, 2, 1)
    for transition in past(40):
        first = [asked.act(observation) for observation in (0, 1, 2)]
        assert first == [asked.act(observation) for observation in (0, 1, 2)]
        asked.train(transition)
        silent.train(transition)
    assert same_weights(asked, silent)
    assert asked.act(1) == silent.act(1)


@each
def test_training_changes_the_weights_and_the_answers_vary(spec):
    agent = spec.build(3, 2, 1)
    fresh, actions = agent.weights(), set()
    for transition in past(40):
        actions.add(agent.act(0))
        agent.train(transition)
    assert any(not np.array_equal(fresh[name], now) for name, now in agent.weights().items())
    assert actions == {0, 1}


@each
def test_identically_trained_copies_are_identical(spec):
    one, other = grown(spec, 53), grown(spec, 53)
    assert same_weights(one, other)
    assert [one.act(o) for o in range(3)] == [other.act(o) for o in range(3)]


@each
def test_another_key_gives_another_agent(spec):
    assert not same_weights(spec.build(3, 2, 1), spec.build(3, 2, 2))


@each
def test_a_fork_has_the_same_past_and_a_future_of_its_own(spec):
    original, untouched = grown(spec, 21), grown(spec, 21)
    twin = original.fork()
    for transition in past(60, key=9):
        twin.train(transition)
    assert same_weights(original, untouched)
    assert not same_weights(original, twin)
    for transition in past(60, key=9):
        original.train(transition)
    assert same_weights(original, twin)
    assert [original.act(o) for o in range(3)] == [twin.act(o) for o in range(3)]


@each
def test_global_generators_and_threads_are_left_as_found(spec):
    torch_before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    numpy_before = np.random.get_state()  # noqa: NPY002
    agent = grown(spec, 40)
    agent.fork().act(0)
    assert torch.equal(torch.random.get_rng_state(), torch_before)
    assert torch.get_num_threads() == threads
    numpy_after = np.random.get_state()  # noqa: NPY002
    assert numpy_after[2] == numpy_before[2]
    assert np.array_equal(numpy_after[1], numpy_before[1])


@each
def test_weights_do_not_depend_on_the_global_generator(spec):
    one = grown(spec, 40)
    with torch.random.fork_rng(devices=[]):
        torch.rand(7)
        other = grown(spec, 40)
    assert same_weights(one, other)


@each
def test_memory_is_constant_in_the_number_of_turns(spec):
    agent = grown(spec, 100)
    tracemalloc.start()
    try:
        for transition in past(100, key=3):
            agent.train(transition)
        early, _ = tracemalloc.get_traced_memory()
        for key in range(4, 9):
            for transition in past(100, key=key):
                agent.act(transition.observation)
                agent.train(transition)
        late, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert late - early < 20_000


@each
def test_an_absurd_learning_rate_is_survived(spec):
    from dataclasses import replace

    agent = replace(spec, learning_rate=1.0).build(3, 2, 0)
    for transition in past(400):
        agent.train(transition)
    assert {agent.act(o) for o in range(3)} <= {0, 1}


@pytest.mark.parametrize("spec", [SPECS["sb3_a2c"], SPECS["sb3_ppo"]], ids=["sb3_a2c", "sb3_ppo"])
def test_a_diverged_network_answers_zero(spec):
    agent = spec.build(3, 2, 0)
    with torch.no_grad():
        agent.algorithm.policy.action_net.bias.fill_(float("nan"))
    for transition in past(60):
        assert agent.act(0) == 0
        agent.train(transition)


@pytest.mark.parametrize("spec", [SPECS["sb3_a2c"], SPECS["sb3_ppo"]], ids=["sb3_a2c", "sb3_ppo"])
def test_the_kept_log_probability_is_that_of_the_action_taken(spec):
    agent, rollout = spec.build(3, 2, 4), None
    for transition in past(spec.n_steps - 1):
        agent.train(transition)
    rollout = agent._rollout
    observations = torch.from_numpy(rollout.observations[: spec.n_steps - 1])
    actions = torch.from_numpy(rollout.actions[: spec.n_steps - 1])
    with torch.no_grad():
        values, log_probs, _ = agent.algorithm.policy.evaluate_actions(observations, actions)
    np.testing.assert_allclose(rollout.log_probs[: spec.n_steps - 1], log_probs, rtol=1e-6)
    np.testing.assert_allclose(rollout.values[: spec.n_steps - 1], values.flatten(), rtol=1e-5, atol=1e-7)


def test_rollouts_begin_with_the_true_observation():
    agent = SB3A2C(n_steps=5).build(12, 2, 0)
    for turn in range(10):
        agent.train(Transition(turn, 0, 0.0, turn + 1))
        if turn % 5 == 4:
            begun = agent._rollout
            assert begun.observations.tolist() == list(range(turn - 4, turn + 1))
            assert begun.next_observations.tolist() == list(range(turn - 3, turn + 2))


def test_a_splice_ends_the_trace_and_a_termination_the_future():
    rollout = Rollout(3, 0.5, 1.0, key=0)
    rollout.add(Transition(0, 0, 1.0, 1), value=10.0, next_value=20.0, log_prob=0.0)
    rollout.add(Transition(1, 0, 2.0, 7), value=20.0, next_value=70.0, log_prob=0.0)
    rollout.add(Transition(2, 0, 3.0, 3, terminated=True), value=30.0, next_value=1e6, log_prob=0.0)
    rollout.close()
    second = 2.0 + 0.5 * 70.0 - 20.0
    assert rollout.advantages.tolist() == [1.0 + 0.5 * 20.0 - 10.0 + 0.5 * second, second, 3.0 - 30.0]
    assert rollout.returns.tolist() == [11.0 + 0.5 * second, 37.0, 3.0]


def test_policy_draws_follow_the_policy():
    agent = SB3A2C(n_steps=10**6).build(1, 3, 8)
    output = agent._output(0)
    counts = np.zeros(3)
    for _ in range(4000):
        counts[agent.act(0)] += 1
        agent.train(Transition(0, 0, 0.0, 0))
    np.testing.assert_allclose(counts / 4000, np.exp(output.log_probs), atol=0.03)


def test_dqn_explores_first_and_then_rarely():
    spec = SB3DQN(learning_rate=0.0, total_timesteps=100)
    agent = spec.build(1, 2, 0)
    greedy = agent._output(0)
    off_greedy = []
    for _ in range(2000):
        off_greedy.append(agent.act(0) != greedy)
        agent.train(Transition(0, 0, 0.0, 0))
    assert np.mean(off_greedy[10:]) == pytest.approx(0.5 * spec.exploration_final_eps, abs=0.012)
    assert agent.algorithm.exploration_rate == spec.exploration_final_eps


@pytest.mark.parametrize("spec", [SB3A2C(), StackedA2C(), StackedDQN()], ids=["sb3_a2c", "stacked_a2c", "stacked_dqn"])
def test_an_observation_out_of_range_is_named(spec):
    for observation in (3, -1):
        with pytest.raises(ContractBroken, match=rf"observation {observation}.*0 to 2"):
            spec.build(3, 2, 0).act(observation)


@pytest.mark.parametrize(
    "spec",
    [
        SB3DQN(gamma=1.5),
        SB3DQN(train_freq=0),
        SB3A2C(n_steps=0),
        SB3PPO(batch_size=1),
        SB3PPO(learning_rate=-1.0),
        SB3A2C(n_steps=2.5),
        StackedDQN(gamma=1.5),
        StackedA2C(n_steps=0),
        StackedPPO(batch_size=1),
    ],
    ids=repr,
)
def test_hyper_parameters_out_of_domain_are_named(spec):
    with pytest.raises(BadValue, match=r"(gamma|train_freq|n_steps|batch_size|learning_rate) = .*choose"):
        spec.build(1, 2, 0)
