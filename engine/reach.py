"""What code can reach beside the attributes of its objects: where state may hide, and where generators lie.

`reach` follows objects into what they hold, into the functions of their classes, and from these into closures,
defaults, class attributes and the module globals that they name. Code of Python itself and of the packages in TRUSTED
is not entered.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from engine.mdp.enumeration.frozen_values import ATOMS, read_attributes
from engine.mdp.enumeration.linked_generators import find_drawing_generator
from engine.user_code import OWN_PACKAGES

TRUSTED = sys.stdlib_module_names | {
    *("numpy", "scipy", "gymnasium", "pettingzoo", "minigrid", "mo_gymnasium", "shimmy", "torch", "pygame", "numba"),
    *("networkx", "pandas", "matplotlib", "PIL", "cv2", "jax", "tensorflow", "stable_baselines3", "pytest"),
    *OWN_PACKAGES,
}
ABSENT = "nothing yet"
"""What a place holds before it is made."""
MOST_ENTRIES = 10_000
"""Of a larger container the entries are not entered."""


class HidingPlace(NamedTuple):
    """Where a value lies. label: for messages. write: put a value there; ABSENT removes it.

    is_shared: whether it lies outside the environment, where other ones reach it, too.
    """

    label: str
    read: Callable[[], Any]
    write: Callable[[Any], None]
    is_shared: bool = False


class Reached(NamedTuple):
    """Places of data, and places of generators (or of their methods)."""

    data: dict[str, HidingPlace]
    generators: list[HidingPlace]


def is_trusted(thing: Any) -> bool:
    """Return whether a class, a function or a module belongs to Python or to a package in TRUSTED."""
    name = getattr(thing, "__name__" if isinstance(thing, ModuleType) else "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] in TRUSTED


def reach(layers: Sequence[Any]) -> Reached:
    """Return every place that the code of an environment and its wrappers can reach."""
    search = Search(layers)
    return Reached(search.data, search.generators)


class Search:
    """Enters things one by one. seen: what was entered, by its address, kept so that no address is used twice."""

    def __init__(self, things: Sequence[Any]) -> None:
        self.data: dict[str, HidingPlace] = {}
        self.generators: list[HidingPlace] = []
        self._waiting: list[tuple[Any, str, bool]] = []
        self._seen: dict[int, Any] = {}
        for thing in things:
            self.enter(thing, type(thing).__name__, False)
        while self._waiting:
            self.look(*self._waiting.pop())

    def enter(self, value: Any, label: str, is_shared: bool) -> None:
        """Look at a value later, unless it cannot change or was entered before."""
        if type(value) not in ATOMS and id(value) not in self._seen:
            self._seen[id(value)] = value
            self._waiting.append((value, label, is_shared))

    def _hold(self, place: HidingPlace, is_data: bool) -> None:
        """A place was found: note it, and enter what it holds. is_data: whether no attribute holds it already."""
        value = place.read()
        if any(map(is_drawing, value if isinstance(value, tuple) else (value,))):
            self.generators.append(place)
        elif is_data and not isinstance(
            value, FunctionType | type | ModuleType | staticmethod | classmethod | property
        ):
            self.data.setdefault(place.label, place)
        self.enter(value, place.label, place.is_shared)

    def look(self, value: Any, label: str, is_shared: bool) -> None:
        """Find the places within a value."""
        if is_drawing(value):
            return
        if isinstance(value, FunctionType):
            if not is_trusted(value):
                self._look_at_function(value)
        elif isinstance(value, MethodType | BuiltinFunctionType):
            self.enter(getattr(value, "__func__", None), label, is_shared)
            self.enter(value.__self__, label, is_shared)
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, *value.keywords.values()):
                self.enter(part, label, is_shared)
        elif isinstance(value, property | functools.cached_property | staticmethod | classmethod):
            for name in ("fget", "fset", "fdel", "func", "__func__"):
                self.enter(getattr(value, name, None), label, True)
        elif isinstance(value, type):
            self._look_at_class(value)
        elif isinstance(value, Mapping | list | tuple | set | frozenset):
            self._look_at_container(value, label, is_shared)
        elif not isinstance(value, ModuleType | np.ndarray | CodeType):
            self.enter(type(value), type(value).__name__, True)
            for name in read_attributes(value):
                self._hold(make_attribute_place(f"{label}.{name}", value, name, is_shared), False)

    def _look_at_function(self, function: FunctionType) -> None:
        name = function.__qualname__.replace(".<locals>", "")
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._hold(_cell_place(f"{name}'s variable {variable}", cell), True)
        for number, default in enumerate(function.__defaults__ or ()):
            if type(default) not in ATOMS:
                self._hold(_default_place(f"default {number} of {name}", function, number), True)
        for variable, default in (function.__kwdefaults__ or {}).items():
            if type(default) not in ATOMS:
                self._hold(_entry_place(f"default {variable} of {name}", function.__kwdefaults__, variable, True), True)
        for variable in list(vars(function)):
            self._hold(_entry_place(f"{name}.{variable}", vars(function), variable, True), True)
        names = set(list_names(function.__code__))
        self._look_at_globals(function.__globals__, names)
        for variable in names & function.__globals__.keys():
            module = function.__globals__[variable]
            if isinstance(module, ModuleType) and not is_trusted(module):
                self._look_at_globals(vars(module), names)

    def _look_at_globals(self, variables: dict[str, Any], names: Iterable[str]) -> None:
        module = str(variables.get("__name__", "")).rpartition(".")[2]
        for variable in names:
            if variable in variables:
                self._hold(_entry_place(f"{module}.{variable}", variables, variable, True), True)

    def _look_at_class(self, kind: type) -> None:
        for base in kind.__mro__:
            if is_trusted(base):
                continue
            for name, value in list(vars(base).items()):
                if isinstance(value, FunctionType) or (hasattr(type(value), "__get__") and not isinstance(value, type)):
                    self.enter(value, name, True)  # a method, a property, a slot
                elif not name.startswith(("__", "_abc_")):
                    self._hold(_class_place(f"{base.__name__}.{name}", base, name), True)
        self.enter(type(kind), kind.__name__, True)

    def _look_at_container(self, value: Any, label: str, is_shared: bool) -> None:
        parts = [value[key] for key in value] if isinstance(value, Mapping) else value  # a key may hide `values`
        if len(value) > MOST_ENTRIES or not set(map(type, parts)) - ATOMS:
            return
        if isinstance(value, dict | list):
            for key in list(value) if isinstance(value, dict) else range(len(value)):
                self._hold(_entry_place(f"{label}[{key!r}]", value, key, is_shared), False)
        else:
            for part in parts:
                self.enter(part, label, is_shared)


def is_drawing(value: Any) -> bool:
    """Return whether a value is a generator, or a method of one."""
    return find_drawing_generator(value) is not None


def list_names(code: CodeType) -> Iterator[str]:
    """Yield the global names and attributes that a function's code mentions, in the functions inside it, too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from list_names(constant)


