"""What makes a scenario: its class, a function of the user's, or a scenario that is made already."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from craftworld.scenario import Scenario, require_declared
from engine.contracts import refuse
from engine.errors import BadValue, did_you_mean
from engine.grid import GridMap
from engine.user_code import place_of, user_code
from engine.value_types import annotations_of, check, value_types


class MadeScenario:
    """A scenario that a user's file holds ready-made, where a class or a function is expected."""

    def __init__(self, scenario: Scenario) -> None:
        self.__wrapped__ = scenario

    def __call__(self) -> Scenario:
        """The scenario."""
        return self.__wrapped__


HELD_OUT = "held_out"
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
ScenarioMaker = Callable[..., Scenario]
"""The class of a scenario, or a function that makes one; its parameters are the scenario's options."""


def make_scenario(kind: ScenarioMaker, map_file: str | Path | GridMap | None = None, /, **options: Any) -> Scenario:
    """A scenario made from its class or by a function, on the user's map (a file, or parsed), with its options.

    The option held_out is every scenario's: the number of a random map (`craftworld.random_maps.held_out`).

    Raises BadValue for options that it does not have and for a map where there is none to replace, MapError for a map
    that does not suit it, ContractBroken for what its own code raises or leaves out.
    """
    parameters = inspect.signature(kind, follow_wrapped=False).parameters
    known = [name for name in parameters if name != "grid"]
    anything = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    held_out = None if HELD_OUT in known else options.pop(HELD_OUT, None)
    for name in options:
        if name not in known and not anything:
            raise BadValue(f"unknown option '{name}'", place=_name_of(kind), remedy=did_you_mean(name, known))
        if name in known:
            options[name] = _as_declared(name, options[name], kind)
    if isinstance(kind, type) and issubclass(kind, Scenario):
        if held_out is not None:
            if map_file is not None:
                raise BadValue("a map and a held-out one", place=_name_of(kind), remedy="give one of them")
            from craftworld.random_maps.held_out import held_out_map  # solvers, which making others does not need

            with user_code(place_of(kind)):
                map_file = held_out_map(kind, held_out, **options)
        grid = map_file if map_file is None or isinstance(map_file, GridMap) else kind.parse_map_file(map_file)
        with user_code(place_of(kind)):
            return require_declared(kind(grid, **options))
    if map_file is not None or held_out is not None:
        remedy = "leave the map out" if held_out is None else "leave held_out out"
        raise BadValue("it has no map of its own", place=_name_of(kind), remedy=remedy)
    with user_code(place_of(kind)):
        made = kind(**options)
    if not isinstance(made, Scenario):
        refuse(kind, _name_of(kind), made, "a scenario, such as caregrid.wrap gives")
    return require_declared(made)


def _as_declared(name: str, value: Any, kind: Any) -> Any:
    """An option's value; BadValue where it is not of the plain type that its parameter is annotated with.

    On a command line "2" is a word as well as a number, and "yes" one way to write True.
    """
    allowed = value_types(annotations_of(getattr(kind, "__init__", kind) if isinstance(kind, type) else kind).get(name))
    admitted = [value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        admitted.append(str(value))
    if isinstance(value, str) and value.lower() in _TRUTH:
        admitted.append(_TRUTH[value.lower()])
    for spelled in admitted:
        if not allowed or any(one.admits(spelled) for one in allowed):
            return spelled
    check(f"option '{name}'", value, allowed, _name_of(kind))
    return value


def _name_of(kind: Any) -> str:
    return str(getattr(kind, "__name__", None) or type(getattr(kind, "__wrapped__", kind)).__name__)
