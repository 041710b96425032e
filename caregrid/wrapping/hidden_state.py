"""What an environment's code can reach beside its attributes: where state may hide, and where generators lie.

`reach` follows the environment and its wrappers into what they hold, into the functions of their classes, and from
these into closures, defaults, class attributes and the module globals that they name. Code of Python itself and of the
packages in TRUSTED is not entered.

A place is a part of the state where a reset or a step changes it. `find_moving_places` sees that in plain episodes;
`Hidden` then offers these places as attributes, so that they are saved, restored and known as any attribute is.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.family import WorldFamily
from engine.mdp.enumeration.frozen_values import ATOMS, freeze_value, is_opaque, read_attributes
from engine.mdp.enumeration.linked_generators import DrawSource, find_drawing_generator, link, seed_modules
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
    search = _Search()
    for layer in layers:
        search.enter(layer, type(layer).__name__, False)
    while search.waiting:
        search.look(*search.waiting.pop())
    return Reached(search.data, search.generators)


class _Search:
    """seen: what was entered, by its address, kept so that no address is used twice."""

    def __init__(self) -> None:
        self.data: dict[str, HidingPlace] = {}
        self.generators: list[HidingPlace] = []
        self.waiting: list[tuple[Any, str, bool]] = []
        self._seen: dict[int, Any] = {}

    def enter(self, value: Any, label: str, is_shared: bool) -> None:
        if type(value) not in ATOMS and id(value) not in self._seen:
            self._seen[id(value)] = value
            self.waiting.append((value, label, is_shared))

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
                self._hold(_attribute_place(f"{label}.{name}", value, name, is_shared), False)

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
        names = set(_list_names(function.__code__))
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


def _list_names(code: CodeType) -> Iterator[str]:
    """Yield the global names and attributes that a function's code mentions, in the functions inside it, too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_names(constant)


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


def _attribute_place(label: str, holder: Any, name: str, is_shared: bool = False) -> HidingPlace:
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


class Watch:
    """The values of places as they were, so that it is seen which have changed, and all can be put back."""

    def __init__(self, places: Mapping[str, HidingPlace]) -> None:
        self.places = dict(places)
        self._kept = {label: _copy_or_keep(place.read()) for label, place in places.items()}
        self._frozen = {label: _freeze(place.read()) for label, place in places.items()}

    def find_changed(self) -> set[str]:
        """Return the labels of places that hold another value than before."""
        return {label for label, place in self.places.items() if _freeze(place.read()) != self._frozen[label]}

    def put_back(self, labels: Iterable[str]) -> None:
        """Write the former values of places."""
        for label in labels:
            self.places[label].write(self._kept[label])


def _freeze(value: Any) -> Any:
    try:
        return type(value).__qualname__ if is_opaque(value) else freeze_value(value)
    except Exception:  # a foreign object may fail when it is looked at
        return id(value)


def _copy_or_keep(value: Any) -> Any:
    if is_opaque(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # windows, files and sockets raise what they like
        return value


class Hidden:
    """Places that are a part of the state, as the attributes of an object: a layer beside environment and wrappers."""

    def __init__(self, places: Mapping[str, HidingPlace]) -> None:
        self._places = dict(places)

    def read(self) -> dict[str, Any]:
        """Return what the places hold, by their labels."""
        return {label: place.read() for label, place in self._places.items()}

    def write(self, values: Mapping[str, Any]) -> None:
        """Put values into the places."""
        for label, value in values.items():
            self._places[label].write(value)


def find_places(layers: Sequence[Any], family: WorldFamily | None) -> dict[str, HidingPlace]:
    """Places of data outside the attributes; in a user's class of a known family, what the family lacks, too."""
    places = {label: place for label, place in reach(layers).data.items() if not is_opaque(place.read())}
    bare = layers[-1]
    if family is not None and not is_trusted(type(bare)):
        known = {
            name
            for base in type(bare).__mro__
            if is_trusted(base)
            for method in vars(base).values()
            if isinstance(method, FunctionType)
            for name in _list_names(method.__code__)
        }
        for name in read_attributes(bare).keys() - known:
            places[name] = _attribute_place(name, bare, name)
    return places


EPISODES = 20
STEPS = 300
SECONDS = 1.0


def find_moving_places(env: Any, seeds: Sequence[int], family: WorldFamily | None, layers: Sequence[Any]) -> set[str]:
    """The labels of places that resets and random steps of an environment change; afterwards they are as before."""
    with contextlib.suppress(Exception), seed_modules(0):  # what the environment raises the walk will name
        env.reset(seed=int(seeds[0]))
    places = find_places(layers, family)
    if not places:
        return set()
    watch = Watch(places)
    moving: set[str] = set()
    generator = np.random.Generator(np.random.PCG64(0))
    began, steps = time.perf_counter(), 0
    with contextlib.suppress(Exception), seed_modules(0):
        for episode in range(EPISODES):
            env.reset(seed=int(seeds[episode % len(seeds)]))
            moving |= watch.find_changed()
            over = False
            while not over and steps < STEPS * (episode + 1) / EPISODES:
                _, _, terminated, truncated, _ = env.step(int(generator.integers(int(env.action_space.n))))
                moving |= watch.find_changed()
                over = bool(terminated or truncated)
                steps += 1
            if time.perf_counter() - began > SECONDS:
                break
    moving |= find_places(layers, family).keys() - places.keys()
    watch.put_back(watch.find_changed())
    return moving


def link_generators(
    layers: Sequence[Any], source: DrawSource, is_shared: bool | None = None
) -> list[Callable[[], None]]:
    """Replace generators that can be reached by ones that draw from a source; what undoes each.

    is_shared: whether only those outside the environment, or only those within.
    """
    undo: list[Callable[[], None]] = []
    for place in reach(layers).generators:
        if is_shared is None or place.is_shared == is_shared:
            found = place.read()
            parts = [link(part, source) if is_drawing(part) else part for part in _as_tuple(found)]
            place.write(tuple(parts) if isinstance(found, tuple) else parts[0])
            undo.append(functools.partial(place.write, found))
    return undo


def list_generators(layers: Sequence[Any]) -> list[Any]:
    """Return every generator that can be reached."""
    found = (find_drawing_generator(part) for place in reach(layers).generators for part in _as_tuple(place.read()))
    return list({id(generator): generator for generator in found if generator is not None}.values())


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
