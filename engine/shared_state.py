"""What objects share beside their attributes: kept while something is tried, and put back afterwards.

A trial builds a user's objects and lets them act and learn. What these hold themselves is gone with them. What their
code reaches elsewhere is not: attributes of classes, variables of modules and of functions around them, defaults,
generators (`engine.reach`).

    with keep_shared_state(MyAgent):
        ...                                # a trial
    # MyAgent.values is the array that it was, with the numbers that it had

Everything is put back in place, so that whoever holds an array, a list or a dictionary sees it as it was. Iterators
that can be copied are replaced by a copy. Objects of installed packages are not looked into,
unless one of the things comes from there.
"""

from __future__ import annotations

import array
import contextlib
import copy
import functools
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from engine.mdp.enumeration.frozen_values import ATOMS, freeze_value, is_tensor, read_attributes
from engine.mdp.enumeration.linked_generators import MODULE_DRAWS, find_drawing_generator
from engine.reach import ABSENT, TRUSTED, Search, is_trusted
from engine.user_code import find_package

ENTERED = {"builtins", "types", "collections", "functools", "random", "array", "queue", "numpy", "torch", "gymnasium"}
ENTERED |= {"networkx", "scipy"}
ENTERED |= {"engine", "xenv", "craftworld", "multislot", "counterfactual"}
"""Packages whose objects are looked into; those of others that are trusted are left alone, such as compiled code."""


@contextmanager
def keep_shared_state(*things: Any) -> Iterator[SharedState]:
    """Put back afterwards what everything that can be reached from some things holds now."""
    state = SharedState(*things)
    try:
        yield state
    finally:
        state.put_back()


class _Kept(NamedTuple):
    """What one thing held. write: lets it hold that again. is_named: whether it holds parts by their names."""

    label: str
    read: Callable[[], Any]
    write: Callable[[Any], None]
    held: Any
    is_named: bool


class SharedState(Search):
    """What everything that can be reached from some things holds, as it is when this is made.

    Parameters
    ----------
    *things
        Classes, factories or objects.
    """

    def __init__(self, *things: Any) -> None:
        self._kept: list[_Kept] = []
        self._entered = ENTERED | {find_package(thing) for thing in things}
        self._modules = set[int]()
        self._iterators: dict[int, tuple[Any, Any]] = {}
        for module, generator in MODULE_DRAWS if things else ():
            self._keep_generator(generator, f"the generator of {module.__name__}")
        super().__init__(things)

    def _is_foreign(self, value: Any) -> bool:
        """Return whether a thing belongs to an installed package, and not to one of those that were given."""
        package = find_package(value if isinstance(value, type | FunctionType | ModuleType) else type(value))
        return package not in self._entered and (package in TRUSTED or _is_installed(package))

    def find_changed(self) -> list[str]:
        """Return the labels of what holds something else than before, such as `Learner.values`."""
        changed = dict[str, None]()
        for label, read, _, held, is_named in self._kept:
            now = read()
            if is_named:
                changed.update((f"{label}{name}", None) for name in _find_other_names(held, now))
            elif not _are_same(held, now):
                changed[label] = None
        return list(changed)

    def put_back(self) -> None:
        """Let everything hold what it held."""
        for _, read, write, held, _ in self._kept:
            with contextlib.suppress(Exception):  # a thing of a user's own may refuse to be written
                if not _are_same(held, read()):
                    write(held)

    def look(self, value: Any, label: str, is_shared: bool) -> None:
        """Keep what a thing holds, and find what is within it."""
        if self._is_foreign(value):
            return
        generator = find_drawing_generator(value)
        if generator is not None:
            self._keep_generator(generator, label)
        elif isinstance(value, FunctionType):
            if not is_trusted(value):
                self._keep_function(value)
        elif isinstance(value, type):
            self.enter(vars(value).get("__wrapped__"), label, True)  # a user's own class, adapted
            for base in value.__mro__:
                if not is_trusted(base):
                    self._keep_names(f"{base.__name__}.", functools.partial(_read_class, base), base)
        elif isinstance(value, ModuleType):
            if not is_trusted(value):
                self._keep_module(vars(value))
        else:
            self._keep_content(value, label)
        super().look(value, label, is_shared)

    def _keep(self, label: str, read: Callable[[], Any], write: Callable[[Any], None], is_named: bool = False) -> None:
        self._kept.append(_Kept(label, read, write, read(), is_named))

    def _keep_names(self, label: str, read: Callable[[], dict[str, Any]], holder: Any) -> None:
        """Keep what an object, a class or a module (a dictionary) holds by name."""
        held = {name: self._copy_iterator(value) for name, value in read().items()}

        def write(before: Mapping[str, Any]) -> None:
            for name in _find_other_names(before, read()):
                _write_name(holder, name, before.get(name, ABSENT))

        self._kept.append(_Kept(label, read, write, held, True))

    def _keep_function(self, function: FunctionType) -> None:
        name = function.__qualname__.replace(".<locals>", "")
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # it holds nothing yet
                self._keep_names(f"variable of {name}: ", functools.partial(_read_cell, variable, cell), cell)
        write = functools.partial(setattr, function, "__defaults__")
        self._keep(f"defaults of {name}", lambda: function.__defaults__, write)
        self._keep_names(f"{name}.", lambda: dict(vars(function)), vars(function))
        if function.__kwdefaults__:
            self.enter(function.__kwdefaults__, f"defaults of {name}", True)
        self._keep_module(function.__globals__)

    def _keep_module(self, variables: dict[str, Any]) -> None:
        if id(variables) not in self._modules:
            self._modules.add(id(variables))
            module = str(variables.get("__name__", "")).rpartition(".")[2]
            self._keep_names(f"{module}.", lambda: _leave_out_special(variables), variables)

    def _keep_generator(self, generator: Any, label: str) -> None:
        if isinstance(generator, np.random.Generator):
            bits = generator.bit_generator
            self._keep(label, lambda: copy.deepcopy(bits.state), functools.partial(setattr, bits, "state"))
        elif isinstance(generator, np.random.RandomState):
            self._keep(label, generator.get_state, generator.set_state)
        elif not isinstance(generator, random.SystemRandom):
            self._keep(label, generator.getstate, generator.setstate)

    def _keep_content(self, value: Any, label: str) -> None:
        """Keep what a container or an object holds."""
        if isinstance(value, np.ndarray):
            self._keep(label, value.copy, functools.partial(np.copyto, value))
            for part in value.flat if value.dtype.hasobject else ():
                self.enter(part, label, True)
        elif is_tensor(value):
            self._keep(label, value.detach().clone, value.detach().copy_)
        elif isinstance(value, list | bytearray | array.array):
            self._keep(label, lambda: value[:], lambda held: value.__setitem__(slice(None), held))
        elif isinstance(value, dict | set | deque):
            self._keep(label, value.copy, functools.partial(_refill, value))
        if not isinstance(value, np.ndarray) and read_attributes(value):
            self._keep_names(f"{label}.", lambda: read_attributes(value), value)

    def _copy_iterator(self, value: Any) -> Any:
        """Return a copy of an iterator, to stand where it stands now; other values are kept as they are."""
        if type(value) in ATOMS or not isinstance(value, Iterator) or find_drawing_generator(value) is not None:
            return value
        if id(value) not in self._iterators:
            self._iterators[id(value)] = (value, value)
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._iterators[id(value)] = (value, copy.copy(value))
        return self._iterators[id(value)][1]


