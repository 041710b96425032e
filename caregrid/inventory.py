"""Every registered thing: what it is, what `caregrid show` prints about it, and whether it keeps its contract.

Names and first lines are read from the files without importing them. A description is ready for JSON: file,
documentation, options with defaults. `check_entry` builds and calls one thing as caregrid would, and raises for the
first thing that is wrong.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from caregrid.kinds import KINDS, PROGRAMMES, Kind, find_checker, find_kind
from caregrid.results import Result
from engine.contracts import call_method
from engine.errors import BadValue, ContractBroken, UnknownName, argument
from engine.plain_values import make_python_value
from engine.registry import spell_name
from engine.user_code import describe_place, names_user_code, user_code

MANY = 20  # values in one line
BEGINNING = 60  # characters of names beside a kind
FOR_PROGRAMS = ("json_schema",)  # what `as_dict` has and `text` leaves out


@dataclass(frozen=True, repr=False, eq=False)
class EntryList(Result):
    """The entries of some kinds. kinds: those listed. by_kind: kind -> names."""

    kinds: Sequence[Kind]
    by_kind: Mapping[str, Sequence[str]]

    @property
    def title(self) -> str:
        """How many of how many kinds."""
        return f"{sum(map(len, self.by_kind.values()))} entries of {len(self.kinds)} kinds"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per entry: programme, kind, name, summary."""
        return [
            {"programme": kind.programme, "kind": kind.name, "name": name, "summary": registry.summary_or_fault(name)}
            for kind in self.kinds
            for registry in [kind.light_registry()]
            for name in self.by_kind[kind.name]
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return kind -> names."""
        return {kind: list(names) for kind, names in self.by_kind.items()}

    def output(self) -> dict[str, Any]:
        """Return what `caregrid list --json` prints."""
        return {"kinds": self.as_dict()}

    def text(self) -> str:
        """Return the entries of one kind with their summaries; of several kinds how many each has, by programme."""
        from experiments.rows import align_lines

        if len(self.kinds) == 1:
            entries = align_lines([(row["name"], row["summary"]) for row in self.rows()], indent=2)
            return "\n".join([f"{self.kinds[0].name}:", *entries])
        names = self.by_kind
        cells = {kind: (kind.name, str(len(names[kind.name])), _begin_list(names[kind.name])) for kind in self.kinds}
        lines = dict(zip(cells, align_lines(cells.values(), indent=2, right=(1,)), strict=True))
        parts: list[str] = []
        for programme in PROGRAMMES:
            if listed := [lines[kind] for kind in lines if kind.programme == programme]:
                parts += [f"{programme}:", *listed, ""]
        return "\n".join([*parts, "caregrid list KIND: its entries. caregrid show NAME: what one is."])


def _begin_list(names: Sequence[str]) -> str:
    """Return the first names, as many as fit."""
    first = [name for number, name in enumerate(names) if len(", ".join(names[: number + 1])) <= BEGINNING]
    return ", ".join([*first, *(["..."] if len(first) < len(names) else [])])


@dataclass(frozen=True, repr=False, eq=False)
class Description(Result):
    """What something is called: everything of that name. things: name, kind, file, documentation, options ..."""

    things: Sequence[Mapping[str, Any]]

    @property
    def title(self) -> str:
        """Name and kind."""
        return ", ".join(f"{thing['name']} ({thing['kind']})" for thing in self.things)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per option, parameter or setting: of what, which sort it is, its name and default."""
        return [
            {"kind": thing["kind"], "name": thing["name"], "of": label, "option": option, "default": str(default)}
            for thing in self.things
            for label, options in thing.items()
            if isinstance(options, Mapping)
            for option, default in options.items()
        ]

    def as_dict(self) -> Any:
        """Return the thing, or a list of things where several have the name."""
        return dict(self.things[0]) if len(self.things) == 1 else [dict(thing) for thing in self.things]

    def text(self) -> str:
        """Return a page for each thing."""
        return "\n\n".join(map(_write_page, self.things))

    def output(self) -> dict[str, Any]:
        """Return what `caregrid show --json` prints: every thing, its headings as names of fields."""
        things = [{heading.replace(" ", "_"): value for heading, value in thing.items()} for thing in self.things]
        return {"things": things}


def _write_page(description: Mapping[str, Any]) -> str:
    head = f"{description['name']} ({description['kind']})\n{description['programme']}; {description['file']}"
    parts = [f"{head}\n\n{description['documentation']}"]
    for label, value in list(description.items())[5:]:
        if label in FOR_PROGRAMS:
            continue
        parts.append(f"\n{label}:\n{_write_value(value)}")
    return "\n".join(parts)


def _write_value(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"  {name}: {_write_list(part)}" for name, part in value.items()) or "  none"
    if isinstance(value, list):
        return "\n".join(f"  {part}" for part in value) or "  none"
    return f"  {value}"


def _write_list(value: Any) -> Any:
    """Return a list in one line: its ends where it is long."""
    if not isinstance(value, list):
        return value
    words = [str(part) for part in value]
    return ", ".join(words if len(words) <= MANY else [*words[:3], "...", f"{words[-1]} ({len(words)} values)"])


@dataclass(frozen=True, repr=False, eq=False)
class Validation(Result):
    """A thing that keeps its contract. kind, name: which. checked: whether its kind has more to check than its type."""

    kind: str
    name: str
    checked: bool

    @property
    def title(self) -> str:
        """Name and kind."""
        return f"{self.name} ({self.kind})"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: kind, name, checked."""
        return [self.as_dict()]

    def as_dict(self) -> dict[str, Any]:
        """Return kind, name, checked."""
        return {"kind": self.kind, "name": self.name, "checked": self.checked}

    def text(self) -> str:
        """Say that the contract holds."""
        found = "its contract holds" if self.checked else "it is of this kind, which has no further checks"
        return f"{self.title}: {found}"


def check_entry(kind: str, thing: Any) -> Validation:
    """Build and call a thing as caregrid would; ContractBroken for the first thing that is wrong."""
    found = find_kind(kind)
    checker = find_checker(found)
    name = thing if isinstance(thing, str) else getattr(thing, "__name__", type(thing).__name__)
    with _name_file_in_errors(name), warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        registry = found.full_registry()
        if not isinstance(thing, str):
            entry = registry.accept(thing)
        else:
            entry = thing if found.composed else registry[thing]
        if checker is not None:
            checker(entry)
    return Validation(found.name, name, checker is not None)


@contextmanager
def _name_file_in_errors(name: str) -> Iterator[None]:
    """Of what a user's own file holds, an error names that file also where the entry cannot."""
    module, _, attribute = name.partition(":")
    file = f"{module.rpartition('.')[2]}.py"
    try:
        yield
    except (ContractBroken, BadValue) as error:
        if not names_user_code(name) or file in f"{error.place} {error.problem} {error.remedy}":
            raise
        place = ", ".join(filter(None, (f"{file}, '{attribute}'", error.place)))
        raise error.move_to(place) from error


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
        return [(find_kind(kind), name)]
    kinds = list(KINDS.values()) if kind is None else [find_kind(kind)]
    registries = {one.name: one.light_registry() for one in kinds}
    found = [(one, spell_name(name)) for one in kinds if name in registries[one.name]]
    if not found:
        raise UnknownName("name", name, {entry for registry in registries.values() for entry in registry})
    return found


def describe_entry(kind: Kind, name: str) -> dict[str, Any]:
    """name, kind, programme, file and documentation, then what this kind has to say."""
    registry = kind.full_registry()
    entry = registry[name]
    with user_code(describe_place(entry)):
        details = _DETAILS[kind.name](entry) if kind.name in _DETAILS else _describe_fields(entry)
    return {
        "name": name,
        "kind": kind.name,
        "programme": kind.programme,
        "file": _write_file(find_entry_file(registry, name, entry)),
        "documentation": registry.documentation(name),
        **details,
    }


def find_entry_file(registry: Any, name: str, entry: Any) -> Path:
    """Return the file in which an entry is written."""
    try:
        path: Path = registry.file(name)
    except UnknownName:
        subject = entry if inspect.isclass(entry) or inspect.isroutine(entry) else type(entry)
        module = sys.modules.get(name.partition(":")[0], sys.modules.get(subject.__module__))
        path = Path(getattr(module, "__file__", None) or subject.__module__)
    return path


def _write_file(path: Path) -> str:
    """Return a path, from here where it lies below the working directory."""
    below = path.is_relative_to(Path.cwd())
    return os.path.relpath(path) if below else str(path)


def _describe_fields(entry: Any) -> dict[str, Any]:
    """Fields of a dataclass, else parameters of a class or function, with their defaults."""
    if dataclasses.is_dataclass(entry):
        fields = dataclasses.fields(entry)
        if isinstance(entry, type):
            return {"options": {field.name: _make_json_value(_find_default(field)) for field in fields}}
        declared = {field.name: _make_json_value(getattr(entry, field.name)) for field in fields}
        return {"declares": {name: value for name, value in declared.items() if value not in ("", "<lambda>", [])}}
    options = _list_parameters(entry) if callable(entry) else {}
    return {"options": options} if options else {}


def _find_default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return "required" if field.default is dataclasses.MISSING else field.default


def _list_parameters(thing: Any) -> dict[str, Any]:
    """Parameter -> default of a function or of a class's initialiser; what caregrid itself hands over has none."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {
        one.name: _make_json_value(one.default)
        for one in parameters
        if one.name not in NOT_OPTIONS and one.default is not one.empty
    }


def _make_json_value(value: Any) -> Any:
    """Return a value as JSON can hold it, else as text."""
    if isinstance(value, Enum):
        return value.name.lower()
    value = make_python_value(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple | list):
        return [_make_json_value(part) for part in value]
    return getattr(value, "__name__", None) or str(value)


def _describe_scenario(kind: Any) -> dict[str, Any]:
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
        "options": _list_parameters(kind),
        **({"outcomes of chance": chance} if chance else {}),
        "demonstrations": {one.name: one.says for one in scenario.demonstrations()},
        "newcomers": {newcomer.name: newcomer.probability for newcomer in newcomers},
        **({"weights": weights} if any(weight != 1 for weight in weights.values()) else {}),
        "default formulation": scenario.default_formulation,
        "discount": scenario.discount,
    }


def _describe_experiment(experiment: Any) -> dict[str, Any]:
    return {
        "reproduces": experiment.reproduces,
        "settings": {name: list(values) for name, values in experiment.settings.items()},
        "claims": [claim.says for claim in experiment.claims],
    }


def _describe_suite(suite: Any) -> dict[str, Any]:
    return {"says": suite.says, "worlds": list(suite.worlds), "quick": list(suite.quick)}


def _describe_terminal_world(world: Any) -> dict[str, Any]:
    return {"parameters": dict(world.parameters())}


def _describe_command(operation: Any) -> dict[str, Any]:
    defaults = {one.name: None if one.required else _make_json_value(one.default) for one in operation.parameters}
    return {"options": defaults}


def _describe_schema(schema: Any) -> dict[str, Any]:
    return {"version": schema.version, "fields": schema.fields(), "json_schema": schema.json_schema()}


_DETAILS = {
    "scenarios": _describe_scenario,
    "experiments": _describe_experiment,
    "suites": _describe_suite,
    "terminal_worlds": _describe_terminal_world,
    "commands": _describe_command,
    "schemas": _describe_schema,
}
