"""Every registered thing: what it is, and whether it keeps its contract.

Names and first lines are read from the files without importing them. `check_entry` builds and calls one thing as
caregrid would, and raises for the first thing that is wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from caregrid.kinds import PROGRAMMES, Kind, checker_of, kind_named
from caregrid.results.result import Result

MANY = 20  # values in one line
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
        """A row an entry: programme, kind, name, summary."""
        return [
            {"programme": kind.programme, "kind": kind.name, "name": name, "summary": registry.summary_or_fault(name)}
            for kind in self.kinds
            for registry in [kind.light_registry()]
            for name in self.by_kind[kind.name]
        ]

    def as_dict(self) -> dict[str, Any]:
        """Kind -> names."""
        return {kind: list(names) for kind, names in self.by_kind.items()}

    def output(self) -> dict[str, Any]:
        """What `caregrid list --json` prints."""
        return {"kinds": self.as_dict()}

    def text(self) -> str:
        """The entries with their summaries, grouped by programme."""
        from experiments.rows import align_lines

        parts: list[str] = []
        rows = self.rows()
        for programme in PROGRAMMES:
            listed = [kind for kind in self.kinds if kind.programme == programme]
            if listed and len(self.kinds) > 1:
                parts += [programme.upper(), ""]
            for kind in listed:
                cells = [(row["name"], row["summary"]) for row in rows if row["kind"] == kind.name]
                parts += [f"{kind.name}:", *align_lines(cells, indent=2), ""]
        return "\n".join(parts)


@dataclass(frozen=True, repr=False, eq=False)
class Description(Result):
    """What something is called: everything of that name. things: name, kind, file, documentation, options ..."""

    things: Sequence[Mapping[str, Any]]

    @property
    def title(self) -> str:
        """Name and kind."""
        return ", ".join(f"{thing['name']} ({thing['kind']})" for thing in self.things)

    def rows(self) -> list[dict[str, Any]]:
        """A row an option, parameter or setting: of what, which sort it is, its name and default."""
        return [
            {"kind": thing["kind"], "name": thing["name"], "of": label, "option": option, "default": str(default)}
            for thing in self.things
            for label, options in thing.items()
            if isinstance(options, Mapping)
            for option, default in options.items()
        ]

    def as_dict(self) -> Any:
        """The thing, or a list of things where several have the name."""
        return dict(self.things[0]) if len(self.things) == 1 else [dict(thing) for thing in self.things]

    def text(self) -> str:
        """A page for each thing."""
        return "\n\n".join(map(_write_page, self.things))

    def output(self) -> dict[str, Any]:
        """What `caregrid show --json` prints: every thing, its headings as names of fields."""
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
    """A list in one line: its ends where it is long."""
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
        """One row: kind, name, checked."""
        return [self.as_dict()]

    def as_dict(self) -> dict[str, Any]:
        """kind, name, checked."""
        return {"kind": self.kind, "name": self.name, "checked": self.checked}

    def text(self) -> str:
        """That the contract holds."""
        found = "its contract holds" if self.checked else "it is of this kind, which has no further checks"
        return f"{self.title}: {found}"


def check_entry(kind: str, thing: Any) -> Validation:
    """Build and call a thing as caregrid would; ContractBroken for the first thing that is wrong."""
    found = kind_named(kind)
    checker = checker_of(found)
    name = thing if isinstance(thing, str) else getattr(thing, "__name__", type(thing).__name__)
    with _name_file_in_errors(name), warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        registry = found.full_registry()
        entry = registry[thing] if isinstance(thing, str) else registry.accept(thing)
        if checker is not None:
            checker(entry)
    return Validation(found.name, name, checker is not None)


@contextmanager
def _name_file_in_errors(name: str) -> Iterator[None]:
    """Of what a user's own file holds, an error names that file also where the entry cannot."""
    from engine.errors import BadValue, ContractBroken
    from engine.user_code import names_user_code

    module, _, attribute = name.partition(":")
    file = f"{module.rpartition('.')[2]}.py"
    try:
        yield
    except (ContractBroken, BadValue) as error:
        if not names_user_code(name) or file in f"{error.place} {error.problem} {error.remedy}":
            raise
        place = ", ".join(filter(None, (f"{file}, '{attribute}'", error.place)))
        raise error.move_to(place) from error
