"""A registry fills itself from the files of its package: each file offers the entries that its `__all__` names.

`Registry("craftworld.formulations", "formulation")` knows `expected` because a file of that folder says
`__all__ = ["expected", ...]`. A class is an entry under its name in small letters: `CryingBaby2` is `crying_baby_2`.
A file without `__all__` offers one entry, which has the file's name. Installed packages add entries through the
entry-point group of the same name ("caregrid.formulations"), and `registry["my_file:best_case"]` is an object of the
user's own. Names and docstrings are read without importing anything; an entry is imported, and checked, when it is
asked for, so that a broken one breaks nothing else.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import itertools
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from engine.errors import BadValue, CaregridError, ContractBroken, UnknownName
from engine.printable import print_notice, shorten
from engine.user_code import describe_place, load_user_code, names_user_code, user_code

Entry = TypeVar("Entry")


DECLARED = re.compile(r"^__all__ = [\[(]([^\])]*)[\])]", re.MULTILINE)
"""How a file lists its entries; read as text, so that names are known before anything is imported."""


class EntryPlace(NamedTuple):
    """The place of an entry of ours: a module, its file, its attribute there; "" where the whole file is the entry."""

    module: str
    file: Path
    attribute: str


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Read-only mapping from name to entry; an unknown name raises `UnknownName` with a suggestion.

    package: dotted name of the package whose modules hold the entries (modules starting with "_" do not); with a star,
        as in "caregrid.programmes.*.film", the files of one name in the sub-packages, each one entry with the
        sub-package's name.
    kind: what an entry is called in messages.
    pick: takes an imported module without `__all__`, returns its entry; by default the attribute named like the module.
    accept: takes an entry, the user's own and installed ones included, and returns it as the kind wants it, or raises
        ContractBroken naming what is wrong; by default everything is accepted. Where it imports much it is written as
        "module:function", and imported when the first entry is asked for, so that names are listed without it.
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
        accept: Callable[[Any], Entry] | str | None = None,
        group: str | None = None,
        also: tuple[str, ...] = (),
        renamed: Mapping[str, str] | None = None,
        nested: bool = False,
    ) -> None:
        self.packages = (package, *also)
        self._renamed = dict(renamed or {})
        self._nested = nested
        self.package = package
        self.kind = kind
        self._pick = pick or _find_namesake
        self._accept = accept
        self.group = group or f"caregrid.{package.rpartition('.')[2]}"
        self._own: dict[str, EntryPlace] | None = None
        self._names: tuple[str, ...] | None = None
        self._installed: dict[str, EntryPoint] | None = None
        self._entries: dict[str, Entry] = {}

    def names(self) -> tuple[str, ...]:
        """Return all registered names, sorted, without importing the entries."""
        if self._names is None:
            self._names = tuple(sorted({*self._places(), *self.find_installed()}))
        return self._names

    def find_installed(self) -> Mapping[str, EntryPoint]:
        """Return the entries that other installed packages add; none replaces an entry of ours."""
        if self._installed is None:
            own = self._places()
            found = {
                spell_name(point.name): point for point in _list_entry_points(tuple(sys.path)).select(group=self.group)
            }
            self._installed = {name: point for name, point in sorted(found.items()) if name not in own}
        return self._installed

    def __getitem__(self, name: str) -> Entry:
        key = self.current_name(name)
        if key in self._entries:
            return self._entries[key]
        if key in self._places():
            place = self._places()[key]
            with user_code(f"{self.kind} '{key}'"):
                entry = self._entry_at(place)
        elif key in self.find_installed():
            entry = self._from_installed(self.find_installed()[key])
        elif names_user_code(name):
            module, _, attribute = name.partition(":")
            return self._accept_from(f"{module.rpartition('.')[2]}.py, '{attribute}'", load_user_code(name, self.kind))
        else:
            if names_user_code(split_call(name, self.kind)[0]):
                remedy = "give what they make a name in that file, and write this name"
                raise BadValue(f"arguments in '{shorten(name)}'", place=self.kind, remedy=remedy)
            raise UnknownName(self.kind, name, self.names())
        file = self._places()[key].file.name if key in self._places() else f"{key}.py"
        self._entries[key] = self._accept_from(f"{file}, '{key}'", entry)
        return self._entries[key]

    def _entry_at(self, place: EntryPlace) -> Any:
        module = importlib.import_module(place.module)
        if not place.attribute:
            return self._pick(module)
        if not hasattr(module, place.attribute):
            remedy = "define it there, or take it out of __all__"
            raise ContractBroken(f"no '{place.attribute}' in it", place=describe_place(module), remedy=remedy)
        return getattr(module, place.attribute)

    def _accept_from(self, place: str, entry: Any) -> Entry:
        """Accept an entry; the error names the file of the entry where the entry itself does not."""
        try:
            return self._check_entry(entry, place)
        except ContractBroken as error:
            if error.place.partition(",")[0].endswith(".py"):
                raise
            raise ContractBroken(error.problem, place=place, remedy=error.remedy) from error

    def accept(self, entry: Any) -> Entry:
        """Return the entry as the kind wants it; raise ContractBroken, naming the fault, for one of another kind."""
        return self._check_entry(entry, f"{self.kind} in {describe_place(entry)}")

    def _check_entry(self, entry: Any, place: str) -> Entry:
        accept = self._accept
        if isinstance(accept, str):
            module, _, function = accept.partition(":")
            accept = getattr(importlib.import_module(module), function)
            self._accept = accept
        if accept is None:
            return entry  # type: ignore[no-any-return]
        with user_code(place):
            return accept(entry)

    def summary(self, name: str) -> str:
        """Return the first line of an entry's documentation, read without importing it."""
        return self.documentation(name).partition("\n")[0].rstrip(".")

    def documentation(self, name: str) -> str:
        """Return the docstring of an entry, or of the file that is one; for an assigned object, the text below it.

        An assigned object of a package or of a user's file that has no text below it is documented by its file.
        """
        key = self.current_name(name)
        if key in self._places():
            place = self._places()[key]
            return _read_docstring(_parse(place.file.read_text(encoding="utf-8")), place.attribute)
        entry: Any = self[name]
        said = getattr(entry, "__doc__", None)
        if said is None or said != type(entry).__doc__:  # its own, not that of its class
            return str(said or "").strip()
        point = self.find_installed().get(key)
        module, _, attribute = (point.value if point else name).partition(":")
        try:
            tree = _parse(inspect.getsource(sys.modules[module.strip()]))
        except (OSError, TypeError, KeyError, SyntaxError):
            return ""
        return _read_docstring(tree, attribute.strip()) or _read_docstring(tree, "")

    def summary_or_fault(self, name: str) -> str:
        """Return `summary`, or, in one line, why an entry cannot be loaded."""
        try:
            with user_code(name):
                return self.summary(name)
        except CaregridError as error:
            return f"broken: {error}"

    def loadable(self) -> dict[str, Entry]:
        """Return every entry that can be loaded, by name; print a notice for a broken one of an installed package."""
        entries: dict[str, Entry] = {}
        for name in self.names():
            try:
                entries[name] = self[name]
            except CaregridError as error:
                if name in self._places():
                    raise
                print_notice(f"left out: {error}")
        return entries

    def file(self, name: str) -> Path:
        """Return the file that holds an entry of our own packages; raise UnknownName for any other name."""
        key = self.current_name(name)
        if key not in self._places():
            raise UnknownName(self.kind, name, self._places())
        return self._places()[key].file

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (spell_name(name) in self.names() or spell_name(name) in self._renamed)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def current_name(self, name: str) -> str:
        """Return the name as the registry spells it now; an old name gives the new one, with a notice."""
        key = spell_name(name)
        if key in self._renamed:
            print_notice(
                f"the {self.kind} '{key}' is called '{self._renamed[key]}' now; the old name goes with the next release"
            )
            return self._renamed[key]
        return key

    def _places(self) -> dict[str, EntryPlace]:
        """Return name -> place of the entries in the files of the packages."""
        if self._own is None:
            self._own = {}
            for package in self.packages:
                for name, place in _find_places_in(package, self._nested):
                    self._own.setdefault(name, place)
        return self._own

    def _from_installed(self, point: EntryPoint) -> Any:
        package = point.dist.name if point.dist else "an installed package"
        with user_code(f"{self.kind} '{point.name}' of {package}"):
            return point.load()


