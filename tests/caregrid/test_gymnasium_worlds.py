"""Every scenario passes Gymnasium's and Stable-Baselines3's checks, and the adapters say what the tables say."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import stable_baselines3.common.env_checker
from gymnasium.utils.env_checker import check_env

import caregrid
from caregrid.gym.scenario import GymnasiumWorld
from craftworld.caring_table import CaringTable, LazyTransitions, make_caring_table
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue, UnknownName
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from tests.craftworld.scenario_names import SOLVED
from xenv.environments import ENVIRONMENTS

ROOT = Path(__file__).resolve().parents[2]
each = pytest.mark.parametrize("name", SOLVED)


def made(name, **settings):
    assert caregrid
    return gymnasium.make(f"caregrid/{name}-v0", **settings)


@each
@pytest.mark.parametrize("render_mode", ["ansi", "rgb_array"])
def test_gymnasiums_check(name, render_mode):
    check_env(made(name, render_mode=render_mode).unwrapped, skip_render_check=False)


@each
def test_stable_baselines3s_check(name):
    stable_baselines3.common.env_checker.check_env(made(name))


@each
def test_steps_are_those_of_the_table_and_of_P(name):
    env = made(name, care=3.0, observes="state")
    problem = env.unwrapped.table.problem
    state, info = env.reset(seed=5)
    augmented, received = problem.make_augmented_table(3.0, state), 0.0
    rng = np.random.default_rng(1)
    for _ in range(200):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        listed = env.unwrapped.P[state][action]
        assert sum(chance for chance, *_ in listed) == pytest.approx(1.0)
        following, reward, terminated, truncated, info = env.step(action)
        assert (following, reward, terminated) in [outcome[1:] for outcome in listed]
        slot = problem.mdp.next_state[state, action].tolist().index(following)
        assert reward == augmented.reward[state, action, slot]
        assert terminated == problem.mdp.terminal[following]
        received += problem.others.step_reward(problem.mdp)[state, action, slot]
        assert info["welfare"] == pytest.approx(received + problem.others.terminal_value()[following])
        state = following
        if terminated or truncated:
            state, info = env.reset()
            augmented, received = problem.make_augmented_table(3.0, state), 0.0


IMPORTS = {
    "caregrid first": "import caregrid, gymnasium",
    "gymnasium first": "import gymnasium, caregrid",
    "a part of gymnasium": "import caregrid, gymnasium.spaces, gymnasium",
    "looked for, then imported": "import caregrid, importlib.util as u; u.find_spec('gymnasium'); import gymnasium",
    "twice": "import caregrid, gymnasium, importlib; importlib.reload(caregrid); importlib.reload(gymnasium)",
}


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
def test_importing_caregrid_registers_every_scenario_and_environment_in_any_order(imports):
    script = (
        f"{imports}; import sys; "
        "ours = [spec for spec in gymnasium.registry.values() if spec.namespace == 'caregrid']; "
        "print(len(ours)); "
        "assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith('caregrid')]; "
        "assert not type(gymnasium.__spec__.loader).__module__.startswith('caregrid')"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(SCENARIOS) + len(ENVIRONMENTS)


def test_episodes_are_cut_at_the_scenarios_own_limit_and_measured_by_its_performance():
    env = made("boat_race", care=0.0)
    env.reset(seed=0)
    cut = [env.step(action) for action in [3, 2] * 50]
    assert [truncated for *_, truncated, _ in cut] == [False] * 99 + [True]
    assert not any(terminated for _, _, terminated, _, _ in cut)
    assert sum(reward for _, reward, *_ in cut) == 50.0
    assert cut[-1][-1]["performance"] == 0.0
    several = gymnasium.make_vec("caregrid/boat_race-v0", num_envs=2, care=0.0)
    several.reset(seed=0)
    for number in range(100):
        *_, truncated, info = several.step(np.array([3, 3] if number % 2 == 0 else [2, 2]))
    assert truncated.all()
    assert info["performance"].tolist() == [0.0, 0.0]


@each
def test_pictures_need_no_display(name, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    env = made(name, render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    assert before.dtype == np.uint8
    assert before.shape[2] == 3
    moved = 0
    for action in range(min(4, env.action_space.n)):
        env.step(action)
        after = env.render()
        assert after.shape == before.shape
        moved += not np.array_equal(before, after)
    assert moved
    drawn = made(name, render_mode="ansi")
    drawn.reset(seed=0)
    assert "key: " in drawn.render()


@pytest.mark.parametrize("name", [name for name in SOLVED if tabulate(SCENARIOS[name]()).is_deterministic])
def test_a_vector_environment_steps_as_single_ones_do(name):
    several = gymnasium.make_vec(f"caregrid/{name}-v0", num_envs=3, care=2.0, max_episode_steps=60, observes="state")
    singles = [made(name, care=2.0, max_episode_steps=60, observes="state") for _ in range(3)]
    states, _ = several.reset(seed=4)
    for single, state in zip(singles, states, strict=True):
        while single.reset()[0] != state:
            pass
    rng, over, begun = np.random.default_rng(2), np.zeros(3, dtype=bool), 0
    for _ in range(150):
        actions = rng.integers(several.single_action_space.n, size=3)
        states, rewards, terminated, truncated, info = several.step(actions)
        for copy, single in enumerate(singles):
            result = (states[copy], rewards[copy], terminated[copy], truncated[copy], info["welfare"][copy])
            if over[copy]:
                while single.reset()[0] != states[copy]:
                    pass
                assert result[1:4] == (0.0, False, False)
                begun += 1
            else:
                state, *rest, single_info = single.step(int(actions[copy]))
                assert result == (state, *rest, single_info["welfare"])
        over = terminated | truncated
    assert begun >= 3


def test_other_arguments_make_other_worlds():
    caring, careless = made("workshop", care=10.0), made("workshop", care=0.0)
    own = careless.unwrapped.table.problem.mdp.reward
    assert np.array_equal(careless.unwrapped.table.reward[0], own)
    assert not np.array_equal(caring.unwrapped.table.reward[0], own)
    assert gymnasium.make("caregrid/workshop-v0", scenario=SCENARIOS["workshop"](), care=2.0).reset(seed=0)
    shifted = made("workshop", key_start="uniform")
    begun = {shifted.reset(seed=seed)[0] for seed in range(20)}
    assert begun == set(shifted.unwrapped.table.starts.tolist())
    assert len(begun) == 2


def test_a_greedy_walk_earns_the_planned_return():
    env = made("workshop", care=2.0)
    state, _ = env.reset(seed=0)
    solution = plan(env.unwrapped.table.problem.make_augmented_table(2.0, state))
    planned, total, terminated = solution.value[state], 0.0, False
    while not terminated:
        state, reward, terminated, truncated, _ = env.step(int(solution.policy[state]))
        total += reward
        assert not truncated
    assert total == pytest.approx(planned)


def test_the_registered_step_limit_truncates():
    env = made("workshop", max_episode_steps=3)
    env.reset(seed=0)
    assert [env.step(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]


def test_P_is_a_lazy_mapping_of_all_states():
    P = made("workshop").unwrapped.P
    mdp = made("workshop").unwrapped.mdp
    assert len(P) == len(mdp.terminal) == len(list(P))
    end = int(np.flatnonzero(mdp.terminal)[0])
    assert P[end][0] == [(1.0, end, 0.0, True)]
    with pytest.raises(KeyError):
        P[len(P)]


def test_chance_is_drawn_by_its_probabilities():
    problem = make_caring_table("workshop").problem
    mdp = problem.mdp
    following = np.repeat(mdp.next_state, 3, axis=2)
    following[:, :, 1:] = np.roll(following[:, :, 1:], 1, axis=0)
    chance = np.broadcast_to(np.array([0.25, 0.75, 0.0]), following.shape)
    table = CaringTable(
        replace(problem, mdp=replace(mdp, next_state=following, probability=chance, reward=np.zeros(following.shape))),
        0.0,
    )
    uniforms = np.linspace(0, 1, 1000, endpoint=False)
    fallen = table.draw_successor(np.zeros(1000, dtype=int), np.zeros(1000, dtype=int), uniforms)
    assert np.bincount(fallen).tolist() == [250, 750]
    assert table.draw_successor(0, 0, 1.0) == 1
    assert [outcome[0] for outcome in LazyTransitions(table)[0][0]] == [0.25, 0.75]


def test_bad_arguments_are_named():
    with pytest.raises(UnknownName, match="workshp"):
        make_caring_table("workshp")
    with pytest.raises(UnknownName, match="expcted"):
        made("workshop", formulation="expcted")
    with pytest.raises(BadValue, match="care"):
        made("workshop", care=float("nan"))
    with pytest.raises(BadValue, match="human"):
        GymnasiumWorld("workshop", render_mode="human")
    with pytest.raises(BadValue, match="action 99"):
        made("workshop").unwrapped.step(99)
    several = gymnasium.make_vec("caregrid/workshop-v0", num_envs=2)
    with pytest.raises(BadValue, match="before the first reset"):
        several.step(np.array([0, 0]))
    several.reset(seed=0)
    with pytest.raises(BadValue, match="out of range"):
        several.step(np.array([0, 99]))
