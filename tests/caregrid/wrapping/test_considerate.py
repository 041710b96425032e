"""`caregrid.Considerate`: its estimates and the agents trained on it agree with exact solutions."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import caregrid
from caregrid.wrapping.considerate import Refresh
from caregrid.wrapping.value_learners.tabular import Tabular
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import make_problem
from tests.caregrid.wrapping.own_worlds import Corridor

OFTEN = Refresh(first=3000, every=10, steps=300, memory=20)


class Lamp(Corridor):
    """Switching the light costs 5: more than it spares oneself, less than it spares oneself and the next."""

    def step(self, action: int) -> Any:
        observation, reward, *rest = super().step(action)
        return observation, -5.0 if action == 1 else reward, *rest


class Cut(Corridor):
    """Every episode is cut after six steps."""

    def step(self, action: int) -> Any:
        self.taken = getattr(self, "taken", 0) + 1
        observation, reward, terminated, _, info = super().step(action)
        return observation, reward, terminated, self.taken % 6 == 0, info


def last_info(env: Any, actions: list[int], seed: int = 0) -> tuple[float, dict[str, Any]]:
    """The return of a walk and what is known at its end."""
    env.reset(seed=seed)
    total = 0.0
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        total += reward
    assert terminated or truncated
    return total, info["others"]


def q_learned(env: Any, episodes: int = 400) -> list[int]:
    """The greedy walk of a plain Q-learner, which any environment will do for."""
    values: dict[tuple[float, ...], np.ndarray] = {}
    generator = np.random.Generator(np.random.PCG64(0))

    def of(observation: Any) -> np.ndarray:
        return values.setdefault(tuple(np.asarray(observation, dtype=float)), np.zeros(2))

    for _ in range(episodes):
        state, over = env.reset()[0], False
        while not over:
            explores = generator.random() < 0.2
            action = int(generator.integers(2)) if explores else int(of(state).argmax())
            following, reward, over, _, _ = env.step(action)
            target = reward + (0.0 if over else of(following).max())
            of(state)[action] += 0.5 * (target - of(state)[action])
            state = following
    walk, over, state = [], False, env.reset()[0]
    while not over and len(walk) < 30:
        walk.append(int(of(state).argmax()))
        state, _, over, _, _ = env.step(walk[-1])
    return walk


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("timing", ["terminated", "ended", "every step"])
@pytest.mark.parametrize("care", [0.1, 0.5])
def test_a_trained_agent_does_what_the_exact_one_does(care: float, timing: str) -> None:
    exact = solve(make_problem(caregrid.wrap(Lamp)), care)[0]
    env = caregrid.Considerate(Lamp, care=care, refresh=OFTEN, timing=timing)
    walk = q_learned(env)
    total, others = last_info(env, walk)
    plain = caregrid.Considerate(Lamp, care=0.0, refresh=Refresh(first=0))
    own, _ = last_info(plain, walk)
    assert own == exact.own
    assert others["next agent"]["true"] == exact.others["next agent"]
    assert others["next agent"]["estimated"] == pytest.approx(exact.others["next agent"], abs=0.05)
    left_unchanged = -8.0 if timing == "every step" else 0.0  # F(s0), which shaping takes off every return
    assert total == pytest.approx(own + care * (exact.others["next agent"] - left_unchanged), abs=0.1)


@pytest.mark.slow
def test_what_was_learned_agrees_with_exact_values_on_a_grid() -> None:
    """Of each way to leave a DoorKey grid, what the next agent is estimated to get is what it gets exactly."""
    name = "MiniGrid-DoorKey-5x5-v0"
    problem = make_problem(caregrid.wrap(name))
    outcome = solve(problem, 0.0)[0]
    env = caregrid.Considerate(name, refresh=Refresh(first=0, every=1, steps=20_000, memory=1))
    walk = [problem.scenario.actions.index(action) for action in outcome.actions]
    last_info(env, walk)
    own, others = last_info(env, walk)
    exact = outcome.others["next agent"]
    assert others["next agent"]["estimated"] == pytest.approx(exact, abs=0.02)
    assert others["next agent"]["true"] == pytest.approx(exact, abs=0.02)
    assert own - others["next agent"]["estimated"] == pytest.approx(outcome.own, abs=1e-9)


@pytest.mark.slow
def test_a_random_world_is_estimated() -> None:
    env = caregrid.Considerate("FrozenLake-v1", learner=Tabular(rate_exponent=0.5), refresh=Refresh(first=60_000))
    env.reset(seed=0)
    left = env.hand_over()["next agent"]
    values = env.others["next agent"]
    assert values.estimate(left) == pytest.approx(14 / 17, abs=0.2)
    assert values.true_return(left, 300) == pytest.approx(14 / 17, abs=0.15)


def in_the_dark(state: Any) -> Any:
    state.agent_cell, state.lit = 0, False
    return state


def anywhere(state: Any) -> Any:
    return {(0, False): 0.25, (0, True): 0.75}


def get_state(env: Any) -> Any:
    return env.agent_cell, env.lit


def set_state(env: Any, state: Any) -> None:
    env.agent_cell, env.lit = state


def test_others_in_the_users_words() -> None:
    others = [
        caregrid.Other(probability=0.5),
        caregrid.Other(continues=in_the_dark, probability=0.25, name="stranger"),
        caregrid.Other(goal=lambda state: state.agent_cell == 2, name="halfway"),
        caregrid.Other(reward=lambda old, action, new: -1.0 - new.lit, continues=in_the_dark, name="bat"),
    ]
    exact = solve(make_problem(caregrid.wrap(Corridor, others=others)), 0.0)[0]
    env = caregrid.Considerate(Corridor, others, care=2.0, refresh=Refresh(first=3000, every=1, steps=2000))
    last_info(env, [1, 0, 0, 0, 0])
    total, found = last_info(env, [1, 0, 0, 0, 0])
    assert {name: each["true"] for name, each in found.items()} == exact.others
    for name, value in exact.others.items():
        assert found[name]["estimated"] == pytest.approx(value, abs=0.05)
    caring = sum(other.probability * found[name]["estimated"] for other, name in zip(others, found, strict=True))
    assert total == pytest.approx(-5.0 + 2.0 * caring)


def test_a_continuation_may_be_random() -> None:
    settings = {"get_state": get_state, "set_state": set_state}
    env = caregrid.Considerate(
        Corridor, [caregrid.Other(continues=anywhere)], refresh=Refresh(first=4000), true_episodes=200, **settings
    )
    _, others = last_info(env, [0, 0, 0, 0])
    assert others["next agent"]["estimated"] == pytest.approx(0.25 * -5.0 + 0.75 * -4.0, abs=0.05)
    assert others["next agent"]["true"] == pytest.approx(0.25 * -5.0 + 0.75 * -4.0, abs=0.1)


def test_another_environment_of_the_same_kind_continues_by_itself() -> None:
    others = [caregrid.Other(gymnasium.make("FrozenLake-v1", is_slippery=False), name="sure-footed")]
    env = caregrid.Considerate(gymnasium.make("FrozenLake-v1"), others, refresh=Refresh(first=5000))
    env.reset(seed=0)
    left = env.hand_over()["sure-footed"]
    assert env.others["sure-footed"].true_return(left, 1) == 1.0


def test_values_follow_what_is_handed_over() -> None:
    """Nobody has begun in the light before the acting agent lit it; after a refresh its value is known."""
    env = caregrid.Considerate(Corridor, refresh=Refresh(first=2000, every=2, steps=2000, memory=2))
    estimates = [last_info(env, [1, 0, 0, 0, 0])[1]["next agent"]["estimated"] for _ in range(3)]
    assert estimates[2] == pytest.approx(-4.0, abs=0.01)


def test_formulations_weigh_the_estimates() -> None:
    """Whoever is no worse off counts no gain: the light is no merit, and darkness no harm."""
    settings: dict[str, Any] = {"care": 1.0, "refresh": Refresh(first=3000, every=1, steps=3000)}
    others = [caregrid.Other(), caregrid.Other(continues=in_the_dark, name="stranger")]
    expected = {"expected": -5.0 - 4.0 - 5.0, "worst_case": -5.0 - 5.0, "no_worse_off": -5.0 - 5.0 - 5.0}
    for formulation, total in expected.items():
        env = caregrid.Considerate(Corridor, others, formulation=formulation, **settings)
        last_info(env, [1, 0, 0, 0, 0])
        assert last_info(env, [1, 0, 0, 0, 0])[0] == pytest.approx(total, abs=0.05), formulation


def test_agents_of_fixed_weight_count_whatever_the_care() -> None:
    others = [caregrid.Other(weight=3.0, swept=False, name="always"), caregrid.Other(weight=2.0, name="by care")]
    totals = []
    for care in (0.0, 1.0):
        env = caregrid.Considerate(
            Corridor, others, care=care, formulation="per_agent", refresh=Refresh(first=4000, every=1)
        )
        totals.append(last_info(env, [0, 0, 0, 0])[0])
    assert totals == pytest.approx([-8.0 - 15.0, -8.0 - 25.0], abs=0.1)


@pytest.mark.parametrize("timing", ["terminated", "ended", "every step"])
def test_an_episode_that_is_cut_has_ended_for_those_who_take_it_so(timing: str) -> None:
    env = caregrid.Considerate(Cut, timing=timing, refresh=Refresh(first=4000, every=100), ignore=("taken",))
    total, others = last_info(env, [1, 0, 0, 1, 1, 1])
    assert others["next agent"]["estimated"] == pytest.approx(-5.0, abs=0.01)
    assert total == pytest.approx(-6.0 + {"terminated": 0.0, "ended": -5.0, "every step": 0.0}[timing], abs=0.01)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "MiniGrid-DoorKey-5x5-v0", "Taxi-v4", "CliffWalking-v1"])
def test_it_is_an_environment_as_gymnasium_wants_it(name: str) -> None:
    env = caregrid.Considerate(name, refresh=Refresh(first=500))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(different from the unwrapped version|render).*")
        warnings.filterwarnings("ignore", ".*not within the observation space.*")
        check_env(env, skip_render_check=True)


def trace(env: Any, actions: Any, seed: int) -> list[Any]:
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [repr(observation), repr(info)]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [repr(observation), type(reward), repr(reward), terminated, truncated]
        if terminated or truncated:
            observation, info = env.reset()
            seen += [repr(observation), repr(info)]
    return seen


def upright(state: Any) -> Any:
    state.state, state.steps_beyond_terminated = (0.0, 0.0, 0.0, 0.0), None
    return state


@pytest.mark.parametrize("name", ["FrozenLake-v1", "MiniGrid-DoorKey-5x5-v0", "Taxi-v4", "CartPole-v1"])
@pytest.mark.parametrize("timing", ["terminated", "every step"])
def test_care_0_is_the_plain_environment(name: str, timing: str) -> None:
    """The same observations, rewards, ends and types, whatever is learned beside."""
    caregrid.Considerate("MiniGrid-Empty-5x5-v0", refresh=Refresh(first=0))  # registers MiniGrid
    actions = np.random.Generator(np.random.PCG64(3)).integers(gymnasium.make(name).action_space.n, size=400).tolist()
    others = [caregrid.Other(continues=upright)] if name == "CartPole-v1" else None
    settings: dict[str, Any] = {"refresh": Refresh(first=200, every=3, steps=100), "time_limit": 50}
    caring = caregrid.Considerate(gymnasium.make(name), others, care=0.0, timing=timing, **settings)
    assert trace(caring, actions, 5) == trace(gymnasium.make(name), actions, 5)


@pytest.mark.parametrize("name", ["MiniGrid-DoorKey-5x5-v0", "FrozenLake-v1"])
def test_equal_seeds_give_equal_bytes(name: str) -> None:
    actions = np.random.Generator(np.random.PCG64(3)).integers(4, size=300).tolist()
    refresh = Refresh(first=300, every=5, steps=100)
    made = [caregrid.Considerate(name, care=0.7, seed=seed, refresh=refresh, timing="ended") for seed in (1, 1, 2)]
    first, again, other = (trace(env, actions, 5) for env in made)
    assert first == again
    assert first != other or name != "FrozenLake-v1"
