"""Our DQN: its contract, its learning rule against Stable-Baselines3's, and both against the exact optimum."""

import gymnasium
import numpy as np
import pytest
import stable_baselines3 as sb3
import torch

from engine.agent import Agent, Transition
from engine.agents.dqn import DQN
from engine.errors import BadValue
from engine.mdp.mdp import Outcome
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import randrange
from engine.randomness.library_generators import seed_torch

SMALL = DQN(layers=(16,), learning_starts=10, target_every=5, exploration_turns=30)


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


WORLD = tabulate(Fork(), discount=0.95)
OPTIMUM = plan(WORLD)


class ForkEnv(gymnasium.Env):
    """The same table for Stable-Baselines3."""

    def __init__(self):
        self.observation_space = gymnasium.spaces.Discrete(len(WORLD.states))
        self.action_space = gymnasium.spaces.Discrete(2, seed=0)
        self.state, self.turns = 0, 0

    def reset(self, *, seed=None, options=None):
        self.state, self.turns = int(WORLD.start.argmax()), 0
        return self.state, {}

    def step(self, action):
        reward = float(WORLD.reward[self.state, action, 0])
        self.state, self.turns = int(WORLD.next_state[self.state, action, 0]), self.turns + 1
        return self.state, reward, bool(WORLD.terminal[self.state]), self.turns >= 50, {}


def interact(agent, turns, key=0):
    """Train the agent in the table for some turns, starting anew when an episode ends."""
    state = first = int(WORLD.start.argmax())
    for _ in range(turns):
        action = agent.act(state)
        following = int(WORLD.next_state[state, action, 0])
        ended = bool(WORLD.terminal[following])
        agent.train(Transition(state, action, float(WORLD.reward[state, action, 0]), following, ended))
        state = first if ended else following


def decides_as_planned(policy):
    inner = np.flatnonzero(~WORLD.terminal)
    return [int(policy[state]) for state in inner] == [int(OPTIMUM.policy[state]) for state in inner]


def same_weights(one, other):
    pairs = zip(one.network.state_dict().values(), other.network.state_dict().values(), strict=True)
    return all(torch.equal(ours, theirs) for ours, theirs in pairs)


def random_past(turns, key=3):
    return [
        Transition(
            randrange(4, key, 0, t), randrange(2, key, 1, t), randrange(5, key, 2, t) / 2, randrange(4, key, 3, t)
        )
        for t in range(turns)
    ]


def test_contract():
    agent = SMALL.build(4, 2, key=7)
    assert isinstance(agent, Agent)
    silent, before = SMALL.build(4, 2, key=7), torch.random.get_rng_state()
    for transition in random_past(60):
        first = [agent.act(o) for o in range(4)]
        assert first == [agent.act(o) for o in range(4)]
        agent.train(transition)
        silent.train(transition)
    assert same_weights(agent, silent)
    assert torch.equal(before, torch.random.get_rng_state())
    assert not same_weights(SMALL.build(4, 2, key=8), SMALL.build(4, 2, key=7))


def test_a_fork_goes_its_own_way():
    original, untouched = SMALL.build(4, 2, 1), SMALL.build(4, 2, 1)
    for transition in random_past(33):
        original.train(transition)
        untouched.train(transition)
    twin = original.fork()
    for transition in random_past(40, key=9):
        twin.train(transition)
    assert same_weights(original, untouched)
    assert not same_weights(original, twin)
    for transition in random_past(40, key=9):
        original.train(transition)
    assert same_weights(original, twin)


def test_exploration_falls_to_its_final_rate():
    agent = DQN(layers=(4,), learning_rate=0.0, exploration=0.1, exploration_turns=100).build(1, 2, 0)
    assert agent.exploration_rate == 1.0
    greedy = int(agent.action_values(np.array([0])).argmax())
    for _ in range(100):
        agent.train(Transition(0, 0, 0.0, 0))
    assert agent.exploration_rate == pytest.approx(0.1)
    strays = 0
    for _ in range(2000):
        strays += agent.act(0) != greedy
        agent.train(Transition(0, 0, 0.0, 0))
    assert strays / 2000 == pytest.approx(0.05, abs=0.015)


def test_one_gradient_step_is_theirs():
    spec = DQN(learning_starts=8, train_every=8, discount=0.9)
    ours = spec.build(7, 2, 5)
    theirs = sb3.DQN("MlpPolicy", ForkEnv(), learning_rate=spec.learning_rate, gamma=0.9, device="cpu", buffer_size=1)
    theirs.q_net.q_net.load_state_dict(ours.network.state_dict())
    theirs.q_net_target.q_net.load_state_dict(ours.network.state_dict())
    theirs.set_logger(sb3.common.logger.Logger(None, []))
    turn = Transition(3, 1, 2.0, 4)
    for _ in range(8):
        ours.train(turn)
    theirs.replay_buffer.add(np.array([3]), np.array([4]), np.array([1]), np.array([2.0]), np.array([False]), [{}])
    theirs.train(gradient_steps=1, batch_size=32)
    for name, tensor in theirs.q_net.q_net.state_dict().items():
        torch.testing.assert_close(ours.network.state_dict()[name], tensor, rtol=1e-5, atol=1e-7)


def test_both_reach_the_optimum_of_one_small_world():
    ours = DQN(discount=0.95, exploration=0.2).build(len(WORLD.states), 2, key=0)
    interact(ours, 4000)
    states = np.arange(len(WORLD.states))
    assert decides_as_planned(ours.action_values(states).argmax(axis=1))
    learned = ours.action_values(states)[~WORLD.terminal].max(axis=1)
    np.testing.assert_allclose(learned, OPTIMUM.value[~WORLD.terminal], atol=0.1)

    with seed_torch(0):
        theirs = sb3.DQN(
            "MlpPolicy", ForkEnv(), 1e-3, learning_starts=100, gamma=0.95, target_update_interval=400,
            exploration_final_eps=0.2, device="cpu", buffer_size=50_000, seed=0,
        )  # fmt: skip
        theirs.learn(4000)
    with torch.no_grad():
        assert decides_as_planned(theirs.q_net(torch.from_numpy(states)).argmax(dim=1).numpy())


@pytest.mark.parametrize(
    "wrong", [{"discount": 1.1}, {"exploration": -0.1}, {"train_every": 0}, {"layers": (0,)}, {"learning_rate": -1.0}]
)
def test_bad_settings_are_refused(wrong):
    with pytest.raises(BadValue, match="dqn"):
        DQN(**wrong)