def _find_folders(package: str) -> list[Path]:
    """Find the folders of a package without importing the packages above it."""
    top, *rest = package.split(".")
    spec = importlib.util.find_spec(top)
    return [Path(place, *rest) for place in (spec.submodule_search_locations if spec else None) or []]


def _find_places_in(package: str, nested: bool) -> Iterator[tuple[str, EntryPlace]]:
    """Find name and place of every entry of a package; nested: of its sub-packages, as FOLDER/NAME."""
    package, star, file = package.partition(".*.")
    for folder in _find_folders(package):
        if folder.is_dir():
            os.scandir(folder).close()  # otherwise a folder that cannot be read, for lack of files, would look empty
        for found in pkgutil.iter_modules([str(folder)]):
            if found.name.startswith("_"):
                continue
            module = f"{package}.{found.name}"
            if star:
                if (folder / found.name / f"{file}.py").is_file():
                    yield found.name, EntryPlace(f"{module}.{file}", folder / found.name / f"{file}.py", "")
            elif not nested:
                yield from _find_places_at(
                    module, folder / (f"{found.name}/__init__.py" if found.ispkg else f"{found.name}.py")
                )
            elif found.ispkg:
                for name, place in _find_places_in(module, nested=False):
                    yield f"{found.name}/{name}", place


def _find_places_at(module: str, file: Path) -> Iterator[tuple[str, EntryPlace]]:
    """Find the entries that the `__all__` of a file names; a file without it is one entry of the file's name."""
    declared = DECLARED.search(file.read_text(encoding="utf-8", errors="replace"))
    if declared is None:
        yield module.rpartition(".")[2], EntryPlace(module, file, "")
        return
    for attribute in re.findall(r"['\"](\w+)['\"]", declared[1]):
        yield write_in_small_letters(attribute), EntryPlace(module, file, attribute)


