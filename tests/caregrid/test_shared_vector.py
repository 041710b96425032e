"""Copies of shared worlds: rewards are those of the rules, any split gives the same, ends are reported."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from caregrid.gym.shared_vector import SharedVectorWorld
from craftworld.scenarios.common_meadow import CommonMeadow
from craftworld.scenarios.garden import Garden
from craftworld.scenarios.passing_places import PassingPlaces
from engine.errors import BadValue
from tests.craftworld.test_shared_scenarios import Pair

N, STEPS, LIMIT, CARE = 6, 25, 7, 0.5
each_world = pytest.mark.parametrize("world", [CommonMeadow, PassingPlaces, Pair])
each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def made(world: Any, n: int = N, **more: Any) -> SharedVectorWorld:
    return SharedVectorWorld(world() if isinstance(world, type) else world, CARE, num_envs=n, max_cycles=LIMIT, **more)


def drawn(copies: SharedVectorWorld) -> list[dict[str, Any]]:
    draws, shape = np.random.default_rng(1), (STEPS, len(copies.possible_agents), N)
    actions = draws.integers(len(copies.scenario.agent_actions), size=shape)
    return [dict(zip(copies.possible_agents, each, strict=True)) for each in actions]


@each_world
@each_mode
def test_rewards_and_reports_are_those_of_the_rules(world: Any, mode: AutoresetMode) -> None:
    copies = made(world, autoreset_mode=mode)
    scenario, mdp, first = copies.scenario, copies._joint.mdp, copies.possible_agents[0]
    seen, _ = copies.reset(seed=3)
    so_far, over, ends = np.zeros((len(copies.possible_agents), N)), np.zeros(N, dtype=bool), 0
    for actions in drawn(copies):
        if mode is AutoresetMode.DISABLED and over.any():
            seen, _ = copies.reset(options={"reset_mask": over})
            so_far[:, over], over = 0.0, np.zeros(N, dtype=bool)
        before, begins = seen[first], over & (mode is AutoresetMode.NEXT_STEP)
        seen, rewards, terminations, truncations, infos = copies.step(actions)
        over = terminations[first] | truncations[first]
        reached = seen[first].copy()
        if mode is AutoresetMode.SAME_STEP and over.any():
            reached[over] = infos[first]["final_obs"][over].astype(np.int64)
        so_far[:, begins] = 0.0
        for lane in np.flatnonzero(~begins):
            states = [type(mdp.states[0])(*map(np.atleast_1d, mdp.states[place[lane]])) for place in (before, reached)]
            got = [float(np.ravel(scenario.agent_reward(j, *states))[0]) for j in range(len(so_far))]
            so_far[:, lane] += got
            assert rewards[first][lane] == pytest.approx(got[0] + CARE * sum(got[1:]))
            assert [rewards[agent][lane] for agent in copies.possible_agents[1:]] == got[1:]
        assert all(not reward[begins].any() for reward in rewards.values())
        for j, agent in enumerate(copies.possible_agents):
            others, info = so_far.sum(axis=0) - so_far[j], infos[agent]
            if mode is AutoresetMode.SAME_STEP and over.any():
                assert info["final_info"]["welfare"] == pytest.approx(np.where(over, others, 0.0))
                assert info["_final_info"].tolist() == info["_final_obs"].tolist() == over.tolist()
                others = np.where(over, 0.0, others)
            assert info["welfare"] == pytest.approx(others)
        if mode is AutoresetMode.SAME_STEP:
            so_far[:, over] = 0.0
        ends += over.sum()
    assert ends > N


@pytest.mark.slow_cases(beyond=2)
@each_world
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name)
def test_any_split_has_the_same_trajectories(world: Any, mode: AutoresetMode) -> None:
    whole, parts = made(world, autoreset_mode=mode), [made(world, n, autoreset_mode=mode) for n in (2, 4)]
    for copies, seed in ((whole, 5), (parts[0], 5), (parts[1], 7)):
        copies.reset(seed=seed)
    for actions in drawn(whole):
        lanes = [{agent: given[of] for agent, given in actions.items()} for of in (slice(2), slice(2, None))]
        results = [copies.step(given) for copies, given in zip(parts, lanes, strict=True)]
        for number, together in enumerate(whole.step(actions)[:4]):
            for agent, column in together.items():
                split = np.concatenate([result[number][agent] for result in results])
                assert column.tobytes() == split.tobytes()


def test_bad_actions_are_named() -> None:
    copies = made("common_meadow")
    copies.reset(seed=0)
    agents, fine = copies.possible_agents, np.zeros(N, dtype=np.int64)
    with pytest.raises(BadValue, match="give herder 1, herder 2, herder 3"):
        copies.step({agents[0]: fine})
    for wrong in (fine + 3, fine - 1, fine[:2], fine.astype(float)):
        with pytest.raises(BadValue, match=r"herder 2.*out of range.*from 0 to 2"):
            copies.step({**dict.fromkeys(agents, fine), agents[1]: wrong})
    with pytest.raises(BadValue, match="planner"):
        made("workshop")
    with pytest.raises(BadValue, match="not a shared world"):
        made(Garden())
