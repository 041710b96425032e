"""Whatever is given for a setting of `caregrid.wrap`, the answer is a scenario or one line."""

import dataclasses
import warnings
from typing import Any

import pytest

import caregrid
from caregrid.wrapping.worlds.settings import WorldSettings
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
