"""What compiled code finds at an object: its own fields, and what its class and the ancestors of that define.

    self.name       a field of the object; else a constant, a property or a method of its class
    super().name    a property or method of the next ancestor that defines one
    Class.name      a constant of a class

A constant of a class is a number, a tuple of numbers or an array. Those that an object finds on its class are fields in
compiled code, read from the class at each call: what is set in the object hides them, as in Python. An array of the
class is read-only there, since all objects share it. What is read by the name of a class is compiled into the code.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from engine.compiling.digest import collect_names

_OF_ANCESTOR = " of ancestor "


def collect_fields(thing: Any) -> dict[str, Any]:
    """Return an object's fields, and the constants of its class that its methods read."""
    cls: Any = type(thing)
    names, found = collect_names(cls), dict[str, Any]()
    for ancestor in reversed(cls.__mro__):
        found |= {name: value for name, value in vars(ancestor).items() if name in names}
    constants = {name: _protect(value) for name, value in found.items() if _is_constant(value) and name[:2] != "__"}
    fields: dict[str, Any] = vars(thing)
    return constants | fields


def _is_constant(value: Any) -> bool:
    return value.dtype != object if type(value) is np.ndarray else is_made_of_numbers(value)


def is_made_of_numbers(value: Any) -> bool:
    """Return whether a value is a number of Python's that compiled code has, too, or a tuple of such."""
    if type(value) is tuple:
        return all(map(is_made_of_numbers, value))
    return type(value) in (bool, float) or (type(value) is int and value.bit_length() < 64)


def _protect(value: Any) -> Any:
    """Return an array as one that cannot be written to."""
    if type(value) is np.ndarray:
        value = value.view()
        value.flags.writeable = False
    return value


def find_member(cls: Any, name: str) -> Any:
    """Return what a class, or the ancestor that the name tells, defines or inherits; None where it has no such name."""
    plain, _, place = name.partition(_OF_ANCESTOR)
    ancestors = cls.__mro__[-int(place) :] if place else cls.__mro__
    return next((vars(ancestor)[plain] for ancestor in ancestors if plain in vars(ancestor)), None)


def find_method(cls: Any, name: str) -> FunctionType | None:
    """Return the plain method of a name; None where there is no such method."""
    member = find_member(cls, name)
    return member if isinstance(member, FunctionType) and name[:2] != "__" else None


def find_getter(cls: Any, name: str) -> FunctionType | None:
    """Return what computes the property of a name; None where there is no such property."""
    member = find_member(cls, name)
    return member.fget if type(member) is property and isinstance(member.fget, FunctionType) else None


def name_inherited(cls: Any, defining: Any, name: str) -> str | None:
    """Return what `find_member` calls a name after `super()` in a method of a defining class.

    None where no further ancestor has the name, or where it is `fork`, which compiled code does itself.
    """
    classes = list(cls.__mro__)
    if defining not in classes or name == "fork":
        return None
    further = classes[classes.index(defining) + 1 :]
    place = next((len(further) - at for at, ancestor in enumerate(further) if name in vars(ancestor)), None)
    return None if place is None else f"{name}{_OF_ANCESTOR}{place}"
