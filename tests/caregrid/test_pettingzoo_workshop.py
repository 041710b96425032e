"""The shared workshop passes PettingZoo's tests, and with the paper's second agent it is the scenario's own table."""

import gymnasium
import numpy as np
import pytest

import caregrid
from caregrid.gym.pettingzoo_workshop import env, parallel_env
from engine.errors import BadValue

their_import_warns = pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")


@their_import_warns
def test_parallel_api():
    from pettingzoo.test import parallel_api_test

    parallel_api_test(parallel_env(), num_cycles=300)
    parallel_api_test(parallel_env(max_cycles=20, care=1.0), num_cycles=300)


@their_import_warns
def test_parallel_seed():
    from pettingzoo.test import parallel_seed_test

    parallel_seed_test(lambda: parallel_env(key_start="uniform"), num_cycles=200)


@their_import_warns
def test_turn_taking_api():
    from pettingzoo.test import api_test

    api_test(env(), num_cycles=300)


def played(world, first_actions):
    """Let agent_2 follow the scenario's policy while agent_1 does as given; yields the results of the steps."""
    world.reset(seed=0)
    for action in first_actions:
        halfway = world.scenario.act(type(world._state)(*map(np.atleast_1d, world._state)), 0, np.array([action]))
        second = int(world.scenario.choose_second_action(halfway)[0])
        yield world.step({"agent_1": action, "agent_2": second})


def test_with_the_papers_second_agent_it_is_the_scenarios_own_world():
    assert caregrid
    alone = gymnasium.make("caregrid/workshop_shared-v0", care=2.0).unwrapped
    rng = np.random.default_rng(0)
    for _ in range(5):
        state, _ = alone.reset(seed=0)
        actions = rng.integers(alone.action_space.n, size=120)
        world = parallel_env(care=2.0)
        for action, result in zip(actions, played(world, actions), strict=False):
            state, reward, terminated, _, info = alone.step(int(action))
            observations, rewards, terminations, _, infos = result
            described = world.scenario.describe(alone.mdp.states[state])
            assert world.state().tolist() == list(alone.mdp.states[state])
            assert observations["agent_1"][:2].tolist() == described["cell"]
            assert observations["agent_2"].tolist()[:6] == observations["agent_1"].tolist()[7:]
            assert rewards["agent_1"] == reward
            assert terminations["agent_2"] == terminated
            assert infos["agent_1"]["welfare"] == info["welfare"]
            if terminated:
                break


def test_leaving_with_the_key_strands_the_other():
    world = parallel_env()
    names = world.scenario.actions
    optimum = gymnasium.make("caregrid/workshop_shared-v0", care=0.0).unwrapped
    from engine.planning.dynamic_programming import plan

    policy = plan(optimum.table.problem.make_augmented_table(0.0, int(optimum.table.starts[0]))).policy
    state, _ = optimum.reset(seed=0)
    world.reset(seed=0)
    totals = np.zeros(2)
    ended = False
    while not ended:
        action = int(policy[state])
        halfway = world.scenario.act(type(world._state)(*map(np.atleast_1d, world._state)), 0, np.array([action]))
        result = world.step({"agent_1": action, "agent_2": int(world.scenario.choose_second_action(halfway)[0])})
        totals += [result[1]["agent_1"], result[1]["agent_2"]]
        state, *_ = optimum.step(action)
        ended = result[2]["agent_1"]
    assert "put down the key" in names
    assert totals.tolist() == [-24.0, -123.0]
    assert world.agents == []


def test_each_sees_the_key_from_its_own_side():
    world = parallel_env()
    world.reset(seed=0)
    places, names = len(world.scenario.key_places), world.scenario.actions
    way = ["right", "right", "pick up the key"]
    for name in way:
        seen, *_ = world.step({"agent_1": names.index(name), "agent_2": names.index("wait")})
    assert (seen["agent_1"][6], seen["agent_2"][6]) == (places, places + 1)
    assert seen["agent_1"][:2].tolist() == [1, 3]
    assert all(world.observation_space(agent).contains(seen[agent]) for agent in world.agents)


def test_pictures():
    world = parallel_env(render_mode="ansi")
    world.reset(seed=0)
    assert "@" in world.render() or "2" in world.render()
    pixels = parallel_env(render_mode="rgb_array")
    pixels.reset(seed=0)
    before = pixels.render()
    pixels.step({"agent_1": 2, "agent_2": 4})
    assert before.dtype == np.uint8
    assert not np.array_equal(before, pixels.render())


def test_bad_arguments_are_named():
    with pytest.raises(BadValue, match="human"):
        parallel_env(render_mode="human")
    world = parallel_env()
    world.reset()
    with pytest.raises(BadValue, match=r"agent_2.*action 99"):
        world.step({"agent_1": 0, "agent_2": 99})


@pytest.mark.parametrize("slip", [0.0, 0.3])
def test_rules_that_are_kept_are_those_of_the_scenario(slip):
    world = parallel_env(slip=slip, max_cycles=60)
    scenario, rng = world.scenario, np.random.default_rng(1)
    for _ in range(4):
        world.reset(seed=2)
        while world.agents:
            before = type(world._state)(*map(np.atleast_1d, world._state))
            first, second = rng.integers(len(scenario.agent_actions), size=2)
            possible = []
            for fails in (False, True):
                halfway = scenario.apply_action(before, 0, np.array([first]), fails)
                possible += [halfway] if scenario.is_terminal(halfway)[0] else []
                possible += [scenario.apply_action(halfway, 1, np.array([second]), also) for also in (False, True)]
            _, rewards, terminated, _, _ = world.step({"agent_1": first, "agent_2": second})
            after = next(each for each in possible if [int(field[0]) for field in each] == world.state().tolist())
            assert rewards["agent_1"] == scenario.agent_reward(0, before, after)[0]
            assert rewards["agent_2"] == scenario.agent_reward(1, before, after)[0]
            assert terminated["agent_1"] == scenario.is_terminal(after)[0]
            if not slip:
                straight = scenario.apply_action(before, 0, np.array([first]))
                if not scenario.is_terminal(straight)[0]:
                    straight = scenario.apply_action(straight, 1, np.array([second]))
                assert [int(field[0]) for field in straight] == world.state().tolist()
