"""Arguments of the wrong type are refused in one line, by a function's own annotations, before anything is done.

A number of numpy's becomes Python's own. A
parameter is looked at where its annotation is made of plain types alone (`engine.plain_annotations`); `**options:
Unpack[RunOptions]` has the annotations of that class.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from engine.errors import BadValue
from engine.plain_annotations import allows, rule_of, words_of
from engine.plain_values import python_value
from engine.printable import shown_value

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def checked(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, refusing arguments whose plain type is not the annotated one: BadValue names the parameter."""
    signature = inspect.signature(function)
    annotations = {name: str(one.annotation) for name, one in signature.parameters.items()}
    several = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), None)
    if several is not None:
        annotations |= _unpacked(annotations.pop(several), function)
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
        for values in (bound.arguments, bound.arguments.get(several or "", {})):
            for name, value in values.items():
                if name in rules:
                    values[name] = plain(name, value)
        return function(*bound.args, **bound.kwargs)

    return call


def _unpacked(annotation: str, function: Callable[..., Any]) -> dict[str, str]:
    """The annotations of the class in `Unpack[CLASS]`, by name; none where the annotation says something else."""
    named = annotation.removeprefix("Unpack[").removesuffix("]")
    unpacked = getattr(getattr(function, "__globals__", {}).get(named), "__annotations__", {})
    return {name: getattr(kind, "__forward_arg__", str(kind)) for name, kind in unpacked.items()}
