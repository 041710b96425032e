"""A registry fills itself from its package: one file, one entry, named after the file.

`Registry("craftworld.formulations", "formulation")` knows `expected` because the file `expected.py` is there and
holds an attribute `expected`. Installed packages add entries through the entry-point group of the same name
("caregrid.formulations"), and `registry["my_file:best_case"]` is an object of the user's own. Names are listed without
importing anything; an entry is imported, and checked, when it is asked for, so that a broken one breaks nothing else.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

from engine.contracts import require_class
from engine.errors import CaregridError, ContractBroken, UnknownName
from engine.notices import notice
from engine.user_code import load_user_code, names_user_code, place_of, user_code

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Read-only mapping from name to entry; an unknown name raises `UnknownName` with a suggestion.

    package: dotted name of the package whose modules are the entries (modules starting with "_" are not).
    kind: what an entry is called in messages.
    pick: takes the imported module, returns its entry; by default the attribute named like the module.
    accept: takes an entry, the user's own and installed ones included, and returns it as the kind wants it, or raises
        ContractBroken naming what is wrong; by default everything is accepted.
    group: the entry-point group, by default "caregrid." and the last part of the package's name.
    also: further packages whose modules are entries; where two have one name, the first package's is the entry.
    renamed: old name -> new name, for names that are no longer listed but still understood, with a notice.
    nested: the entries lie one folder deeper, and are named FOLDER/FILE.
    """

    def __init__(
        self,
        package: str,
        kind: str,
        pick: Callable[[ModuleType], Any] | None = None,
        *,
        accept: Callable[[Any], Entry] | None = None,
        group: str | None = None,
        also: tuple[str, ...] = (),
        renamed: Mapping[str, str] | None = None,
        nested: bool = False,
    ) -> None:
        self.packages, self._renamed, self._nested = (package, *also), dict(renamed or {}), nested
        self.package, self.kind, self._pick, self._accept = package, kind, pick or _namesake, accept
        self.group = group or f"caregrid.{package.rpartition('.')[2]}"
        self._own: dict[str, str] | None = None
        self._files: dict[str, Path] = {}
        self._names: tuple[str, ...] | None = None
        self._installed: dict[str, EntryPoint] | None = None
        self._entries: dict[str, Entry] = {}

    def names(self) -> tuple[str, ...]:
        """All registered names, sorted, without importing the entries."""
        if self._names is None:
            self._names = tuple(sorted({*self._modules(), *self.installed()}))
        return self._names

    def installed(self) -> Mapping[str, EntryPoint]:
        """Entries that other installed packages add; one with the name of our own does not replace it."""
        if self._installed is None:
            own = self._modules()
            found = {
                spelled(point.name): point for point in _every_entry_point(tuple(sys.path)).select(group=self.group)
            }
            self._installed = {name: point for name, point in sorted(found.items()) if name not in own}
        return self._installed

    def __getitem__(self, name: str) -> Entry:
        key = self.current_name(name)
        if key in self._entries:
            return self._entries[key]
        if key in self._modules():
            with user_code(f"{self.kind} '{key}'"):
                entry = self._pick(importlib.import_module(self._modules()[key]))
        elif key in self.installed():
            entry = self._from_installed(self.installed()[key])
        elif names_user_code(name):
            module, _, attribute = name.partition(":")
            return self._accept_from(f"{module.rpartition('.')[2]}.py, '{attribute}'", load_user_code(name, self.kind))
        else:
            raise UnknownName(self.kind, name, self.names())
        self._entries[key] = self._accept_from(f"{key}.py, '{key}'", entry)
        return self._entries[key]

    def _accept_from(self, place: str, entry: Any) -> Entry:
        """`accept`, whose error names the file that an entry came from where the entry itself does not name it."""
        try:
            return self._accepted(entry, place)
        except ContractBroken as error:
            if error.place.partition(",")[0].endswith(".py"):
                raise
            raise ContractBroken(error.problem, place=place, remedy=error.remedy) from error

    def accept(self, entry: Any) -> Entry:
        """The entry as the kind wants it; ContractBroken, naming what is wrong, where it is not of this kind."""
        return self._accepted(entry, f"{self.kind} in {place_of(entry)}")

    def _accepted(self, entry: Any, place: str) -> Entry:
        if self._accept is None:
            return entry  # type: ignore[no-any-return]
        with user_code(place):
            return self._accept(entry)

    def summary(self, name: str) -> str:
        """The first line of the docstring of the file that holds an entry, read without importing it."""
        return self.documentation(name).partition("\n")[0].rstrip(".")

    def documentation(self, name: str) -> str:
        """The docstring of the file that holds an entry; of a user's own or an installed entry, the entry's own."""
        key = self.current_name(name)
        if key in self._modules():
            return ast.get_docstring(ast.parse(self.file(key).read_text(encoding="utf-8"))) or ""
        entry: Any = self[name]
        return str(getattr(entry, "__doc__", None) or "").strip()

    def summary_or_fault(self, name: str) -> str:
        """`summary`, and of an entry that cannot be loaded what is wrong with it, in one line."""
        try:
            with user_code(name):
                return self.summary(name)
        except CaregridError as error:
            return f"broken: {error}"

    def loadable(self) -> dict[str, Entry]:
        """Every entry that can be loaded, by name; of a broken one that a package has installed a notice."""
        entries: dict[str, Entry] = {}
        for name in self.names():
            try:
                entries[name] = self[name]
            except CaregridError as error:
                if name in self._modules():
                    raise
                notice(f"left out: {error}")
        return entries

    def file(self, name: str) -> Path:
        """The file that holds an entry of our own packages; UnknownName for any other name."""
        key = self.current_name(name)
        if key not in self._modules():
            raise UnknownName(self.kind, name, self._modules())
        return self._files[key]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (spelled(name) in self.names() or spelled(name) in self._renamed)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def current_name(self, name: str) -> str:
        """The name as the registry spells it now; an old name gives the new one, with a notice."""
        key = spelled(name)
        if key in self._renamed:
            notice(
                f"the {self.kind} '{key}' is called '{self._renamed[key]}' now; the old name goes with the next release"
            )
            return self._renamed[key]
        return key

    def _modules(self) -> dict[str, str]:
        """Name -> module of the entries that are files of the packages."""
        if self._own is None:
            self._own = {}
            for package in self.packages:
                for name, file in _modules_in(package, self._nested):
                    if name not in self._own:
                        self._own[name], self._files[name] = f"{package}.{name.replace('/', '.')}", file
        return self._own

    def _from_installed(self, point: EntryPoint) -> Any:
        package = point.dist.name if point.dist else "an installed package"
        with user_code(f"{self.kind} '{point.name}' of {package}"):
            return point.load()


