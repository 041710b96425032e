"""Contract of the deep agents: asking changes nothing, equal pasts give equal weights, memory stays constant."""

import tracemalloc

import numpy as np
import pytest
import torch

from engine.agent import Transition, check_agent
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Outcome
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import randrange
from xenv.agents.a2c import SB3A2C, StackedA2C
from xenv.agents.dqn import DQN, SB3DQN, StackedDQN
from xenv.agents.ppo import SB3PPO, StackedPPO
from xenv.deep.actor_critic import Rollout

SPECS = {
    "dqn": DQN(layers=(16,), learning_starts=10, target_update_interval=20, total_timesteps=30),
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
def test_contract(spec):
    check_agent(spec, n_actions=2, trainings=24, histories=1)


@each
def test_weights_are_a_function_of_the_key_and_of_what_it_was_trained_on(spec):
    """Whatever is asked in between, and whatever global generators hold, which are left as found."""
    asked, silent = spec.build(3, 2, 1), spec.build(3, 2, 1)
    fresh, actions = asked.weights(), set()
    torch_before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    numpy_before = np.random.get_state()  # noqa: NPY002
    for transition in past(53):
        actions.add(asked.act(0))
        asked.train(transition)
    assert asked.act(2) == asked.fork().act(2)
    numpy_after = np.random.get_state()  # noqa: NPY002
    assert torch.equal(torch.random.get_rng_state(), torch_before)
    assert torch.get_num_threads() == threads
    assert numpy_after[2] == numpy_before[2]
    assert np.array_equal(numpy_after[1], numpy_before[1])
    with torch.random.fork_rng(devices=[]):
        torch.rand(7)
        for transition in past(53):
            silent.train(transition)
    assert same_weights(asked, silent)
    assert actions == {0, 1}
    assert any(not np.array_equal(fresh[name], now) for name, now in asked.weights().items())
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


@pytest.mark.slow_cases(beyond=2)
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


@pytest.mark.parametrize("kind", [SB3DQN, StackedDQN, DQN])
def test_dqn_explores_first_and_then_rarely(kind):
    """Epsilon falls linearly from 1 to 0.1 over 400 turns; half of the random actions are greedy ones."""
    spec = kind(gradient_steps=0, exploration_fraction=0.4, exploration_final_eps=0.1, total_timesteps=1_000)
    runs = []
    for key in range(4):
        agent = spec.build(1, 2, key)
        greedy = agent._output(0) if kind is SB3DQN else agent.greedy()[0]
        off_greedy = []
        for _ in range(1_200):
            off_greedy.append(agent.act(0) != greedy)
            agent.train(Transition(0, 0, 0.0, 0))
        runs.append(off_greedy)
    shares = np.mean(runs, axis=0)
    assert np.mean(shares[:400]) == pytest.approx(0.5 * (1.0 + 0.1) / 2, abs=0.05)
    assert np.mean(shares[400:]) == pytest.approx(0.5 * 0.1, abs=0.015)


class Fork:
    """Cells 0 .. 6; the left end gives little at once, the right end more and later; each step costs."""

    actions = ("left", "right")

    def starts(self):
        return {2: 1.0}

    def outcomes(self, state, action):
        reached = state + (1 if action else -1)
        return [Outcome(reached, {0: 0.3, 6: 1.5}.get(reached, -0.1))]

    def is_terminal(self, state):
        return state in (0, 6)


@pytest.mark.parametrize(("layers", "rate"), [((64, 64), 1e-3), ((32,), 1e-3), ((), 1e-2)], ids=str)
def test_dqn_learns_the_optimum_of_a_small_world(layers, rate):
    world = tabulate(Fork(), discount=0.95)
    best = plan(world)
    inner = ~world.terminal
    spec = DQN(learning_rate=rate, gamma=0.95, exploration_final_eps=0.2, layers=layers)
    agent = spec.build(len(world.states), 2, key=0)
    state = first = int(world.start.argmax())
    for _ in range(4_000):
        action = agent.act(state)
        following = int(world.next_state[state, action, 0])
        ended = bool(world.terminal[following])
        agent.train(Transition(state, action, float(world.reward[state, action, 0]), following, ended))
        state = first if ended else following
    assert (agent.greedy()[inner] == best.policy[inner]).all()
    np.testing.assert_allclose(agent.action_values().max(axis=1)[inner], best.value[inner], atol=0.1)


@pytest.mark.parametrize("spec", [SB3A2C(), StackedA2C(), StackedDQN()], ids=["sb3_a2c", "stacked_a2c", "stacked_dqn"])
def test_an_observation_out_of_range_is_named(spec):
    for observation in (3, -1):
        with pytest.raises(ContractBroken, match=rf"observation {observation}.*0 to 2"):
            spec.build(3, 2, 0).act(observation)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        (SB3DQN, {"gamma": 1.5}),
        (SB3DQN, {"train_freq": 0}),
        (SB3A2C, {"n_steps": 0}),
        (SB3PPO, {"batch_size": 1}),
        (SB3PPO, {"learning_rate": -1.0}),
        (SB3A2C, {"n_steps": 2.5}),
        (StackedDQN, {"gamma": "high"}),
        (StackedDQN, {"stacks": 3}),
        (DQN, {"layers": (0,)}),
        (StackedA2C, {"n_steps": 0}),
        (StackedPPO, {"batch_size": 1}),
    ],
    ids=repr,
)
def test_hyper_parameters_out_of_domain_are_named(kind, setting):
    with pytest.raises(BadValue, match=rf"agent {kind.__name__}: {next(iter(setting))} is .*; give "):
        kind(**setting)
