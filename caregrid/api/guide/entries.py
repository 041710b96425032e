"""`caregrid.entries` and `caregrid.describe`: what there is, and what each thing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caregrid.api.checked import checked
from caregrid.api.results.result import Result
from caregrid.kinds import KINDS, PROGRAMMES, Kind, kind_named

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

    def text(self) -> str:
        """The entries with their summaries, grouped by programme."""
        from experiments.tables import aligned_lines

        parts: list[str] = []
        rows = self.rows()
        for programme in PROGRAMMES:
            listed = [kind for kind in self.kinds if kind.programme == programme]
            if listed and len(self.kinds) > 1:
                parts += [programme.upper(), ""]
            for kind in listed:
                cells = [(row["name"], row["summary"]) for row in rows if row["kind"] == kind.name]
                parts += [f"{kind.name}:", *aligned_lines(cells, indent=2), ""]
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
        return "\n\n".join(map(_page, self.things))


@checked
def entries(kind: str | None = None) -> EntryList:
    """What is registered, of one kind or of all; UnknownName for a kind that there is not."""
    kinds = [kind_named(kind)] if kind else list(KINDS.values())
    return EntryList(kinds, {one.name: list(one.light_registry()) for one in kinds})


@checked
def describe(name: str, kind: str | None = None) -> Description:
    """What something is: a registered name, KIND/NAME, or `module:attribute` with a kind; UnknownName, BadValue."""
    from caregrid.descriptions import describe as described
    from caregrid.descriptions import find

    return Description([described(one, found) for one, found in find(name, kind)])


def _page(description: Mapping[str, Any]) -> str:
    head = f"{description['name']} ({description['kind']})\n{description['programme']}; {description['file']}"
    parts = [f"{head}\n\n{description['documentation']}"]
    for label, value in list(description.items())[5:]:
        if label in FOR_PROGRAMS:
            continue
        parts.append(f"\n{label}:\n{_text(value)}")
    return "\n".join(parts)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"  {name}: {_phrase(part)}" for name, part in value.items()) or "  none"
    if isinstance(value, list):
        return "\n".join(f"  {part}" for part in value) or "  none"
    return f"  {value}"


def _phrase(value: Any) -> Any:
    """A list in one line: its ends where it is long."""
    if not isinstance(value, list):
        return value
    words = [str(part) for part in value]
    return ", ".join(words if len(words) <= MANY else [*words[:3], "...", f"{words[-1]} ({len(words)} values)"])
