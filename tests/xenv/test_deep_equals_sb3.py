"""Twin: fed the turns that Stable-Baselines3's own `learn` collected, our agents end with the same weights."""

import gymnasium
import numpy as np
import pytest
import stable_baselines3 as sb3
import torch
from stable_baselines3.common.buffers import ReplayBuffer, RolloutBuffer

from engine.agent import Transition
from engine.randomness.counter_based import split
from engine.randomness.torch import initialising, one_thread, permutation, sample_indices
from xenv.agents.sb3_a2c import SB3A2C
from xenv.agents.sb3_dqn import SB3DQN
from xenv.agents.sb3_ppo import SB3PPO

KEY = 11


class Corridor(gymnasium.Env):
    """Three cells; action 1 walks right, 0 stays; the end pays and terminates. Records every transition."""

    observation_space = gymnasium.spaces.Discrete(3)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2, seed=3)
        self.cell, self.record = 0, []

    def reset(self, *, seed=None, options=None):
        self.cell = 0
        return 0, {}

    def step(self, action):
        came_from, self.cell = self.cell, self.cell + int(action)
        ended = self.cell == 2
        reward = 1.0 if ended else -0.1
        self.record.append(Transition(came_from, int(action), reward, self.cell, ended))
        return self.cell, reward, ended, False, {}


class SameShuffles(RolloutBuffer):
    """Their rollout buffer, shuffled by our key, so that minibatches can be compared."""

    shuffles = 0

    def get(self, batch_size=None):
        n = self.buffer_size
        order = permutation(n, split(KEY, "rollout"), self.shuffles)
        self.shuffles += 1
        for start in range(0, n, batch_size or n):
            chosen, lane = order[start : start + (batch_size or n)], 0
            parts = (self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns)
            columns = [part[chosen, lane].reshape(len(chosen), -1) for part in parts]
            flat = [column if place < 2 else column.flatten() for place, column in enumerate(columns)]
            yield sb3.common.type_aliases.RolloutBufferSamples(*map(self.to_torch, flat))


class SameSamples(ReplayBuffer):
    """Their replay buffer, sampled by our key."""

    samples = 0

    def sample(self, batch_size, env=None):
        chosen = sample_indices(self.size(), batch_size, split(KEY, "replay"), self.samples)
        self.samples += 1
        return self._get_samples(chosen, env=env)


def learned_by_both(theirs, ours, turns):
    """Weights after `turns` turns collected by their `learn` and then fed to ours, from equal initial weights."""
    theirs.policy.load_state_dict(ours.algorithm.policy.state_dict())
    with initialising(KEY):
        theirs.learn(turns)
    record = theirs.env.envs[0].unwrapped.record
    assert len(record) == turns
    assert len({transition.action for transition in record}) == 2
    for transition in record:
        ours.train(transition)
    return theirs.policy.state_dict(), ours.weights()


def assert_equal(theirs, ours):
    assert theirs.keys() == ours.keys()
    for name, tensor in theirs.items():
        np.testing.assert_allclose(ours[name], tensor.numpy(), rtol=1e-4, atol=1e-5, err_msg=name)


def test_a2c():
    theirs = sb3.A2C("MlpPolicy", Corridor(), rollout_buffer_class=SameShuffles, device="cpu")
    assert_equal(*learned_by_both(theirs, SB3A2C().build(3, 2, KEY), 200))


def test_ppo():
    settings = {"n_steps": 32, "batch_size": 8, "n_epochs": 3}
    theirs = sb3.PPO("MlpPolicy", Corridor(), rollout_buffer_class=SameShuffles, device="cpu", **settings)
    assert_equal(*learned_by_both(theirs, SB3PPO(**settings).build(3, 2, KEY), 128))


def test_dqn():
    settings = {"learning_starts": 1, "buffer_size": 50, "target_update_interval": 12, "exploration_final_eps": 1.0}
    theirs = sb3.DQN("MlpPolicy", Corridor(), replay_buffer_class=SameSamples, device="cpu", **settings)
    ours = SB3DQN(total_timesteps=160, **settings).build(3, 2, KEY)
    assert_equal(*learned_by_both(theirs, ours, 160))
    assert ours.algorithm.exploration_rate == theirs.exploration_rate


@pytest.mark.parametrize("name", ["DQN", "A2C", "PPO"])
def test_defaults_are_theirs(name):
    import inspect

    ours = {"DQN": SB3DQN, "A2C": SB3A2C, "PPO": SB3PPO}[name]()
    defaults = {key: value.default for key, value in inspect.signature(getattr(sb3, name)).parameters.items()}
    departures = {"DQN": {"learning_starts", "total_timesteps"}}.get(name, set())
    for field, value in vars(ours).items():
        if field not in departures:
            assert value == defaults[field], field


def test_initial_weights_are_drawn_as_theirs_are():
    ours = SB3A2C().build(3, 2, KEY)
    with initialising(split(KEY, "weights")), one_thread():
        theirs = sb3.A2C("MlpPolicy", Corridor(), device="cpu")
    for name, tensor in theirs.policy.state_dict().items():
        assert torch.equal(torch.from_numpy(ours.weights()[name]), tensor)
