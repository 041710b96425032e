"""What `caregrid show` says of an entry of any kind, ready for JSON: file, documentation, options with defaults."""

from __future__ import annotations

import dataclasses
import inspect
import math
import os
import sys
from enum import Enum
from pathlib import Path
from typing import Any

from caregrid.kinds import KINDS, Kind, kind_named
from engine.contracts import call_method
from engine.errors import BadValue, UnknownName, argument
from engine.plain_values import make_python_value
from engine.registry import spell_name
from engine.user_code import describe_place, names_user_code, user_code

NOT_OPTIONS = {"self", "grid"}
MOST_STARTS = 20


def find_entries(name: str, kind: str | None = None) -> list[tuple[Kind, str]]:
    """(kind, name) of everything called `name`, which may be KIND/NAME; UnknownName, with the nearest, for nothing."""
    prefix, slash, rest = name.partition("/")
    if kind is None and slash and spell_name(prefix) in KINDS:
        kind, name = prefix, rest
    if names_user_code(name):
        if kind is None:
            remedy = f"add {argument('kind', 'scenarios')} or another heading of 'caregrid list'"
            raise BadValue(f"no kind is given for '{name}'", place=argument("kind"), remedy=remedy)
        return [(kind_named(kind), name)]
    kinds = list(KINDS.values()) if kind is None else [kind_named(kind)]
    registries = {one.name: one.light_registry() for one in kinds}
    found = [(one, spell_name(name)) for one in kinds if name in registries[one.name]]
    if not found:
        raise UnknownName("name", name, {known for registry in registries.values() for known in registry})
    return found


def describe_entry(kind: Kind, name: str) -> dict[str, Any]:
    """name, kind, programme, file and documentation, then what this kind has to say."""
    registry = kind.full_registry()
    entry = registry[name]
    with user_code(describe_place(entry)):
        details = _DETAILS[kind.name](entry) if kind.name in _DETAILS else _general(entry)
    return {
        "name": name,
        "kind": kind.name,
        "programme": kind.programme,
        "file": _file(registry, name, entry),
        "documentation": registry.documentation(name),
        **details,
    }


def _file(registry: Any, name: str, entry: Any) -> str:
    """Where the entry is written, from here where it lies below the working directory."""
    try:
        path = registry.file(name)
    except UnknownName:
        subject = entry if inspect.isclass(entry) or inspect.isroutine(entry) else type(entry)
        module = sys.modules.get(name.partition(":")[0], sys.modules.get(subject.__module__))
        path = Path(getattr(module, "__file__", None) or subject.__module__)
    below = path.is_relative_to(Path.cwd())
    return os.path.relpath(path) if below else str(path)


def _general(entry: Any) -> dict[str, Any]:
    """Fields of a dataclass, else parameters of a class or function, with their defaults."""
    if dataclasses.is_dataclass(entry):
        fields = dataclasses.fields(entry)
        if isinstance(entry, type):
            return {"options": {field.name: _to_json(_default(field)) for field in fields}}
        declared = {field.name: _to_json(getattr(entry, field.name)) for field in fields}
        return {"declares": {name: value for name, value in declared.items() if value not in ("", "<lambda>", [])}}
    options = _parameters(entry) if callable(entry) else {}
    return {"options": options} if options else {}


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return "required" if field.default is dataclasses.MISSING else field.default


def _parameters(thing: Any) -> dict[str, Any]:
    """Parameter -> default of a function or of a class's initialiser; what caregrid itself hands over has none."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {
        one.name: _to_json(one.default)
        for one in parameters
        if one.name not in NOT_OPTIONS and one.default is not one.empty
    }


def _to_json(value: Any) -> Any:
    """A value as JSON can hold it, else as text."""
    if isinstance(value, Enum):
        return value.name.lower()
    value = make_python_value(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple | list):
        return [_to_json(part) for part in value]
    return getattr(value, "__name__", None) or str(value)


def _scenario(kind: Any) -> dict[str, Any]:
    from craftworld.scenario_maker import make_scenario

    scenario = make_scenario(kind)
    starts = scenario.starts()
    chance = dict(scenario.chance)
    if not chance and 1 < len(starts) <= MOST_STARTS:
        chance = dict.fromkeys(scenario.start_names().values(), "the start state")
    newcomers = call_method(scenario, "newcomers")
    weights = {newcomer.name: newcomer.weight for newcomer in newcomers}
    return {
        **({"problem": scenario.problem} if scenario.problem else {}),
        "map": list(scenario.grid.rows),
        "legend": {glyph: names if isinstance(names, str) else list(names) for glyph, names in scenario.legend.items()},
        "actions": list(scenario.actions),
        "options": _parameters(kind),
        **({"outcomes of chance": chance} if chance else {}),
        "demonstrations": {one.name: one.says for one in scenario.demonstrations()},
        "newcomers": {newcomer.name: newcomer.probability for newcomer in newcomers},
        **({"weights": weights} if any(weight != 1 for weight in weights.values()) else {}),
        "default formulation": scenario.default_formulation,
        "discount": scenario.discount,
    }


def _experiment(experiment: Any) -> dict[str, Any]:
    return {
        "reproduces": experiment.reproduces,
        "settings": {name: list(values) for name, values in experiment.settings.items()},
        "claims": [claim.says for claim in experiment.claims],
    }


def _suite(suite: Any) -> dict[str, Any]:
    return {"says": suite.says, "worlds": list(suite.worlds), "quick": list(suite.quick)}


def _terminal_world(world: Any) -> dict[str, Any]:
    return {"parameters": dict(world.parameters())}


def _command(operation: Any) -> dict[str, Any]:
    defaults = {one.name: None if one.required else _to_json(one.default) for one in operation.parameters}
    return {"options": defaults}


def _output_schema(schema: Any) -> dict[str, Any]:
    return {"version": schema.version, "fields": schema.fields(), "json_schema": schema.json_schema()}


_DETAILS = {
    "scenarios": _scenario,
    "experiments": _experiment,
    "suites": _suite,
    "terminal_worlds": _terminal_world,
    "commands": _command,
    "schemas": _output_schema,
}
