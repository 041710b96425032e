"""The parts of every checker: a class has these methods, a call returns such a value, or one line says what is wrong.

A checker (`check_scenario`, `check_agent`, ...) builds a thing as its users would, calls it, and raises ContractBroken
for the first fault: the file and class, the method, what it returned, what was expected.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from engine.errors import ContractBroken, add_article
from engine.printable import show_value
from engine.user_code import describe_place, find_users_line, user_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST_RANGE = 10_000_000


def require_class(thing: Any, base: type, kind: str) -> None:
    """Raise ContractBroken unless `thing` is a class derived from `base` that defines every abstract method.

    kind: what it should be, in words, such as "scenario".
    """
    if not (inspect.isclass(thing) and issubclass(thing, base)):
        raise ContractBroken(
            f"{show_value(thing)} is not {add_article(kind)}",
            place=describe_place(thing),
            remedy=f"derive a class from {base.__name__}",
        )
    missing = sorted(getattr(thing, "__abstractmethods__", ()))
    if missing:
        raise ContractBroken(
            f"no {_quote_names(missing)}",
            place=describe_place(thing),
            remedy=f"define what {base.__name__} leaves open",
        )


def require_instance(thing: Any, expected: type, kind: str) -> None:
    """Raise ContractBroken unless `thing` is an instance of the class `expected`."""
    if not isinstance(thing, expected):
        raise ContractBroken(
            f"{show_value(thing)} is not {add_article(kind)}",
            place=describe_place(thing),
            remedy=f"make {add_article(expected.__name__)}",
        )


def require_callable(thing: Any, kind: str, remedy: str) -> None:
    """Raise ContractBroken unless `thing` can be called. kind: what it should be, in words. remedy: what to define."""
    if not callable(thing):
        raise ContractBroken(
            f"{show_value(thing)} is not {add_article(kind)}", place=describe_place(thing), remedy=remedy
        )


def require_methods(thing: Any, methods: Iterable[str], kind: str) -> None:
    """Raise ContractBroken, naming the methods that are missing, unless `thing` has all of them.

    kind: what it should be, in words.
    """
    missing = [name for name in methods if not callable(getattr(thing, name, None))]
    if missing:
        raise ContractBroken(
            f"no {_quote_names(missing)}",
            place=describe_place(thing),
            remedy=f"{add_article(kind)} defines {_quote_names(methods)}",
        )


def require_parameters(function: Callable[..., Any], count: int, expected: str) -> None:
    """Raise ContractBroken unless a function can be called with `count` positional arguments.

    expected: the call in words, such as "step(state, action)". Functions that do not say are believed; those that
    would have to be awaited are refused.
    """
    if inspect.iscoroutinefunction(function):
        raise ContractBroken("is async", place=describe_place(function), remedy="write def in the place of async def")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*range(count))
    except TypeError:
        raise ContractBroken(
            f"takes {signature}", place=describe_place(function), remedy=f"it is called as {expected}"
        ) from None


def require_function(field: str, function: Any, count: int, expected: str) -> None:
    """Raise ContractBroken unless a field of a declaration holds a function of `count` positional arguments.

    expected: the call in words, such as "step(state, action)". A message names the line that makes the declaration.
    """
    if not callable(function):
        remedy = f"give a function that is called as {expected}"
        raise ContractBroken(f"{field} is {show_value(function)}", place=find_users_line(), remedy=remedy)
    require_parameters(function, count, expected)


def require_overrides(thing: type, base: type) -> None:
    """Raise ContractBroken unless every public method of `base` that a class overrides can be called as there."""
    for name, method in inspect.getmembers(base, inspect.isfunction):
        own = getattr(thing, name)
        if name.startswith("_") or own is method:
            continue
        if not callable(own):
            raise ContractBroken(
                f"its '{name}' is not a method", place=describe_place(thing), remedy=f"define '{name}'"
            )
        parameters = list(inspect.signature(method).parameters)
        require_parameters(own, len(parameters), f"{name}({', '.join(parameters)})")


def call_method(owner: Any, method: str, *arguments: Any, **settings: Any) -> Any:
    """Call a user's method; raise ContractBroken with the user's file and line where it raises.

    The method of a function is "__call__". A call that does not raise costs next to nothing.
    """
    try:
        return getattr(owner, method)(*arguments, **settings)
    except BaseException:
        with user_code(describe_place(owner) if method == "__call__" else f"{describe_place(owner)}, {method}"):
            raise


def read_array(value: Any) -> NDArray[Any]:
    """Return a value as an array, of dtype object where it is no array, such as rows of different lengths.

    A range too long for memory is no array either.
    """
    import numpy as np

    try:
        if isinstance(value, range) and len(value) > LONGEST_RANGE:
            raise ValueError("too long")
        return np.asarray(value)
    except Exception:
        none = np.empty((), dtype=object)
        none[()] = value
        return none


def refuse(owner: Any, method: str, given: Any, expected: str) -> NoReturn:
    """Raise ContractBroken: `kitchen.py, class Kitchen: step gave 3; expected a pair`.

    owner: the object whose method it is. given: the value that it returned. expected: the right value, in words.
    """
    raise ContractBroken(
        f"{method} gave {show_value(given)}", place=describe_place(owner), remedy=f"expected {expected}"
    )


def _quote_names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