def _folders(package: str) -> list[Path]:
    """Where the modules of a package lie, found without importing the packages above it."""
    top, *rest = package.split(".")
    spec = importlib.util.find_spec(top)
    return [Path(place, *rest) for place in (spec.submodule_search_locations if spec else None) or []]


def _modules_in(package: str, nested: bool) -> Iterator[tuple[str, Path]]:
    """Name and file of every public module of a package; where nested, of its sub-packages, as FOLDER/FILE."""
    for folder in _folders(package):
        for module in pkgutil.iter_modules([str(folder)]):
            if module.name.startswith("_"):
                continue
            if not nested:
                yield module.name, folder / (f"{module.name}/__init__.py" if module.ispkg else f"{module.name}.py")
            elif module.ispkg:
                for name, file in _modules_in(f"{package}.{module.name}", nested=False):
                    yield f"{module.name}/{name}", file


@functools.lru_cache(maxsize=1)
def _every_entry_point(path: tuple[str, ...]) -> EntryPoints:
    """What installed packages declare, read once; path: the folders that are searched, by which it is remembered."""
    return cast(EntryPoints, entry_points())  # before Python 3.12 a class of its own, which selects alike


def spelled(name: str) -> str:
    """A name as registries spell it: words joined by "_"; "-" is accepted."""
    return name.strip().replace("-", "_")


def _namesake(module: ModuleType) -> Any:
    """The attribute that is named like its module."""
    name = module.__name__.rpartition(".")[2]
    if not hasattr(module, name):
        raise ContractBroken(f"no '{name}' in it", place=place_of(module), remedy=f"define '{name}' there")
    return getattr(module, name)


def sole_subclass(parent: type) -> Callable[[ModuleType], Any]:
    """A `pick` for registries of classes: the one public subclass of `parent` that the module defines itself."""

    def pick(module: ModuleType) -> Any:
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
                place=place_of(module),
                remedy="define exactly one",
            )
        return own[0]

    return pick


def namesake_class(module: ModuleType) -> Any:
    """A `pick` for registries of classes: `workshop_auto.py` holds `WorkshopAuto`."""
    name = "".join(word.capitalize() for word in module.__name__.rpartition(".")[2].split("_"))
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise ContractBroken(f"no class '{name}' in it", place=place_of(module), remedy=f"define class {name}")
    return found


def subclass_of(parent: type, kind: str) -> Callable[[Any], Any]:
    """An `accept` for registries of classes: a class derived from `parent` with every abstract method defined."""

    def accept(thing: Any) -> Any:
        require_class(thing, parent, kind)
        return thing

    return accept