def _cell_place(label: str, cell: CellType) -> HidingPlace:
    def read() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return ABSENT

    def write(value: Any) -> None:
        cell.cell_contents = value

    return HidingPlace(label, read, write, True)


def _entry_place(label: str, holder: Any, key: Any, is_shared: bool) -> HidingPlace:
    def read() -> Any:
        try:
            return holder[key]
        except (KeyError, IndexError):
            return ABSENT

    def write(value: Any) -> None:
        if value is ABSENT:
            holder.pop(key, None)
        else:
            holder[key] = value

    return HidingPlace(label, read, write, is_shared)


def _class_place(label: str, kind: type, name: str) -> HidingPlace:
    def write(value: Any) -> None:
        if value is ABSENT:
            delattr(kind, name)
        else:
            setattr(kind, name, value)

    return HidingPlace(label, lambda: vars(kind).get(name, ABSENT), write, True)


def make_attribute_place(label: str, holder: Any, name: str, is_shared: bool = False) -> HidingPlace:
    """Return the place of an attribute of an object."""

    def read() -> Any:
        return getattr(holder, name, ABSENT)

    def write(value: Any) -> None:
        if value is ABSENT:
            delattr(holder, name)
        else:
            object.__setattr__(holder, name, value)

    return HidingPlace(label, read, write, is_shared)


def _default_place(label: str, function: FunctionType, number: int) -> HidingPlace:
    def write(value: Any) -> None:
        defaults = list(function.__defaults__ or ())
        defaults[number] = value
        function.__defaults__ = tuple(defaults)

    return HidingPlace(label, lambda: (function.__defaults__ or ())[number], write, True)
