"""Twin: fed the turns that Stable-Baselines3's own `learn` collected, our agents end with the same weights."""

import gymnasium
import numpy as np
import pytest
import stable_baselines3 as sb3
import torch
from stable_baselines3.common.buffers import ReplayBuffer, RolloutBuffer

from engine.agent import Transition
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.randomness.library_generators import draw_permutation, sample_indices, seed_torch, use_one_thread
from xenv.agents.a2c import SB3A2C, StackedA2C
from xenv.agents.dqn import DQN as OwnDQN
from xenv.agents.dqn import SB3DQN, StackedDQN
from xenv.agents.ppo import SB3PPO, StackedPPO, StackedPPORedrawn
from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm

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
        order = draw_permutation(n, split(KEY, "rollout"), self.shuffles)
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
    theirs.policy.load_state_dict({name: torch.from_numpy(weight) for name, weight in ours.weights().items()})
    with seed_torch(KEY), use_one_thread():
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


A2C = {
    "defaults": {},
    "adam": {"use_rms_prop": False, "gae_lambda": 0.9, "ent_coef": 0.05, "normalize_advantage": True, "n_steps": 7},
    "clipped": {"max_grad_norm": 0.01, "vf_coef": 0.9, "gamma": 0.5, "learning_rate": 3e-3, "rms_prop_eps": 1e-3},
}
PPO = {
    "three epochs": {"n_steps": 32, "batch_size": 8, "n_epochs": 3},
    "uneven": {
        "n_steps": 30,
        "batch_size": 8,
        "n_epochs": 2,
        "ent_coef": 0.1,
        "clip_range": 0.01,
        "learning_rate": 2e-3,
    },
    "not normalised": {"n_steps": 16, "batch_size": 16, "n_epochs": 8, "normalize_advantage": False},
}
DQN = {
    "copied target": {"buffer_size": 50, "target_update_interval": 12},
    "averaged target": {"buffer_size": 500, "target_update_interval": 3, "tau": 0.3, "learning_rate": 2e-3},
    "three steps": {"train_freq": 2, "gradient_steps": 3, "batch_size": 5, "max_grad_norm": 0.1, "gamma": 0.7},
}


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("settings", A2C.values(), ids=A2C)
@pytest.mark.parametrize("spec", [SB3A2C, StackedA2C])
def test_a2c(spec, settings):
    theirs = sb3.A2C("MlpPolicy", Corridor(), rollout_buffer_class=SameShuffles, device="cpu", **settings)
    assert_equal(*learned_by_both(theirs, spec(**settings).build(3, 2, KEY), 210))


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")
@pytest.mark.parametrize("settings", PPO.values(), ids=PPO)
@pytest.mark.parametrize("spec", [SB3PPO, StackedPPO])
def test_ppo(spec, settings):
    theirs = sb3.PPO("MlpPolicy", Corridor(), rollout_buffer_class=SameShuffles, device="cpu", **settings)
    turns = 4 * settings["n_steps"]
    assert_equal(*learned_by_both(theirs, spec(**settings).build(3, 2, KEY), turns))


class Redrawing(PolicyAgent):
    """Stable-Baselines3's PPO, with the log-probability of an action drawn again kept in place of the right one."""

    def _look_up_log_prob(self, output, action):
        return output.log_probs[inverse_cdf(output.probabilities, uniform(self._draws, self._turn, 1))]


