"""Names with arguments, written as a Python call: `sarsa(epsilon=0.3)`, `my_file:Sarsa(epsilon=0.3, greedy=True)`.

Arguments have names. A value is what Python writes: a number, True, False, None, a quoted text, or a list or tuple of
such; a plain word is a text. Nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from engine.errors import BadValue
from engine.printable import shorten

_CALL = re.compile(r"\s*([^()]*?)\s*\((.*)\)\s*", re.DOTALL)
_NESTED_NAME = re.compile(r"\s*(?![\w-]+\s*=)[^\W\d].*", re.DOTALL)


def split_call(text: str, kind: str) -> tuple[str, dict[str, Any]]:
    """Split a name from its arguments; a name without any, such as `reality_check(random)`, is returned as it is.

    kind: what the name is of, for messages. Raises BadValue for arguments that cannot be read.
    """
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
