"""Which agents take, ignore or refuse a hyper-parameter, and what environments that ask for one make of it."""

from collections.abc import Callable
from typing import Any

import pytest

import xenv
from engine.errors import ContractBroken
from xenv.agents.simple import Simple
from xenv.names import agent_spec
from xenv.transformations import TRANSFORMATIONS

NAMED, ATTRIBUTE = "incentivize_learning_rate", "incentivize_learning_rate_halved"


class Still:
    """Acts 0 and has a learning rate only where it was given one."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)

    def act(self, observation: int) -> int:
        return 0

    def train(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        pass


class Refusing(Still):
    def __init__(self) -> None:
        super().__init__()


class Rated(Still):
    """Shows its learning rate, 0.5 unless given."""

    given: list[float]

    def __init__(self, learning_rate: float = 0.5) -> None:
        super().__init__(learning_rate=learning_rate)
        self.given.append(learning_rate)


class RatedInside(Still):
    """Takes a learning rate that cannot be read."""

    def __init__(self, learning_rate: float = 0.5) -> None:
        super().__init__(hidden=learning_rate)


class RatedAndRefusing(Refusing):
    learning_rate = 0.5


def forwarding(**settings: Any) -> Still:
    return Refusing(**settings)


def total(environment: str, agent: Any, turns: int = 40) -> float:
    return xenv.run_environment(environment, agent, turns, 1).total_reward


@pytest.mark.parametrize("agent", ["random", "constant", "simple", Simple, Still])
@pytest.mark.parametrize("wrapper", ["", "reality_check", "reality_check_published"])
def test_agents_that_ignore_keywords_match_an_ordinary_copy(agent: Any, wrapper: str) -> None:
    spec = agent_spec(agent)
    if wrapper:
        spec = TRANSFORMATIONS[wrapper](spec)
    expected = total("punish_nondeterministic", spec)  # an ordinary copy, asked the same
    assert total(NAMED, spec) == expected
    assert total(f"opposite({NAMED})", spec) == total("opposite(punish_nondeterministic)", spec)


@pytest.mark.parametrize(("agent", "opposite"), [("random", -40), ("constant", -40), ("simple", 38)])
def test_each_of_them_gets_every_reward(agent: str, opposite: int) -> None:
    """Simple, punished once for what its copy does, does the other for ever."""
    assert (total(NAMED, agent), total(f"opposite({NAMED})", agent)) == (40, opposite)


@pytest.mark.parametrize("agent", [Refusing, forwarding, xenv.reality_check(Refusing), xenv.reality_check(forwarding)])
def test_agents_that_refuse_the_keyword_always_lose(agent: Callable[..., Any]) -> None:
    assert (total(NAMED, agent), total(f"opposite({NAMED})", agent)) == (-40, 40)


def test_a_mistake_inside_an_agent_is_no_refusal() -> None:
    def careless(**settings: Any) -> Still:
        if settings:
            raise TypeError("unsupported operand type(s)")
        return Still()

    with pytest.raises(ContractBroken, match=r"it makes no agent: .*unsupported operand"):
        total(NAMED, careless)


def test_the_halved_form_reads_the_attribute_of_a_fresh_agent() -> None:
    seen = type("Seen", (Rated,), {"given": []})
    assert total(ATTRIBUTE, seen) == 40
    assert 0.25 in seen.given  # type: ignore[attr-defined]
    assert total(ATTRIBUTE, "q_learning", 300) > -300
    assert total(ATTRIBUTE, "sb3_dqn", 3) > -3


@pytest.mark.parametrize(
    "agent",
    ["random", "simple", Still, RatedInside, RatedAndRefusing, xenv.reality_check(Rated), "reality_check(q_learning)"],
)
def test_the_halved_form_gives_nothing_to_agents_that_show_none(agent: Any) -> None:
    Rated.given = []
    assert (total(ATTRIBUTE, agent), total(f"opposite({ATTRIBUTE})", agent)) == (-40, 40)


def test_a_named_source_of_numbers_is_offered_to_those_who_name_it() -> None:
    offered: list[dict[str, Any]] = []

    def factory(**settings: Any) -> Still:
        offered.append(settings)
        return Still()

    xenv.run_environment("repeater", factory, 3, randomness="published")
    assert all("randomness" not in settings for settings in offered)
