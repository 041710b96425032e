"""Arguments of the wrong type are refused in one line, by a function's own annotations, before anything is done.

A number of numpy's becomes Python's own. A parameter is looked at where its annotation is made of value types alone
(`engine.value_types`); `**options: Unpack[RunOptions]` has the annotations of that class. Where a call fails and one of
its arguments cannot even be looked at, that argument is named.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, Unpack, get_args, get_origin

from engine.errors import BadValue, CaregridError, did_you_mean
from engine.plain_values import python_value
from engine.printable import type_name
from engine.user_code import described
from engine.value_types import ValueType, annotations_of, check, value_types

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
DEEPEST = 2
LARGEST = 1000
_LOOKS: dict[str, Callable[[object], object]] = {
    "whose class cannot be read": lambda value: (value.__class__, isinstance(value, str)),
    "whose attributes cannot be read": lambda value: hasattr(value, "name"),
    "that cannot be compared": lambda value: value == "",
    "that cannot be hashed": lambda value: {value},
}


def checked(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, refusing arguments whose plain type is not the annotated one: BadValue names the parameter."""
    signature = inspect.signature(function)
    several = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), None)

    @functools.cache
    def allowed() -> tuple[dict[str, tuple[ValueType, ...]], set[str]]:
        """The types of each parameter, and the names that `**options` may hold; read at the first call."""
        annotations = annotations_of(function)
        unpacked = _unpacked(annotations.get(several or ""))
        types = {name: value_types(kind) for name, kind in {**annotations, **unpacked}.items()}
        return types, ({*types} - {"return", several}) if unpacked else set()

    def plain(name: str, value: Any) -> Any:
        check(name, value, allowed()[0].get(name, ()), function.__name__)
        return python_value(value) if allowed()[0].get(name) else value

    @functools.wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}") from None
        options = bound.arguments.get(several or "", {})
        accepted = allowed()[1]
        if accepted and (unknown := next((name for name in options if name not in accepted), None)):
            remedy = did_you_mean(unknown, sorted(accepted))
            raise TypeError(f"{function.__qualname__}: got an unexpected keyword argument '{unknown}'; {remedy}")
        try:
            for values in (bound.arguments, options):
                for name, value in values.items():
                    values[name] = plain(name, value)
            return function(*bound.args, **bound.kwargs)
        except CaregridError:
            raise
        except Exception as error:
            for name, value in {**bound.arguments, **options}.items():
                if failure := _failure_of(value):
                    raise BadValue(f"{name} is {failure}", place=function.__name__, remedy="mend it there") from error
            raise

    return call


def _unpacked(annotation: Any) -> dict[str, Any]:
    """The annotations of the class in `Unpack[CLASS]`, by name; none where the annotation says something else."""
    return annotations_of(get_args(annotation)[0]) if get_origin(annotation) is Unpack else {}


def _failure_of(value: object, depth: int = DEEPEST) -> str:
    """Which object, of what is given or of its entries, raises when it is looked at, and what; "" for none."""
    if type(value) in (list, tuple, set, frozenset, dict):
        return _failure_within(value, depth)
    for what, look in _LOOKS.items():
        try:
            look(value)
        except TypeError as error:
            if "hash" not in what:  # lists and the like have none
                return _said(value, what, error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a user's own method may raise anything
            return _said(value, what, error)
    return ""


def _failure_within(value: object, depth: int) -> str:
    if not depth or not isinstance(value, list | tuple | set | frozenset | dict) or len(value) > LARGEST:
        return ""
    entries = [*value, *value.values()] if isinstance(value, dict) else [*value]
    return next(filter(None, (_failure_of(entry, depth - 1) for entry in entries)), "")


def _said(value: object, what: str, error: BaseException) -> str:
    return f"an object of type {type_name(value)} {what}: {described(error)}"
