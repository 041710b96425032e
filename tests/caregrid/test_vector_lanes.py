"""A vector environment's lanes: any split gives the same, compiled equals plain, and Gymnasium's contract is kept."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from caregrid.gym import vector as lane_kernel
from caregrid.gym.scenario import GymnasiumWorld
from caregrid.gym.vector import GymnasiumVectorWorld
from engine.errors import BadValue
from engine.randomness.counter_based import inverse_cdf, split, uniform

WORLDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("workshop", {"key_start": "uniform"}),
    ("icy_yard", {}),
    ("boat_race", {}),
    ("workshop_shared", {}),
)
LIMIT, STEPS = 9, 40
each_world = pytest.mark.parametrize(("name", "options"), WORLDS, ids=[name for name, _ in WORLDS])
each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def made(name: str, n: int, options: dict[str, Any], **more: Any) -> GymnasiumVectorWorld:
    return GymnasiumVectorWorld(name, care=2.0, num_envs=n, max_episode_steps=LIMIT, **options, **more)


def acted(env: GymnasiumVectorWorld, seed: Any, actions: np.ndarray) -> list[Any]:
    """All that a run gives; where resets are the user's, those that are over are reset before each step."""
    seen, over = [env.reset(seed=seed)], np.zeros(env.num_envs, dtype=bool)
    for chosen in actions:
        if env.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            seen.append(env.reset(options={"reset_mask": over}))
        seen.append(env.step(chosen))
        over = seen[-1][2] | seen[-1][3]
    return seen


def lanes_of(thing: Any, lanes: slice) -> Any:
    """The part of a run that is of some lanes."""
    if isinstance(thing, np.ndarray):
        return thing[lanes].tolist()
    if isinstance(thing, dict):
        return {name: lanes_of(value, lanes) for name, value in thing.items()}
    return [lanes_of(one, lanes) for one in thing]


def random_actions(env: GymnasiumVectorWorld, steps: int = STEPS) -> np.ndarray:
    return np.random.default_rng(5).integers(env.single_action_space.n, size=(steps, env.num_envs))


@each_world
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name)
def test_any_split_into_lanes_gives_the_same(name: str, options: dict[str, Any], mode: AutoresetMode) -> None:
    whole = made(name, 7, options, autoreset_mode=mode)
    actions = random_actions(whole)
    together = acted(whole, 11, actions)
    for begin, end in ((0, 3), (3, 7), (6, 7)):
        part = acted(made(name, end - begin, options, autoreset_mode=mode), 11 + begin, actions[:, begin:end])
        for all_lanes, some in zip(together, part, strict=True):
            expected, found = lanes_of(all_lanes, slice(begin, end)), lanes_of(some, slice(None))
            if len(expected) == 5 and "final_obs" not in found[4]:
                assert not any(expected[4].pop("_final_obs", [False]))
                for key in ("final_obs", "final_info", "_final_info"):
                    expected[4].pop(key, None)
            assert found == expected
    again = acted(made(name, 7, options, autoreset_mode=mode), list(range(11, 18)), actions)
    assert lanes_of(again, slice(None)) == lanes_of(together, slice(None))


@each_world
def test_a_lane_is_what_its_own_numbers_say(name: str, options: dict[str, Any]) -> None:
    env = made(name, 3, options)
    actions = random_actions(env)
    found = acted(env, 4, actions)
    table, mdp = env.table, env.mdp
    for lane in range(3):
        key, drawn = split(4 + lane, "lane"), 0
        start = state = steps = -1
        over = True
        for number in range(STEPS + 1):
            states, *rest = found[number]
            reward = 0.0
            if over:
                start, steps = 0, 0
                if len(table.starts) > 1:
                    start, drawn = inverse_cdf(mdp.start[table.starts], uniform(key, drawn)), drawn + 1
                state = int(table.starts[start])
                ends = cut = False
            else:
                action, slot = int(actions[number - 1, lane]), 0
                if not mdp.is_deterministic:
                    slot, drawn = inverse_cdf(mdp.probability[state, action], uniform(key, drawn)), drawn + 1
                reward = float(table.reward[start, state, action, slot])
                state, steps = int(mdp.next_state[state, action, slot]), steps + 1
                ends, cut = bool(mdp.terminal[state]), steps >= LIMIT
            assert states[lane] == state
            if number:
                assert (rest[0][lane], rest[1][lane], rest[2][lane]) == (reward, ends, cut)
            over = ends or cut


