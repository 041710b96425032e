"""Extended environments through Gymnasium: the same turns as in our own loop."""

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import xenv
from caregrid.gym.extended import GymnasiumExtendedEnvironment
from craftworld.scenarios import SCENARIOS
from engine.agent import Transition
from engine.errors import BadValue
from xenv.environments import ENVIRONMENTS
from xenv.names import agent_spec


@pytest.mark.parametrize("name", ["tempting_button", "opposite(crying_baby)", "incentivize_zero"])
def test_gymnasium_checks_it(name: str) -> None:
    check_env(GymnasiumExtendedEnvironment(name, "q_learning", turns=50), skip_render_check=True)


def test_stepping_an_agent_of_the_spec_is_a_run() -> None:
    world = GymnasiumExtendedEnvironment("after_images", "q_learning", turns=200)
    actor = agent_spec("q_learning").build(8, 2, key=11)
    observation, _ = world.reset(seed=11)
    total, truncated = 0.0, False
    while not truncated:
        action = actor.act(observation)
        following, reward, terminated, truncated, _ = world.step(action)
        assert not terminated
        actor.train(Transition(observation, action, reward, following))
        total, observation = total + reward, following
    assert total == xenv.run_environment("after_images", "q_learning", 200, 11).total_reward


def test_every_environment_has_a_name_in_gymnasium() -> None:
    names = {name for name in gymnasium.registry if name.startswith("caregrid/")}
    assert names == {f"caregrid/{name}-v0" for name in (*SCENARIOS.names(), *ENVIRONMENTS.names())}
    assert len(names) == len(SCENARIOS.names()) + len(ENVIRONMENTS.names())  # no scenario has an environment's name


def test_one_is_made_by_its_name() -> None:
    named = gymnasium.make("caregrid/after_images-v0", agent="simple", turns=30)
    by_class = GymnasiumExtendedEnvironment("after_images", "simple", turns=30)
    assert named.reset(seed=4) == by_class.reset(seed=4)
    assert [named.step(turn % 2) for turn in range(30)] == [by_class.step(turn % 2) for turn in range(30)]
    several = gymnasium.make_vec("caregrid/repeater-v0", num_envs=3, agent="simple", turns=5)
    several.reset(seed=0)
    ended = [several.step([0, 1, 0])[3].all() for _ in range(5)]
    assert ended == [False] * 4 + [True]


def test_misuse() -> None:
    world = GymnasiumExtendedEnvironment("repeater", "simple")
    with pytest.raises(BadValue, match="call reset first"):
        world.step(0)
    world.reset(seed=1)
    with pytest.raises(BadValue, match="choose from 0 to 1"):
        world.step(2)
