"""Which agents take, ignore or refuse a hyper-parameter, and what environments that ask for one make of it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import xenv
from engine.agent import hyperparameter_names, with_hyperparameters
from engine.errors import BadValue, CaregridError, ContractBroken
from xenv.agents import BATTERY_AGENTS
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


WRONG = (
    None,
    "high",
    "",
    "9" * 5000,
    -1,
    10**400,
    float("nan"),
    1 + 2j,
    b"x",
    [1],
    {"a": 1},
    object(),
    np.ones(2),
    int,
)


@pytest.mark.parametrize("name", BATTERY_AGENTS.names())
def test_any_value_of_any_hyper_parameter_is_taken_or_named(name: str) -> None:
    """A value is taken, and agents are built of it, or one line names the hyper-parameter: by Python and by name."""
    spec = agent_spec(name)
    for field in hyperparameter_names(spec):
        for value in WRONG:
            for make in (
                lambda field=field, value=value: type(spec)(**{field: value}),
                lambda field=field, value=value: with_hyperparameters(spec, **{field: value}),
                lambda field=field, value=value: agent_spec(f"{name}({field}={value!r:.40})"),
            ):
                said = ""
                try:
                    make().build(2, 2, 0)
                except CaregridError as error:
                    said = str(error)
                assert len(said) < 300
                assert "\n" not in said
                assert "Error" not in said


def test_hyper_parameters_of_a_users_own_dataclass_are_checked_by_their_annotations() -> None:
    """A class that derives from nothing is checked where a name or an environment sets its hyper-parameters."""

    @dataclass(frozen=True)
    class Own:
        rate: float = 0.5
        times: int = 1
        word: str = "a"

        def build(self, n_observations: int, n_actions: int, key: int) -> Any:
            return None

    assert with_hyperparameters(Own(), rate=Fraction(1, 4), times=np.int64(3)) == Own(0.25, 3)
    for name, value in (("rate", "high"), ("times", 0.5), ("word", 3)):
        with pytest.raises(BadValue, match=f"agent Own: {name} is "):
            with_hyperparameters(Own(), **{name: value})
