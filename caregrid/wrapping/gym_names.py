"""`gym:ID`, as commands and sweep files spell a registered environment, and how one is made.

A name with an id is the scenario `make_registered_scenario` of this module with the option `id`, so that it travels to
workers as any user's scenario does; where no options are taken it is the attribute `FrozenLake_v1` of this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue

if TYPE_CHECKING:
    from craftworld.scenario import Scenario

PREFIX = "gym:"
SCENARIO = "caregrid.wrapping.gym_names:make_registered_scenario"
OWN_OPTIONS = ("discount", "own", "most_states", "chance")
WORDS = {"true": True, "false": False, "none": None}


Options = Mapping[str, Any] | Sequence[str]


def find_attribute_name(name: str) -> str:
    """A scenario's name; `gym:ID` as an attribute of this module, UnknownName where no environment is called so."""
    if not name.startswith(PREFIX):
        return name
    from caregrid.wrapping.make_world import require_id

    id = name.removeprefix(PREFIX)
    require_id(id)
    return f"{SCENARIO.partition(':')[0]}:{_spell_identifier(id)}"


def __getattr__(name: str) -> Callable[..., Scenario]:
    """The function that makes the scenario of the environment whose id, spelled as a Python name, is asked for."""
    if not name.startswith("_"):
        from caregrid.wrapping.make_world import list_ids

        for id in list_ids():
            if _spell_identifier(id) == name:
                return _make_scenario_maker(id)
    raise AttributeError(f"no environment is called {name}")


def _make_scenario_maker(id: str) -> Callable[..., Scenario]:
    def make(**options: Any) -> Scenario:
        return make_registered_scenario(id, **options)

    return make


def _spell_identifier(id: str) -> str:
    return re.sub(r"\W", "_", id)


def find_scenario(scenario: Any) -> tuple[Any, dict[str, Any]]:
    """Return what to make a scenario of, and with which options: `gym:ID` as a function and its option."""
    if isinstance(scenario, str) and scenario.startswith(PREFIX):
        return SCENARIO, {"id": scenario.removeprefix(PREFIX)}
    return scenario, {}


def split_name(name: str, options: Options = ()) -> tuple[str, Options]:
    """A scenario's name and its options (a mapping, or NAME=VALUE texts); `gym:ID` as a function and its option."""
    if not name.startswith(PREFIX):
        return name, options
    return add_option(SCENARIO, "id", name.removeprefix(PREFIX), options)


def add_option(function: str, option: str, value: str, options: Options) -> tuple[str, Options]:
    """Return a function that makes a scenario, and the options with the one that a name stands for.

    BadValue where that one is among the options, too.
    """
    plain = isinstance(options, Mapping)
    if option in (options if plain else (pair.partition("=")[0].strip() for pair in options)):
        raise BadValue(f"unknown option '{option}'", place=value, remedy="leave it out: the name says it")
    return function, {option: value, **options} if isinstance(options, Mapping) else (f"{option}={value}", *options)


def make_registered_scenario(id: str = "", **options: Any) -> Scenario:
    """Return the scenario of a registered environment, with its own options and those of `caregrid.wrap`.

    id: as Gymnasium spells it. options: true, false and none are read as such; OWN_OPTIONS are those of `wrap`; seeds
    is the number of resets, whose start states are equally likely. The table is kept in the user's cache folder.
    """
    from caregrid.wrapping.make_world import make_registered
    from caregrid.wrapping.walks import find_cache_file
    from caregrid.wrapping.wrap import wrap

    known: dict[str, Any] = {name: options.pop(name) for name in OWN_OPTIONS if name in options}
    if "seeds" in options:
        known["seeds"] = range(int(options.pop("seeds")))
    values = {name: WORDS.get(str(value).lower(), value) for name, value in options.items()}
    return wrap(lambda: make_registered(id, **values), table=find_cache_file(id, values), **known)
