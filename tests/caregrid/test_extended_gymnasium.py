"""Extended environments through Gymnasium: the same turns as in our own loop."""

import pytest
from gymnasium.utils.env_checker import check_env

import xenv
from caregrid.environments.extended import GymnasiumExtendedEnvironment
from engine.agent import Transition
from engine.errors import BadValue
from xenv.specs.names import agent_spec


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


def test_misuse() -> None:
    world = GymnasiumExtendedEnvironment("repeater", "simple")
    with pytest.raises(BadValue, match="call reset first"):
        world.step(0)
    world.reset(seed=1)
    with pytest.raises(BadValue, match="choose from 0 to 1"):
        world.step(2)