@functools.cache
def _is_installed(package: str) -> bool:
    """Return whether a package was installed, as runners of tests and notebooks are: it is no code of a user's."""
    module = sys.modules.get(package)
    places = [getattr(module, "__file__", None) or "", *getattr(module, "__path__", ())]
    return any(part in ("site-packages", "dist-packages") for place in places for part in Path(place).parts)


def _refill(container: Any, held: Any) -> None:
    container.clear()
    container.extend(held) if isinstance(container, deque) else container.update(held)


def _write_name(holder: Any, name: str, value: Any) -> None:
    """Let an object, a class, a variable or a dictionary hold a value by a name, or nothing."""
    if isinstance(holder, dict):
        holder.pop(name, None) if value is ABSENT else holder.update({name: value})
    elif isinstance(holder, CellType):
        holder.cell_contents = value
    elif isinstance(holder, type):
        delattr(holder, name) if value is ABSENT else setattr(holder, name, value)
    else:
        object.__delattr__(holder, name) if value is ABSENT else object.__setattr__(holder, name, value)


def _read_cell(variable: str, cell: CellType) -> dict[str, Any]:
    return {variable: cell.cell_contents}


def _read_class(cls: type) -> dict[str, Any]:
    return _leave_out_special(vars(cls))


def _leave_out_special(names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in names.items() if not name.startswith(("__", "_abc_"))}


def _find_other_names(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [name for name in {**before, **now} if not _are_same(before.get(name, ABSENT), now.get(name, ABSENT))]


def _are_same(before: Any, now: Any) -> bool:
    """Return whether a thing holds the same: numbers that are equal, and the very same objects otherwise."""
    if before is now:
        return True
    if type(before) is not type(now):
        return False
    if type(before) in ATOMS:  # most things, such as the numbers that a generator holds
        return bool(before == now or before != before)
    if isinstance(before, np.ndarray):
        same = before.shape == now.shape and before.dtype == now.dtype
        return bool(same and before.tobytes() == now.tobytes())
    if is_tensor(before):
        return before.shape == now.shape and bool(((before == now) | (before != before)).all())
    if isinstance(before, dict):
        same = len(before) == len(now) and all(map(_are_same, before, now))
        return same and all(map(_are_same, before.values(), now.values()))
    if isinstance(before, list | tuple | deque):
        return len(before) == len(now) and all(map(_are_same, before, now))
    if isinstance(before, Iterator):
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(freeze_value(before) == freeze_value(now))
        return False
    return type(before) in (set, bytearray, array.array) and bool(before == now or before != before)
