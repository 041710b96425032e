"""Make a scenario from its class, from a user's function, or from a scenario that exists already.

`make_scenario` sets the map and the options. `accept_scenario_maker` checks the declarations of a class without making
a scenario: the cheap part of the contract.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from craftworld.scenario import Scenario, require_declared
from engine.contracts import refuse, refuse_misspelt, require_class, require_parameters
from engine.errors import BadValue, ContractBroken, did_you_mean
from engine.grid import GridMap
from engine.user_code import describe_place, user_code
from engine.value_types import annotations_of, check, value_types


class MadeScenario:
    """A user's scenario that exists already, where a class or a function is expected."""

    def __init__(self, scenario: Scenario) -> None:
        self.__wrapped__ = scenario

    def __call__(self) -> Scenario:
        """Return the scenario."""
        return self.__wrapped__


HELD_OUT = "held_out"
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
ScenarioMaker = Callable[..., Scenario]
"""The class of a scenario, or a function that makes one; its parameters are the scenario's options."""


def make_scenario(kind: ScenarioMaker, map_file: str | Path | GridMap | None = None, /, **options: Any) -> Scenario:
    """Make a scenario from its class or by a function, on the user's map (a file, or parsed), with its options.

    Every scenario has the option held_out: the number of a random map (`craftworld.random_maps`). Raises BadValue for
    an unknown option and for a map where the scenario has none, MapError for a map that does not fit, ContractBroken
    for an error or an omission of the scenario's own code.
    """
    parameters = inspect.signature(kind, follow_wrapped=False).parameters
    known = [name for name in parameters if name != "grid"]
    anything = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    held_out = None if HELD_OUT in known else options.pop(HELD_OUT, None)
    for name in options:
        if name not in known and not anything:
            raise BadValue(f"unknown option '{name}'", place=_find_name(kind), remedy=did_you_mean(name, known))
        if name in known:
            options[name] = _convert_option(name, options[name], kind)
    if isinstance(kind, type) and issubclass(kind, Scenario):
        if held_out is not None:
            if map_file is not None:
                raise BadValue("a map and a held-out one", place=_find_name(kind), remedy="give one of them")
            from craftworld.random_maps import find_held_out_map  # solvers, which making others does not need

            with user_code(describe_place(kind)):
                map_file = find_held_out_map(kind, held_out, **options)
        grid = map_file if map_file is None or isinstance(map_file, GridMap) else kind.parse_map_file(map_file)
        with user_code(describe_place(kind)):
            return require_declared(kind(grid, **options))
    if map_file is not None or held_out is not None:
        remedy = "leave the map out" if held_out is None else "leave held_out out"
        raise BadValue("it has no map of its own", place=_find_name(kind), remedy=remedy)
    with user_code(describe_place(kind)):
        made = kind(**options)
    if not isinstance(made, Scenario):
        refuse(kind, _find_name(kind), made, "a scenario, such as caregrid.wrap gives")
    return require_declared(made)


def _convert_option(name: str, value: Any, kind: Any) -> Any:
    """Convert an option's value; BadValue where it is not of the plain type of its parameter's annotation.

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
    check(f"option '{name}'", value, allowed, _find_name(kind))
    return value


def _find_name(kind: Any) -> str:
    return str(getattr(kind, "__name__", None) or type(getattr(kind, "__wrapped__", kind)).__name__)


CALLS = {
    "starts": "starts()",
    "step": "step(state, action)",
    "reward": "reward(state, action, next_state)",
    "is_terminal": "is_terminal(state)",
    "available": "available(state, action)",
    "ends": "ends(state, action, next_state)",
    "scene": "scene(state)",
    "inaction": "inaction(state)",
    "handover": "handover(state, newcomer)",
    "newcomers": "newcomers()",
    "simultaneous_agents": "simultaneous_agents()",
    "options": "options()",
}


def accept_scenario_maker(thing: Any) -> ScenarioMaker:
    """Accept what makes a scenario: its class, a function that returns one, or a scenario that exists already.

    Raises ContractBroken for anything else; a function is checked when it is called.
    """
    if isinstance(thing, Scenario):
        require_calls(type(thing))
        return MadeScenario(thing)
    if isinstance(thing, MadeScenario) or inspect.isroutine(thing):
        return thing
    return accept_scenario(thing)


def accept_scenario(thing: Any) -> type[Scenario]:
    """Accept the class of a scenario; ContractBroken for anything else and for wrong declarations.

    A map and a legend, every abstract method, methods that can be called as they will be, and options of `__init__`
    that are annotated and have defaults.
    """
    require_class(thing, Scenario, "scenario")
    kind: type[Scenario] = thing
    require_calls(kind)
    _require_options(kind)
    return kind


def require_calls(kind: type[Scenario]) -> None:
    """Raise ContractBroken where a class declares no map, or a method that takes other arguments than it will get."""
    for name, expected, example in (("art", str, "a map as text"), ("legend", Mapping, '{"S": "start", ...}')):
        if not isinstance(getattr(kind, name, None), expected):
            raise ContractBroken(f"no '{name}'", place=describe_place(kind), remedy=f"define {name} = {example}")
    if kind.newcomers is not Scenario.newcomers and kind.handover is Scenario.handover:
        raise ContractBroken("no 'handover'", place=describe_place(kind), remedy="define what newcomers begin with")
    for name, call in CALLS.items():
        _require_call(kind, name, call)
    refuse_misspelt(kind, Scenario)


def _require_call(kind: type[Scenario], name: str, call: str) -> None:
    arguments = 1 + (call.count(",") + 1 if "(" in call and not call.endswith("()") else 0)
    method = inspect.getattr_static(kind, name)
    if isinstance(method, staticmethod | classmethod):
        method = getattr(kind, name)
        arguments = arguments - 1
    if not callable(method):
        raise ContractBroken(f"'{name}' is not a method", place=describe_place(kind), remedy=f"define {call}")
    require_parameters(method, arguments, call)


def _require_options(kind: type[Scenario]) -> None:
    _, grid, *options = [*inspect.signature(kind.__init__).parameters.values(), None]
    if grid is None or grid.kind is inspect.Parameter.KEYWORD_ONLY:
        raise ContractBroken(
            "__init__ takes no map",
            place=describe_place(kind),
            remedy="begin it with (self, grid=None) and pass grid on",
        )
    for option in options:
        if option is None or option.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        missing = ["annotation"] if option.annotation is inspect.Parameter.empty else []
        missing += ["default"] if option.default is inspect.Parameter.empty else []
        if missing:
            raise ContractBroken(
                f"option '{option.name}' of __init__ has no {' and no '.join(missing)}",
                place=describe_place(kind),
                remedy=f"write {option.name}: TYPE = VALUE",
            )