@functools.lru_cache(maxsize=8)
def _parse(source: str) -> ast.Module:
    """Return the tree of a file: the entries of a file are read one after another."""
    return ast.parse(source)


def _read_docstring(tree: ast.Module, attribute: str) -> str:
    """Read the docstring of a class or function, or the text below an assignment; for "", that of the module."""
    if not attribute:
        return ast.get_docstring(tree) or ""
    for node, following in itertools.zip_longest(tree.body, tree.body[1:]):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == attribute:
            return ast.get_docstring(node) or ""
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if attribute in [target.id for target in targets if isinstance(target, ast.Name)]:
            value = following.value if isinstance(following, ast.Expr) else None
            text = value.value if isinstance(value, ast.Constant) else ""
            return inspect.cleandoc(text) if isinstance(text, str) else ""
    return ""


@functools.lru_cache(maxsize=1)
def _list_entry_points(path: tuple[str, ...]) -> EntryPoints:
    """Read, once for each search path, what installed packages declare. path: the folders that are searched."""
    return cast(EntryPoints, entry_points())  # before Python 3.12 a class of its own, which selects alike


def spell_name(name: str) -> str:
    """Spell a name as registries do: words joined by "_"; "-" is accepted."""
    return name.strip().replace("-", "_")


def write_in_small_letters(name: str) -> str:
    """Return the name of an entry: `CryingBaby2` -> `crying_baby_2`, `SB3A2C` -> `sb3_a2c`, `list_` -> `list`."""
    if name.islower():
        return name.rstrip("_")
    words = r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z]\w)|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])"
    return re.sub(words, "_", name).lower()


def _find_namesake(module: ModuleType) -> Any:
    """Find the attribute that is named like its module."""
    name = module.__name__.rpartition(".")[2]
    if not hasattr(module, name):
        raise ContractBroken(
            f"no '{name}' in it",
            place=describe_place(module),
            remedy=f"define '{name}' there, or list its entries in __all__",
        )
    return getattr(module, name)


def find_sole_subclass(parent: type) -> Callable[[ModuleType], Any]:
    """Make a `pick` for registries of classes: the one public subclass of `parent` that a module defines itself."""

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
                place=describe_place(module),
                remedy="define exactly one",
            )
        return own[0]

    return pick


def find_namesake_class(module: ModuleType) -> Any:
    """Find the class that is named like its module, as a `pick`: `workshop_auto.py` holds `WorkshopAuto`."""
    name = "".join(word.capitalize() for word in module.__name__.rpartition(".")[2].split("_"))
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise ContractBroken(f"no class '{name}' in it", place=describe_place(module), remedy=f"define class {name}")
    return found


MOST_BRACKETS = 100
_CALL = re.compile(r"\s*([^()]*?)\s*\((.*)\)\s*", re.DOTALL)
_NESTED_NAME = re.compile(r"\s*(?![\w-]+\s*=)[^\W\d].*", re.DOTALL)


def split_call(text: str, kind: str) -> tuple[str, dict[str, Any]]:
    """Split a name from its arguments; a name without any, such as `reality_check(random)`, is returned as it is.

    kind: what the name is of, for messages. Raises BadValue for arguments that cannot be read.
    """
    if text.count("(") > MOST_BRACKETS:
        raise BadValue(
            f"'{shorten(text)}' has more than {MOST_BRACKETS} brackets", place=kind, remedy="nest fewer names"
        )
    found = _CALL.fullmatch(text)
    if found is None or _NESTED_NAME.fullmatch(found[2]):
        return text, {}
    name, written = found.groups()
    remedy = f"write {name or 'NAME'}(ARGUMENT=NUMBER, ...)"
    problem = f"the arguments of '{shorten(text)}' cannot be read"
    try:
        call = ast.parse(f"f({written}\n)", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadValue(problem, place=kind, remedy=remedy) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise BadValue(problem, place=kind, remedy=remedy)
    arguments: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise BadValue(problem, place=kind, remedy=remedy)
        try:
            value = keyword.value.id if isinstance(keyword.value, ast.Name) else ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise BadValue(f"'{keyword.arg}' of '{shorten(text)}' has no value", place=kind, remedy=remedy) from None
        arguments[keyword.arg] = value
    return name, arguments


def list_called_names(text: str) -> list[str]:
    """List the names in a nested name: "reality_check(my_file:Sarsa(epsilon=0.3))" -> reality_check, my_file:Sarsa.

    A text of another form has itself alone.
    """
    found = _CALL.fullmatch(text)
    if found is None:
        return [text]
    inner = list_called_names(found[2]) if _NESTED_NAME.fullmatch(found[2]) else []
    return [found[1], *inner]


def write_call(name: str, arguments: Mapping[str, Any]) -> str:
    """Write a name with its arguments, in one spelling for equal ones: sorted, without spaces between them."""
    if not arguments:
        return name
    return f"{name}({','.join(f'{key}={arguments[key]!r}' for key in sorted(arguments))})"
