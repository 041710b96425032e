"""Arguments of the wrong type are refused in one line, by a function's own annotations, before anything is done.

A number of numpy's becomes Python's own. A parameter is looked at where its annotation is made of plain types alone
(`engine.plain_annotations`); `**options: Unpack[RunOptions]` has the annotations of that class. Where a call fails and
one of its arguments cannot even be looked at, that argument is named.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from engine.errors import BadValue, CaregridError, did_you_mean
from engine.plain_annotations import allows, rule_of, words_of
from engine.plain_values import python_value
from engine.printable import shown_value, type_name
from engine.user_code import described

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
    annotations = {name: str(one.annotation) for name, one in signature.parameters.items()}
    several = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), None)
    accepted: set[str] = set()
    if several is not None and (options_there := _unpacked(annotations.pop(several), function)):
        annotations |= options_there
        accepted = {*annotations} - {"self"}
    rules = {name: rule for name, annotation in annotations.items() if (rule := rule_of(annotation))}

    def plain(name: str, value: Any) -> Any:
        if not allows(rules[name], value):
            remedy = f"give {words_of(rules[name])}"
            raise BadValue(f"{name} is {shown_value(value)}", place=function.__name__, remedy=remedy)
        return python_value(value)

    @functools.wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}") from None
        options = bound.arguments.get(several or "", {})
        if accepted and (unknown := next((name for name in options if name not in accepted), None)):
            remedy = did_you_mean(unknown, sorted(accepted))
            raise TypeError(f"{function.__qualname__}: got an unexpected keyword argument '{unknown}'; {remedy}")
        try:
            for values in (bound.arguments, options):
                for name, value in values.items():
                    if name in rules:
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


def _unpacked(annotation: str, function: Callable[..., Any]) -> dict[str, str]:
    """The annotations of the class in `Unpack[CLASS]`, by name; none where the annotation says something else."""
    named = annotation.removeprefix("Unpack[").removesuffix("]")
    unpacked = getattr(getattr(function, "__globals__", {}).get(named), "__annotations__", {})
    return {name: getattr(kind, "__forward_arg__", str(kind)) for name, kind in unpacked.items()}


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
