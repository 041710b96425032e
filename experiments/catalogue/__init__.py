"""All experiments, one file each, named after package and file: `be_considerate/table_1`.

A new experiment is a new file with a module-level `experiment = Experiment(...)`; nothing lists it by hand.
"""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType

from engine.errors import ContractBroken, UnknownName
from engine.registry import Registry
from experiments.experiment import Experiment


class Catalogue(Mapping[str, Experiment]):
    """Read-only mapping from "package/file" to experiment; names are listed without importing any."""

    def __init__(self, package: str = __name__) -> None:
        self._package = package
        self._shelves: dict[str, Registry[Experiment]] | None = None

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(sorted(f"{shelf}/{name}" for shelf, entries in self._registries().items() for name in entries))

    def _registries(self) -> dict[str, Registry[Experiment]]:
        if self._shelves is None:
            path = __import__(self._package, fromlist=["__path__"]).__path__
            packages = [found.name for found in pkgutil.iter_modules(path) if found.ispkg]
            self._shelves = {
                name: Registry(f"{self._package}.{name}", "experiment", self._pick) for name in sorted(packages)
            }
        return self._shelves

    def _pick(self, module: ModuleType) -> Experiment:
        found = getattr(module, "experiment", None)
        if not isinstance(found, Experiment):
            raise ContractBroken("no experiment in it", place=module.__name__, remedy="define 'experiment' there")
        name = module.__name__.removeprefix(f"{self._package}.").replace(".", "/")
        return dataclasses.replace(found, name=name)

    def __getitem__(self, name: str) -> Experiment:
        shelf, _, entry = name.replace("-", "_").partition("/")
        if not entry or entry not in self._registries().get(shelf, ()):
            raise UnknownName("experiment", name, self.names())
        return self._registries()[shelf][entry]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.replace("-", "_") in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())


CATALOGUE = Catalogue()