@pytest.mark.parametrize("settings", PPO.values(), ids=PPO)
def test_ppo_with_old_log_probabilities_of_another_draw(settings):
    theirs = Redrawing(make_algorithm("PPO", 3, 2, KEY, **SB3PPO(**settings).read_settings()), KEY)
    ours, right = (spec(**settings).build(3, 2, KEY) for spec in (StackedPPORedrawn, StackedPPO))
    observation = 0
    for turn in range(4 * settings["n_steps"]):
        action = theirs.act(observation)
        assert action == ours.act(observation)
        following = (observation + action) % 3
        transition = Transition(observation, action, float(following == 2), following, turn % 7 == 6)
        for agent in (theirs, ours, right):
            agent.train(transition)
        observation = following
    named = {name: torch.from_numpy(weight) for name, weight in theirs.weights().items()}
    assert_equal(named, ours.weights())
    assert any(not np.allclose(weight, right.weights()[name], atol=1e-4) for name, weight in ours.weights().items())


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("settings", DQN.values(), ids=DQN)
@pytest.mark.parametrize("spec", [SB3DQN, StackedDQN])
def test_dqn(spec, settings):
    settings = {"learning_starts": 1, "exploration_final_eps": 1.0, **settings}
    theirs = sb3.DQN("MlpPolicy", Corridor(), replay_buffer_class=SameSamples, device="cpu", **settings)
    assert_equal(*learned_by_both(theirs, spec(total_timesteps=160, **settings).build(3, 2, KEY), 160))


@pytest.mark.parametrize("layers", [(), (8,), (5, 6, 7)], ids=str)
def test_dqn_with_layers_of_any_widths(layers):
    """Their weights after their turns, by the spec with defaults of our own."""
    settings = {
        "learning_starts": 20,
        "target_update_interval": 12,
        "exploration_final_eps": 1.0,
        "learning_rate": 1e-3,
    }
    theirs = sb3.DQN(
        "MlpPolicy",
        Corridor(),
        replay_buffer_class=SameSamples,
        buffer_size=50_000,
        policy_kwargs={"net_arch": list(layers)},
        device="cpu",
        **settings,
    )
    assert_equal(*learned_by_both(theirs, OwnDQN(layers=layers, **settings).build(3, 2, KEY), 160))


def test_exploration_falls_as_theirs_does():
    theirs = sb3.DQN("MlpPolicy", Corridor(), learning_starts=1, device="cpu")
    ours = SB3DQN(total_timesteps=160).build(3, 2, KEY)
    learned_by_both(theirs, ours, 160)
    assert ours.algorithm.exploration_rate == theirs.exploration_rate


@pytest.mark.parametrize("name", ["DQN", "A2C", "PPO"])
def test_defaults_are_theirs(name):
    import inspect

    ours, stacked = {"DQN": (SB3DQN(), StackedDQN()), "A2C": (SB3A2C(), StackedA2C()), "PPO": (SB3PPO(), StackedPPO())}[
        name
    ]
    own = {"draws": "turn", "stacks": None, **({"layers": (64, 64)} if name == "DQN" else {})}
    assert vars(stacked) == {**vars(ours), **own}
    defaults = {key: value.default for key, value in inspect.signature(getattr(sb3, name)).parameters.items()}
    departures = {"DQN": {"learning_starts", "total_timesteps"}}.get(name, set())
    for field, value in vars(ours).items():
        if field not in departures:
            assert value == defaults[field], field


@pytest.mark.parametrize("spec", [SB3A2C, StackedA2C, SB3DQN, StackedDQN, StackedPPO])
def test_initial_weights_are_drawn_as_theirs_are(spec):
    ours = spec().build(3, 2, KEY)
    with seed_torch(split(KEY, "weights")), use_one_thread():
        theirs = getattr(sb3, spec.__name__[-3:])("MlpPolicy", Corridor(), device="cpu")
    assert ours.weights().keys() == theirs.policy.state_dict().keys()
    for name, tensor in theirs.policy.state_dict().items():
        assert torch.equal(torch.from_numpy(ours.weights()[name]), tensor)


@pytest.mark.parametrize("name", ["DQN", "A2C", "PPO"])
def test_the_plain_wrapper_of_the_benchmark_has_the_settings_of_the_stacked_learner(name):
    from benchmarks.deep_battery import SPECS, make_wrapper

    stacked, wrapped, every = SPECS[name]
    settings = wrapped.read_settings()
    assert settings.items() <= stacked.read_settings().items()
    agent = make_wrapper(name, every, settings)(2, 2)
    assert agent.model.learning_rate == settings["learning_rate"]
    assert agent.act(1) in (0, 1)
