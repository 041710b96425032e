"""Values as hashable plain data that are equal where the values are, and quick copies of plain values.

Frozen values stand for arrays, lists, dictionaries, objects. What is not data is left out: functions, classes,
generators, spaces, windows. An object is the class it has and the frozen values of its attributes and slots; one that
occurs twice is frozen once and referred to by number. An object without attributes, such as a counter of `itertools`,
is what it would be pickled as. Containers are equal where their entries are, whether or not they are one; of
dictionaries the order counts, for a world may go by it.

Copies are quick for numbers, words, arrays of numbers, and containers that hold nothing deeper. A deep copy looks at
every entry; of a list of numbers or an array a shallow one is as good and much faster. Views of one array stay views of
one array (`copy_views`), which numpy's own deep copies are not.
"""

from __future__ import annotations

import array
import enum
import itertools
import random
import types
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from types import NoneType
from typing import Any

import numpy as np

ATOMS = frozenset([int, float, str, bool, bytes, complex, NoneType])
CONTAINERS = frozenset([list, set, dict])


class NotPlain(Exception):
    """A value of which a shallow copy is not enough."""


def is_atom(value: Any) -> bool:
    """Return whether a value cannot change: a number, a word, nothing, or a tuple of these."""
    kind = type(value)
    if kind in ATOMS:
        return True
    if kind is tuple:
        return _are_atoms(value)
    return isinstance(value, np.generic | enum.Enum)


def copy_plain_values(values: Iterable[Any]) -> list[Any]:
    """A copy of each value; NotPlain where one of them is not a plain value, or two are one container or memory."""
    result, containers = [], set[int]()
    for value in values:
        kind = type(value)
        if kind in ATOMS or (kind is not np.ndarray and is_atom(value)):
            result.append(value)
            continue
        held = find_memory(value) if kind is np.ndarray else value
        if id(held) in containers:
            raise NotPlain
        containers.add(id(held))
        result.append(_copy_shallowly(value, kind))
    return result


def find_memory(view: Any) -> Any:
    """Return the array in whose memory an array lies: itself, or the one of which it is a view."""
    while isinstance(view.base, np.ndarray):
        view = view.base
    return view


def group_by_memory(values: Iterable[Any]) -> list[tuple[Any, list[Any]]]:
    """Return every memory in which arrays among some values lie, and these arrays."""
    groups: dict[int, tuple[Any, dict[int, Any]]] = {}
    for value in values:
        if isinstance(value, np.ndarray):
            memory = find_memory(value)
            groups.setdefault(id(memory), (memory, {}))[1][id(value)] = value
    return [(memory, list(arrays.values())) for memory, arrays in groups.values()]


def copy_views(values: Iterable[Any], memo: dict[int, Any]) -> None:
    """Let a deep copy keep views: arrays in one memory are copied into one memory. memo: of the deep copy.

    TypeError where nobody can: the memory belongs to something else that is copied, too, or holds objects.
    """
    held = list(values)
    groups = group_by_memory(held)
    foreign = [memory for memory, _ in groups if memory.base is not None]
    for one, other in itertools.combinations([*foreign, *_view_buffers(held)] if foreign else [], 2):
        if np.may_share_memory(one, other):
            raise TypeError("cannot copy an array in the memory of something else")
    for memory, arrays in groups:
        if len(arrays) == 1:
            continue
        if memory.dtype.hasobject or not memory.flags.forc or any(type(view) is not np.ndarray for view in arrays):
            raise TypeError("cannot copy several arrays of objects, or of a class of their own, in one memory")
        copied = memory.copy(order="K").ravel(order="K")
        for view in arrays:
            offset = view.ctypes.data - memory.ctypes.data
            made: Any = np.ndarray(view.shape, view.dtype, copied, offset, view.strides)
            made.flags.writeable = view.flags.writeable
            memo[id(view)] = made


def _view_buffers(values: Iterable[Any]) -> Iterator[Any]:
    """The memory, as an array, of each value that is no array but lends its memory to arrays."""
    for value in values:
        if isinstance(value, bytearray | array.array) and len(value):
            yield np.frombuffer(value, np.uint8)
        elif is_tensor(value) and value.device.type == "cpu":
            yield value.detach().numpy()


def _copy_shallowly(value: Any, kind: type) -> Any:
    if kind is np.ndarray:
        if value.dtype.kind != "O" or _are_atoms(value.ravel().tolist()):
            return value.copy()
    elif kind in CONTAINERS and _are_atoms(value) and (kind is not dict or _are_atoms(value.values())):
        return value.copy()
    raise NotPlain


def _are_atoms(entries: Iterable[Any]) -> bool:
    kinds = set(map(type, entries))
    if kinds <= ATOMS:
        return True
    return kinds <= ATOMS | {tuple} and all(type(entry) is not tuple or _are_atoms(entry) for entry in entries)


PLAIN = (int, float, str, bytes, bool, complex, type(None), np.generic)
QUICK = ATOMS - {float}
OPAQUE_MODULES = ("pygame", "gymnasium.spaces", "gymnasium.utils", "gymnasium.envs.registration", "threading", "torch")
OPAQUE = (
    type,
    types.ModuleType,
    types.FunctionType,
    np.random.Generator,
    np.random.RandomState,
    random.Random,
)


