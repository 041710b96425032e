"""Training scripts that know Gymnasium alone take our ids and wrapped worlds, with the usual wrappers around them."""

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import DtypeObservation, FlattenObservation, RecordEpisodeStatistics, TimeLimit
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

import caregrid
from caregrid.gym.scenario import GymnasiumWorld
from caregrid.gym.vector import GymnasiumVectorWorld
from caregrid.wrapping.gym_names import SCENARIO

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LAKE: dict[str, Any] = {"scenario": "gym:FrozenLake-v1", "is_slippery": False, "care": 1.0}


def _register(monkeypatch: pytest.MonkeyPatch, name: str, settings: dict[str, Any]) -> None:
    """An id that is gone after the test."""
    place = "caregrid.gym.scenario:GymnasiumWorld"
    spec = gymnasium.envs.registration.EnvSpec(name, place, kwargs=settings, max_episode_steps=50)
    monkeypatch.setitem(gymnasium.registry, name, spec)


@pytest.fixture(params=["caregrid/playroom-v0", "WrappedLake-v0", "AnnouncedLake-v0"])
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A registered id, a wrapped scenario under an id, and `gym:ID` under one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _register(monkeypatch, "WrappedLake-v0", {"scenario": caregrid.wrap("FrozenLake-v1"), "care": 1.0})
    _register(monkeypatch, "AnnouncedLake-v0", LAKE)
    chosen: str = request.param
    return chosen


def test_the_usual_wrappers(name: str) -> None:
    """One-hot numbers that networks take, and the statistics of an episode."""
    env: Any = TimeLimit(gymnasium.make(name), 20)
    env = DtypeObservation(FlattenObservation(RecordEpisodeStatistics(env)), np.float32)
    seen, _ = env.reset(seed=1)
    assert seen.dtype == np.float32
    assert seen.shape == (int(env.unwrapped.observation_space.n),)
    env.action_space.seed(1)
    total, over, info = 0.0, False, {}
    while not over:
        seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert seen.sum() == 1.0
        total, over = total + float(reward), terminated or truncated
    assert info["episode"]["r"] == pytest.approx(total)


def step_at_random(envs: Any) -> None:
    envs.reset(seed=3)
    envs.action_space.seed(3)
    for _ in range(60):
        seen, reward, *_ = envs.step(envs.action_space.sample())
        assert seen.shape == reward.shape == (2,)
    envs.close()


def test_vector_environments_of_single_ones(name: str) -> None:
    step_at_random(gymnasium.make_vec(name, num_envs=2, vectorization_mode="sync"))


def test_vector_environments_in_other_processes() -> None:
    step_at_random(gymnasium.make_vec("caregrid:caregrid/playroom-v0", num_envs=2, vectorization_mode="async"))


def test_monitor_and_evaluation(name: str) -> None:
    class Constant:
        """Takes action 0."""

        def predict(self, observation: Any, **_: Any) -> Any:
            return np.zeros(len(observation), dtype=int), None

    env = Monitor(TimeLimit(gymnasium.make(name), 15))
    returns, lengths = evaluate_policy(Constant(), env, n_eval_episodes=2, return_episode_rewards=True)  # type: ignore[arg-type]
    assert len(returns) == len(lengths) == 2  # type: ignore[arg-type]
    assert make_vec_env(name, n_envs=2, seed=0).reset().shape == (2,)


def test_names_of_registered_environments_are_scenarios_of_both_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    single, several = GymnasiumWorld(**LAKE), GymnasiumVectorWorld(**LAKE, num_envs=3)
    assert single.observation_space.n == several.single_observation_space.n == 16  # type: ignore[attr-defined]
    again = GymnasiumWorld(SCENARIO, id="FrozenLake-v1")
    assert again.observation_space.n == 16  # type: ignore[attr-defined]


@pytest.mark.parametrize("env_id", ["caregrid:caregrid/garden-v0", "Lake-v0"])
def test_a_script_in_one_file_takes_any_id(
    env_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _register(monkeypatch, "Lake-v0", LAKE)
    words = ["script", "--env-id", env_id, "--total-timesteps", "700", "--learning-starts", "600"]
    monkeypatch.setattr(sys, "argv", words)
    runpy.run_path(str(EXAMPLES / "cleanrl_style_dqn.py"), run_name="__main__")
    assert re.search(rf"{env_id}: \d+ episodes", capsys.readouterr().out)
