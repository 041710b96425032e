"""Whatever is given for a setting of `caregrid.wrap`, the answer is a scenario or one line."""

import dataclasses
import inspect
import math
import re
import typing
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caregrid
from caregrid import WorldSettings
from caregrid.wrapping.settings import WorldWords
from craftworld.table_scenario import TableScenario
from engine.errors import CaregridError
from tests.caregrid.wrapping.own_worlds import Corridor, Meeting

ODD: list[Any] = [
    None,
    -1,
    0,
    1.5,
    float("nan"),
    10**30,
    "x",
    "",
    b"x",
    (),
    [None],
    ["agent_cell", 3],
    {},
    {"right": 3},
    object(),
    lambda: 1,
    lambda env: env,
    lambda *given: [],
    lambda *given: {}["nothing"],
    int,
]
NAMES = [field.name for field in dataclasses.fields(WorldSettings)]


def answer(env: Any, settings: dict[str, Any]) -> str:
    """ "scenario", or the message of the refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "scenario" if isinstance(caregrid.wrap(env, **settings), TableScenario) else "\n"
        except CaregridError as error:
            return str(error)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, "others", "options", "discount", "own", "most_states", "table", "progress"])
@pytest.mark.parametrize("env", [Corridor, Meeting])
def test_every_setting_is_taken_or_refused_in_one_line(
    env: Any, name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given: dict[str, Any] = {"policies": {"right": lambda seen: 1}} if env is Meeting else {}
    answers = [answer(env, {**given, name: value}) for value in ODD]
    assert not [text for text in answers if "\n" in text]
    assert {text == "scenario" for text in answers} >= {False}


def others_with(name: str, value: Any) -> str:
    try:
        return answer(Corridor, {"others": [caregrid.Other(**{name: value})], "most_states": 500})
    except CaregridError as error:
        return str(error)


@pytest.mark.slow
@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(caregrid.Other)])
def test_every_field_of_another_agent_is_taken_or_refused_in_one_line(name: str) -> None:
    answers = [others_with(name, value) for value in ODD]
    assert not [text for text in answers if "\n" in text]
    assert {text == "scenario" for text in answers} >= {False}


STATES = (
    {},
    {"cell": 1},
    {1: float("nan")},
    {1: -0.5, 2: 1.5},
    {1: "much"},
    {1: None},
    [],
    [1, 0.5],
    set(),
    float("nan"),
    float("inf"),
    "state",
    b"x",
    object(),
    None,
    True,
    10**40,
    (0, 0),
    (0.5, 0),
    ("row", "column"),
    ((0, 0), (0, 1)),
)


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("env", ["FrozenLake-v1", Corridor])
@pytest.mark.parametrize("given", STATES, ids=range(len(STATES)))
def test_whatever_a_continuation_gives_is_taken_or_refused_in_one_line(env: Any, given: Any) -> None:
    """Also as the likely one of two states: mappings are laws, everything else is a state."""
    for continues in (lambda state: given, lambda state: {state: 0.5, **(given if isinstance(given, dict) else {})}):
        text = answer(env, {"others": [caregrid.Other(continues=continues)]})
        assert "\n" not in text
        assert text == "scenario" or "continuation" in text, text


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("name", ["goal", "reward"])
@pytest.mark.parametrize("given", STATES, ids=range(len(STATES)))
def test_whatever_a_goal_or_a_reward_gives_is_taken_or_refused_in_one_line(name: str, given: Any) -> None:
    function = {"goal": lambda state: given, "reward": lambda state, action, after: given}[name]
    text = answer("FrozenLake-v1", {"others": [caregrid.Other(**{name: function})]})
    assert "\n" not in text
    assert text == "scenario" or "test_odd_settings.py" in text, text


@settings(max_examples=60, deadline=None)
@given(
    probability=st.floats() | st.integers() | st.none() | st.booleans(),
    weight=st.floats() | st.integers() | st.text(max_size=2),
)
def test_any_probability_and_weight_are_taken_or_refused(probability: Any, weight: Any) -> None:
    def good(value: Any, least: float, most: float) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and math.isfinite(value) and least <= value <= most

    if good(probability, 0.0, 1.0) and good(weight, -math.inf, math.inf):
        assert caregrid.Other(probability=probability, weight=weight).weight == weight
    else:
        with pytest.raises(CaregridError, match=r"give a (finite )?number"):
            caregrid.Other(probability=probability, weight=weight)


def test_the_arguments_of_wrap_are_the_settings() -> None:
    fields = {field.name: field.type for field in dataclasses.fields(WorldSettings)}
    assert {name: hint.__forward_arg__ for name, hint in WorldWords.__annotations__.items()} == fields


def test_a_type_checker_knows_the_settings() -> None:
    """PEP 692: of `**settings: Unpack[...]` a checker refuses every other name, and every other type of a value."""
    settings = inspect.signature(caregrid.wrap, eval_str=True).parameters["settings"]
    assert settings.kind is inspect.Parameter.VAR_KEYWORD
    assert typing.get_args(settings.annotation) == (WorldWords,)
    assert not WorldWords.__required_keys__


@pytest.mark.parametrize(
    ("name", "meant"),
    [("chanse", "chance"), ("seed", "seeds"), ("perfomance", "performance"), ("timelimit", "time_limit")],
)
def test_a_misspelt_setting_is_answered_with_the_one_that_was_meant(name: str, meant: str) -> None:
    """Also one of wrap's own arguments."""
    line = f"wrap: got an unexpected keyword argument '{name}'; did you mean '{meant}'?"
    misspelt: dict[str, Any] = {name: "every draw"}
    with pytest.raises(TypeError, match=f"^{re.escape(line)}$"):
        caregrid.wrap(Corridor, **misspelt)
