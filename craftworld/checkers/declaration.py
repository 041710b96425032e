"""What a scenario's class declares, looked at without making one: the cheap part of the contract."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from craftworld.scenario import Scenario
from craftworld.scenario_maker import MadeScenario, ScenarioMaker
from engine.contracts import require_class, require_parameters
from engine.errors import ContractBroken
from engine.user_code import place_of

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
    """What makes a scenario: its class, a function that gives one, or a scenario that is ready-made.

    ContractBroken for anything else; a function is believed until it is called.
    """
    if isinstance(thing, Scenario):
        require_calls(type(thing))
        return MadeScenario(thing)
    if isinstance(thing, MadeScenario) or inspect.isroutine(thing):
        return thing
    return accept_scenario(thing)


def accept_scenario(thing: Any) -> type[Scenario]:
    """The class of a scenario; ContractBroken where it is none or its declarations cannot be right.

    A map and a legend, every abstract method, methods that can be called as they will be, and options of `__init__`
    that are annotated and have defaults.
    """
    require_class(thing, Scenario, "scenario")
    kind: type[Scenario] = thing
    require_calls(kind)
    _require_options(kind)
    return kind


def require_calls(kind: type[Scenario]) -> None:
    """ContractBroken where the class of a scenario declares no map, or a method that cannot be called as it will be."""
    for name, expected, example in (("art", str, "a map as text"), ("legend", Mapping, '{"S": "start", ...}')):
        if not isinstance(getattr(kind, name, None), expected):
            raise ContractBroken(f"no '{name}'", place=place_of(kind), remedy=f"define {name} = {example}")
    if kind.newcomers is not Scenario.newcomers and kind.handover is Scenario.handover:
        raise ContractBroken("no 'handover'", place=place_of(kind), remedy="define what newcomers begin with")
    for name, call in CALLS.items():
        _require_call(kind, name, call)


def _require_call(kind: type[Scenario], name: str, call: str) -> None:
    arguments = 1 + (call.count(",") + 1 if "(" in call and not call.endswith("()") else 0)
    method = inspect.getattr_static(kind, name)
    if isinstance(method, staticmethod | classmethod):
        method, arguments = getattr(kind, name), arguments - 1
    if not callable(method):
        raise ContractBroken(f"'{name}' is not a method", place=place_of(kind), remedy=f"define {call}")
    require_parameters(method, arguments, call)


def _require_options(kind: type[Scenario]) -> None:
    _, grid, *options = [*inspect.signature(kind.__init__).parameters.values(), None]
    if grid is None or grid.kind is inspect.Parameter.KEYWORD_ONLY:
        raise ContractBroken(
            "__init__ takes no map", place=place_of(kind), remedy="begin it with (self, grid=None) and pass grid on"
        )
    for option in options:
        if option is None or option.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        missing = ["annotation"] if option.annotation is inspect.Parameter.empty else []
        missing += ["default"] if option.default is inspect.Parameter.empty else []
        if missing:
            raise ContractBroken(
                f"option '{option.name}' of __init__ has no {' and no '.join(missing)}",
                place=place_of(kind),
                remedy=f"write {option.name}: TYPE = VALUE",
            )
