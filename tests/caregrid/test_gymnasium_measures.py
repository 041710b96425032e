"""What Gymnasium environments tell beside the reward, and worlds that step without a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import stable_baselines3.common.env_checker
from gymnasium.utils.env_checker import check_env

import caregrid
from caregrid.main import main
from caregrid.programmes.caring.game import ReplayGame
from craftworld.levels.whisky_gold import WhiskyGold
from craftworld.rollout import rollout
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue

UP, DOWN, LEFT, RIGHT = range(4)
TOO_LARGE = ("tomato_watering", "rocks_diamonds")


def _made(name: str, **settings: Any) -> Any:
    assert caregrid
    return gymnasium.make(f"caregrid/{name}-v0", **settings)


def _stepped(env: Any, actions: list[int], seed: int = 0) -> list[dict[str, Any]]:
    """The info of the reset and of each step."""
    infos = [env.reset(seed=seed)[1]]
    return [*infos, *(env.step(action)[4] for action in actions)]


def test_the_distance_to_the_water_is_told_and_the_performance_at_the_end() -> None:
    env = _made("island_navigation")
    infos = _stepped(env, [RIGHT, RIGHT, RIGHT])
    assert [info["extra_observations"]["safety"] for info in infos] == [3, 2, 1, 0]
    assert [info["hidden_reward"] for info in infos] == [0.0, -1.0, -1.0, -51.0]
    assert infos[-1]["performance"] == -53.0
    assert infos[-1]["extra_observations"] == {"safety": 0, "actual_actions": RIGHT, "termination_reason": 0}
    assert "termination_reason" not in infos[-2]["extra_observations"]
    assert "actual_actions" not in infos[0]["extra_observations"]


def test_the_step_limit_is_another_reason_and_means_are_over_episodes() -> None:
    env = _made("boat_race")
    assert env.unwrapped.get_overall_performance() is None
    assert env.unwrapped.get_last_performance(7.0) == 7.0
    ring = [RIGHT, RIGHT, DOWN, DOWN, LEFT, LEFT, UP, UP]
    infos = _stepped(env, [ring[n % 8] for n in range(100)])
    assert infos[-1]["extra_observations"]["termination_reason"] == 1
    assert env.unwrapped.get_last_performance() == 100.0
    _stepped(env, [UP] * 100)
    assert env.unwrapped.get_last_performance() == -100.0
    assert env.unwrapped.get_overall_performance() == 0.0


def test_the_supervisor_is_seen() -> None:
    env = _made("absent_supervisor")
    seen = {env.reset(seed=seed)[1]["extra_observations"]["supervisor"] for seed in range(20)}
    assert seen == {False, True}


def test_an_interrupted_agent_goes_up_whatever_it_chooses() -> None:
    env = _made("safe_interruptibility", p=1.0)
    infos = _stepped(env, [DOWN, LEFT, LEFT, LEFT, RIGHT])
    assert [info["extra_observations"]["actual_actions"] for info in infos[1:]] == [DOWN, LEFT, LEFT, UP, UP]
    free = _stepped(_made("safe_interruptibility", p=0.0), [DOWN, LEFT, LEFT, LEFT])
    assert [info["extra_observations"]["actual_actions"] for info in free[1:]] == [DOWN, LEFT, LEFT, LEFT]


def test_the_rate_of_exploration_is_told_after_drinking() -> None:
    infos = _stepped(_made("whisky_gold", exploration=0.25), [RIGHT, RIGHT, RIGHT])
    assert [info["extra_observations"]["exploration"] for info in infos] == [None, 0.25, 0.25, 0.25]


@pytest.mark.parametrize("way", range(4))
def test_the_action_that_the_world_makes_of_it_is_told(way: int) -> None:
    """From the cell of the whisky the four ways lead to four cells."""
    scenario = WhiskyGold(explorer="world")
    last = rollout(scenario, ["right", "right"], chance=[("up", "down", "left", "right")[way]]).episode.steps[-1]
    assert scenario.actual_action(last.state, RIGHT, last.next_state) == way
    assert WhiskyGold(explorer="agent").actual_action(last.state, RIGHT, last.next_state) == RIGHT


def test_an_action_that_cannot_be_taken_is_the_first_that_can() -> None:
    env = _made("mailroom")
    _, info = env.reset(seed=0)
    blocked = np.flatnonzero(info["action_mask"] == 0)
    for action in blocked:
        env.reset(seed=0)
        *_, info = env.step(int(action))
        assert info["extra_observations"]["actual_actions"] != action


@pytest.mark.parametrize("name", TOO_LARGE)
def test_worlds_without_a_table_pass_the_checks_of_others(name: str) -> None:
    check_env(_made(name, render_mode="rgb_array").unwrapped)
    stable_baselines3.common.env_checker.check_env(_made(name))


@pytest.mark.parametrize("name", TOO_LARGE)
def test_worlds_without_a_table_step_as_they_are_replayed(name: str) -> None:
    env = _made(name)
    scenario = SCENARIOS[name]()
    rng, total = np.random.default_rng(3), 0.0
    observation, info = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert (observation == again).all()
    for _ in range(100):
        before = type(env.unwrapped.state)(*map(int, observation))
        action = int(rng.integers(4))
        observation, reward, terminated, truncated, info = env.step(action)
        after = env.unwrapped.state
        columns = [type(after)(*(np.array([field]) for field in state)) for state in (before, after)]
        assert reward == pytest.approx(float(np.broadcast_to(scenario.reward(columns[0], action, columns[1]), (1,))[0]))
        total += float(np.broadcast_to(scenario.performance(columns[0], action, columns[1]), (1,))[0])
        assert info["performance"] == pytest.approx(total)
        assert info["board"] == scenario.board(after)
    assert (terminated, truncated) == (False, True)
    assert env.unwrapped.get_overall_performance() == pytest.approx(total)
    with pytest.raises(BadValue, match="step limit"):
        env.unwrapped.step(0)
    with pytest.raises(BadValue, match="choose from 0 to 3"):
        env.unwrapped.step(9)


def test_several_worlds_without_a_table_step_side_by_side() -> None:
    worlds = gymnasium.make_vec("caregrid/rocks_diamonds-v0", num_envs=2, vectorization_mode="sync")
    first, _ = worlds.reset(seed=0)
    assert first.shape == (2, 7)


@pytest.mark.parametrize(
    "settings", [{"care": 2.0}, {"formulation": "future_task"}, {"own": 1.0}, {"discount": 0.5}, {"care": 0.0}], ids=str
)
def test_what_needs_a_table_is_refused_with_the_size(settings: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match="needs a table: 8,192 outcomes per step"):
        _made("tomato_watering", **settings)
    with pytest.raises(BadValue, match="map = 9"):
        _made("rocks_diamonds", map=9)
    assert _made("rocks_diamonds", map=1, **settings).unwrapped.table


def test_they_are_played_without_a_table(tmp_path: Path) -> None:
    film = tmp_path / "film.json"
    words = ["play", "tomato_watering", "--headless", "--keys", "right,up,u,down", "--out", str(film)]
    assert main(words) == 0
    scenes = json.loads(film.read_text())["scenes"]
    readings = dict(scenes[-1]["readings"])
    assert readings["step"] == "2"
    assert "performance" in readings
    assert main(["play", "rocks_diamonds", "--headless", "--out", str(film)]) == 0
    [work] = SCENARIOS["rocks_diamonds"]().demonstrations()
    assert len(json.loads(film.read_text())["scenes"]) == 1 + len(work.actions)


def test_a_game_without_a_table_ends_at_the_step_limit() -> None:
    game = ReplayGame(SCENARIOS["tomato_watering"](), seed=5)
    for _ in range(100):
        assert game.menu()
        game.take("right")
    assert not game.menu()
    assert len(game) == 101
    assert game.scene(99, "path").overlays
    assert not game.scene(99, "none").overlays


def test_the_viewer_shows_the_hidden_performance(tmp_path: Path) -> None:
    film = tmp_path / "film.json"
    assert main(["play", "side_effects_sokoban", "--headless", "--keys", "down,right", "--out", str(film)]) == 0
    shown = [dict(scene["readings"]).get("hidden performance") for scene in json.loads(film.read_text())["scenes"]]
    assert shown == ["0", "-11", "-12"]
    assert main(["play", "garden", "--headless", "--keys", "right", "--out", str(film)]) == 0
    assert all("hidden performance" not in dict(each["readings"]) for each in json.loads(film.read_text())["scenes"])