def is_opaque(value: Any) -> bool:
    """Return whether a value is not data: a function, a class, a generator, a space, a window.

    A method of an object is data as its object is.
    """
    verdict = _judge_kind(type(value))  # type: ignore[arg-type]
    if verdict is not None:
        return verdict
    owner = getattr(value, "__self__", None)
    return owner is None or isinstance(owner, types.ModuleType) or is_opaque(owner)


def is_tensor(value: Any) -> bool:
    """Return whether a value is an array of torch, which is data as numpy's are."""
    return _is_tensor_kind(type(value))  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def _is_tensor_kind(kind: type) -> bool:
    return kind.__module__ in ("torch", "torch.nn.parameter") and kind.__name__ in ("Tensor", "Parameter")


@lru_cache(maxsize=4096)
def _judge_kind(kind: type) -> bool | None:
    """Return whether values of a kind are opaque; None of methods, whose object decides."""
    if issubclass(kind, types.MethodType | types.BuiltinFunctionType):
        return None
    return issubclass(kind, OPAQUE) or (kind.__module__.startswith(OPAQUE_MODULES) and not _is_tensor_kind(kind))  # type: ignore[arg-type]


def freeze_value(value: Any, outside: Sequence[Any] = ()) -> Hashable:
    """Return the value as hashable plain data; what is not data becomes the name of its type.

    outside: objects that are referred to by their number there, so that what they hold is not looked at.
    """
    if type(value) in QUICK:
        return value  # type: ignore[no-any-return]
    return _freeze_value(value, {id(one): number for number, one in enumerate(outside)}, [])


def _freeze_value(value: Any, objects: dict[int, int], inside: list[int]) -> Hashable:
    """objects: number of every object met so far, by its address. inside: addresses of what is being frozen."""
    kind = type(value)
    if kind in (int, str, bool, bytes, types.NoneType):
        return value  # type: ignore[no-any-return]
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, float | np.floating):
        return float(value) + 0.0 if value == value else "nan"  # -0.0 is 0.0, and nan is nan
    if isinstance(value, np.generic):
        return value.item()  # type: ignore[no-any-return]
    if isinstance(value, enum.Enum):
        return kind.__qualname__, value.name
    if isinstance(value, PLAIN):
        return value
    if kind in (list, tuple) and set(map(type, value)) <= QUICK:
        return kind.__name__, *value
    if is_tensor(value):
        return "tensor", _freeze_value(value.detach().cpu().numpy(), objects, inside)
    if is_opaque(value):
        return kind.__qualname__
    if isinstance(value, types.MethodType | types.BuiltinFunctionType):
        return value.__name__, _freeze_value(value.__self__, objects, inside)
    if id(value) in inside:
        return "holder", len(inside) - inside.index(id(value))
    if isinstance(value, np.ndarray | Mapping | Set | Sequence):
        inside.append(id(value))
        parts = _freeze_parts(value, lambda part: _freeze_value(part, objects, inside))
        held = sorted(vars(value).items()) if hasattr(value, "__dict__") else ()
        parts = [*parts, *((name, _freeze_value(part, objects, inside)) for name, part in held)]
        inside.pop()
        return kind.__name__, *parts
    if id(value) in objects:
        return "object", objects[id(value)]
    objects[id(value)] = len(objects)
    attributes = read_attributes(value)
    if not attributes:
        return kind.__qualname__, _freeze_value(_reduce(value), objects, inside)
    return kind.__qualname__, *((name, _freeze_value(attributes[name], objects, inside)) for name in sorted(attributes))


def _freeze_parts(value: Any, freeze: Callable[[Any], Hashable]) -> Sequence[Hashable]:
    """Return the frozen parts of a container, in an order that does not depend on addresses."""
    if isinstance(value, Mapping):
        entries = value.copy() if type(value) is dict else value  # a dict of weak references may shrink meanwhile
        return [(freeze(key), freeze(part)) for key, part in entries.items()]
    if isinstance(value, Set):
        return sorted((freeze(part) for part in value), key=repr)
    return [freeze(part) for part in (value.ravel() if isinstance(value, np.ndarray) else value)]


def _reduce(value: Any) -> Any:
    """What an object without attributes is made again from: a function and its arguments, if it says so."""
    try:
        made = value.__reduce_ex__(4)
    except Exception:  # locks, files and generators cannot be made again
        return ()
    return [part for part in made if not is_opaque(part)] if isinstance(made, tuple) else ()


def read_attributes(value: Any) -> dict[str, Any]:
    """What an object holds, by name: its attributes and its slots."""
    held = dict(getattr(value, "__dict__", {}))
    for name in list_slots(type(value)):  # type: ignore[arg-type]
        if hasattr(value, name):
            held[name] = getattr(value, name)
    return held


@lru_cache(maxsize=4096)
def list_slots(cls: type) -> tuple[str, ...]:
    """Return the names of the slots of a class and of those that it derives from, as Python stores them."""
    names = list[str]()
    for kind in cls.__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            if name not in ("__dict__", "__weakref__"):
                names.append(f"_{kind.__name__.lstrip('_')}{name}" if private else name)
    return tuple(names)
