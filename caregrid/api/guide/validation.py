"""`caregrid.validate`: one thing of any kind against its contract."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from caregrid.api.checked import checked
from caregrid.api.results.result import Result
from caregrid.kinds import checker_of, kind_named


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


@checked
def validate(kind: str, thing: Any) -> Validation:
    """Build and call a thing as caregrid would; ContractBroken for the first thing that is wrong.

    kind: as `entries` lists them. thing: a registered name, `module:attribute`, or the object.
    """
    found = kind_named(kind)
    checker = checker_of(found)
    name = thing if isinstance(thing, str) else getattr(thing, "__name__", type(thing).__name__)
    with _naming_the_file_of(name), warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        registry = found.full_registry()
        entry = registry[thing] if isinstance(thing, str) else registry.accept(thing)
        if checker is not None:
            checker(entry)
    return Validation(found.name, name, checker is not None)


@contextmanager
def _naming_the_file_of(name: str) -> Iterator[None]:
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
        raise type(error)(error.problem, place=place, remedy=error.remedy) from error
