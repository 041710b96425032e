"""A registry fills itself from its package: one file, one entry, named after the file.

`Registry("craftworld.formulations", "formulation")` knows `expected` because the file `expected.py` is there and
holds an attribute `expected`. Names are listed without importing anything; an entry is imported when asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Generic, TypeVar

from engine.errors import ContractBroken, UnknownName

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Read-only mapping from name to entry; an unknown name raises `UnknownName` with a suggestion.

    package: dotted name of the package whose modules are the entries (modules starting with "_" are not).
    kind: what an entry is called in messages.
    pick: takes the imported module, returns its entry; by default the attribute named like the module.
    """

    def __init__(self, package: str, kind: str, pick: Callable[[ModuleType], Entry] | None = None) -> None:
        self.package, self.kind, self._pick = package, kind, pick or _namesake
        self._names: tuple[str, ...] | None = None
        self._entries: dict[str, Entry] = {}

    def names(self) -> tuple[str, ...]:
        """All names, sorted, without importing the entries."""
        if self._names is None:
            path = importlib.import_module(self.package).__path__
            found = (module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))
            self._names = tuple(sorted(found))
        return self._names

    def __getitem__(self, name: str) -> Entry:
        key = name.replace("-", "_")
        if key not in self.names():
            raise UnknownName(self.kind, name, self.names())
        if key not in self._entries:
            self._entries[key] = self._pick(importlib.import_module(f"{self.package}.{key}"))
        return self._entries[key]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.replace("-", "_") in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())


def _namesake(module: ModuleType) -> Entry:  # type: ignore[type-var]
    """The attribute that is named like its module."""
    name = module.__name__.rpartition(".")[2]
    if not hasattr(module, name):
        raise ContractBroken(f"no '{name}' in it", place=f"{module.__name__}", remedy=f"define '{name}' there")
    entry: Entry = getattr(module, name)
    return entry


def sole_subclass(parent: type[Entry]) -> Callable[[ModuleType], type[Entry]]:
    """A `pick` for registries of classes: the one public subclass of `parent` that the module defines itself."""

    def pick(module: ModuleType) -> type[Entry]:
        own = [
            thing
            for thing in vars(module).values()
            if isinstance(thing, type)
            and issubclass(thing, parent)
            and thing.__module__ == module.__name__
            and not thing.__name__.startswith("_")
        ]
        if len(own) != 1:
            raise ContractBroken(
                f"it defines {len(own)} classes of kind {parent.__name__}",
                place=module.__name__,
                remedy="define exactly one",
            )
        return own[0]

    return pick


def namesake_class(module: ModuleType) -> type:
    """A `pick` for registries of classes: `workshop_auto.py` holds `WorkshopAuto`."""
    name = "".join(word.capitalize() for word in module.__name__.rpartition(".")[2].split("_"))
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise ContractBroken(f"no class '{name}' in it", place=module.__name__, remedy=f"define class {name}")
    return found
