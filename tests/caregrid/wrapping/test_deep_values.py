"""Others' values by Stable-Baselines3's DQN, and its learners on a considerate environment (extra `deep`)."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from caregrid.wrapping.value_learners.dqn import Dqn
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import make_problem
from engine.randomness.library_generators import keep_global_generators, use_one_thread
from tests.caregrid.wrapping.own_worlds import Corridor

pytestmark = pytest.mark.slow
SMALL = Dqn(layers=(32,), learning_starts=100, train_freq=2, target_update_interval=100, n_steps=1)


class Lamp(Corridor):
    """Switching the light costs 5: more than it spares oneself, less than it spares oneself and the next."""

    def step(self, action: int) -> Any:
        observation, reward, *rest = super().step(action)
        return np.asarray(observation, dtype=np.float32), -5.0 if action == 1 else reward, *rest

    def reset(self, **settings: Any) -> Any:
        observation, info = super().reset(**settings)
        return np.asarray(observation, dtype=np.float32), info

    def _get_obs(self) -> Any:
        return np.array([self.agent_cell, self.lit], dtype=np.float32)


def walked(env: Any, actions: list[int]) -> tuple[float, dict[str, Any]]:
    env.reset(seed=0)
    total = 0.0
    for action in actions:
        _, reward, _, _, info = env.step(action)
        total += reward
    return total, info["others"]["next agent"]


def test_networks_estimate_what_is_exact() -> None:
    refresh = caregrid.Refresh(first=2500, every=1, steps=2000, memory=2)
    env = caregrid.Considerate(Lamp, care=0.5, learner=SMALL, refresh=refresh)
    walked(env, [1, 0, 0, 0, 0])
    lit_total, lit = walked(env, [1, 0, 0, 0, 0])
    _, dark = walked(env, [0, 0, 0, 0])
    assert (lit["true"], dark["true"]) == (-4.0, -8.0)
    assert lit["estimated"] == pytest.approx(-4.0, abs=0.4)
    assert dark["estimated"] == pytest.approx(-8.0, abs=1.0)
    assert lit_total == pytest.approx(-9.0 + 0.5 * lit["estimated"])


def test_a_third_partys_learner_does_what_is_exact() -> None:
    """Stable-Baselines3's PPO on the wrapped environment ends with the exact agent's walk, on both sides of 1/4."""
    from stable_baselines3 import PPO

    problem = make_problem(caregrid.wrap(Lamp))
    for care in (0.0, 1.0):
        exact = solve(problem, care)[0]
        env = caregrid.Considerate(Lamp, care=care, refresh=caregrid.Refresh(first=2000, every=20, steps=500))
        limited = gymnasium.wrappers.TimeLimit(env, 20)
        settings: dict[str, Any] = {"learning_rate": 3e-3, "ent_coef": 0.1, "gamma": 1.0, "seed": 1, "device": "cpu"}
        with keep_global_generators(), use_one_thread():
            model = PPO("MlpPolicy", limited, n_steps=256, policy_kwargs={"net_arch": [32]}, **settings)
            model.learn(2500)
        observation, over, walk = limited.reset(seed=0)[0], False, list[int]()
        while not over:
            walk.append(int(model.predict(observation, deterministic=True)[0]))
            observation, _, terminated, truncated, info = limited.step(walk[-1])
            over = terminated or truncated
        assert [problem.scenario.actions[action] for action in walk] == list(exact.actions)
        assert info["others"]["next agent"]["true"] == exact.others["next agent"]


def test_learning_beside_disturbs_no_global_generator_and_repeats_itself() -> None:
    import torch

    def run() -> tuple[Any, ...]:
        refresh = caregrid.Refresh(first=300, every=3, steps=100)
        env = caregrid.Considerate("FrozenLake-v1", care=1.0, learner=SMALL, refresh=refresh, timing="every step")
        rewards = []
        env.reset(seed=1)
        for action in [2, 1] * 15:
            _, reward, terminated, truncated, _ = env.step(action)
            rewards.append(repr(reward))
            if terminated or truncated:
                env.reset()
        return tuple(rewards)

    numpy, before = np.random.get_state()[1].tolist(), torch.random.get_rng_state()  # noqa: NPY002
    first = run()
    assert torch.equal(torch.random.get_rng_state(), before)
    assert np.random.get_state()[1].tolist() == numpy  # noqa: NPY002
    torch.rand(3)
    assert run() == first


def test_observations_pass_through_wrappers() -> None:
    """MiniGrid's pictures, through two observation wrappers, of the state that the next agent begins in."""
    from minigrid.wrappers import FullyObsWrapper, ImgObsWrapper

    def make() -> Any:
        made = gymnasium.make("MiniGrid-Empty-5x5-v0")
        return gymnasium.wrappers.FlattenObservation(ImgObsWrapper(FullyObsWrapper(made)))

    caregrid.Considerate("MiniGrid-Empty-5x5-v0", refresh=caregrid.Refresh(first=0))  # registers MiniGrid
    env = caregrid.Considerate(make, learner=SMALL, refresh=caregrid.Refresh(first=200))
    observation, _ = env.reset(seed=0)
    left = env.hand_over()["next agent"]
    values = env.others["next agent"]
    values.world.begin(left.snapshot(values.world, 0))
    assert np.array_equal(values.world.observe(), observation)