@each_world
@each_mode
def test_compiled_steps_are_the_plain_ones(
    name: str, options: dict[str, Any], mode: AutoresetMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = made(name, 4, options, autoreset_mode=mode)
    actions = random_actions(env)
    compiled = acted(env, 2, actions)
    plain_start, plain_step = lane_kernel.begin_lane.py_func, lane_kernel.step_lanes.py_func
    monkeypatch.setattr(lane_kernel, "begin_lane", plain_start)
    monkeypatch.setattr(lane_kernel, "step_lanes", plain_step)
    with np.errstate(over="ignore"):
        plainly = acted(made(name, 4, options, autoreset_mode=mode), 2, actions)
    assert lanes_of(compiled, slice(None)) == lanes_of(plainly, slice(None))


@each_mode
def test_infos_are_shaped_as_gymnasiums_own(mode: AutoresetMode) -> None:
    """Against Gymnasium's own vector environment of single ones, in a world without chance and with one start."""
    env = GymnasiumVectorWorld("boat_race", care=0.0, num_envs=3, max_episode_steps=LIMIT, autoreset_mode=mode)
    own = SyncVectorEnv(
        [lambda: gymnasium.wrappers.TimeLimit(GymnasiumWorld("boat_race", care=0.0), LIMIT)] * 3, autoreset_mode=mode
    )
    actions = random_actions(env)
    ours, theirs = acted(env, 0, actions), acted(own, 0, actions)
    known = ("welfare", "performance", "action_mask", "final_obs", "final_info")
    for found, expected in zip(ours, theirs, strict=True):
        assert lanes_of(found[:-1], slice(None)) == lanes_of(expected[:-1], slice(None))
        told = _known(expected[-1], known)
        assert set(found[-1]) == set(told)
        assert lanes_of(found[-1], slice(None)) == lanes_of(told, slice(None))


def _known(info: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {
        key: _known(value, names) if isinstance(value, dict) else value
        for key, value in info.items()
        if key.removeprefix("_") in names
    }


def test_a_reset_without_a_seed_goes_on() -> None:
    env, twin = made("icy_yard", 2, {}), made("icy_yard", 2, {})
    actions = random_actions(env)
    acted(env, 3, actions), acted(twin, 3, actions)
    before = env._lanes.drawn.copy()
    assert lanes_of(acted(env, None, actions), slice(None)) == lanes_of(acted(twin, None, actions), slice(None))
    assert (env._lanes.drawn > before).all()
    unseeded = [made("icy_yard", 2, {}) for _ in range(2)]
    for each in unseeded:
        each.reset()
    assert len({int(key) for each in unseeded for key in each._lanes.key}) == 4


def test_what_does_not_fit_is_refused_and_changes_nothing() -> None:
    env = made("icy_yard", 3, {}, autoreset_mode="Disabled")
    env.reset(seed=0)
    before = [column.copy() for column in env._lanes]
    for actions in ([0, 0], [0, 0, 99], [0, -1, 0], [0.0, 1.0, 2.0], [[0, 0, 0]], "up"):
        with pytest.raises(BadValue, match=r"out of range|actions are an array"):
            env.step(np.array(actions))
    assert all(np.array_equal(a, b) for a, b in zip(env._lanes, before, strict=True))
    for mask in (np.zeros(3, dtype=bool), np.ones(2, dtype=bool), np.ones(3), [True] * 3):
        with pytest.raises(BadValue, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    for seed in ([1, 2], [1, 2, -3], -5, 2**63, True, [1, 2, 2.5], [1, 2, "x"]):
        with pytest.raises(BadValue, match="seed"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="autoreset_mode 'later'"):
        made("icy_yard", 3, {}, autoreset_mode="later")
    for _ in range(LIMIT):
        env.step(np.zeros(3, dtype=int))
    with pytest.raises(BadValue, match="is over"):
        env.step(np.zeros(3, dtype=int))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name)
def test_gymnasiums_own_wrappers_of_vector_environments_work(mode: AutoresetMode) -> None:
    env = made("boat_race", 3, {}, autoreset_mode=mode)
    wrapped: Any = RecordEpisodeStatistics(env)
    observation, _ = wrapped.reset(seed=0)
    episodes = 0
    for chosen in random_actions(env):
        assert wrapped.observation_space.contains(observation)
        observation, rewards, terminated, truncated, info = wrapped.step(chosen)
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
        if "episode" in info:
            ended = info["_episode"]
            assert (ended == (terminated | truncated)).all()
            assert (info["episode"]["l"][ended] == LIMIT).all()
            episodes += int(ended.sum())
    assert episodes == 3 * (STEPS // (LIMIT + (mode is AutoresetMode.NEXT_STEP)))
    listed: Any = DictInfoToList(made("boat_race", 2, {}))
    _, infos = listed.reset(seed=0)
    assert [sorted(info) for info in infos] == [["action_mask", "performance", "welfare"]] * 2
