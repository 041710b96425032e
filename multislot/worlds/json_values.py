"""JSON that a user has written, read with every key once; its keys and fractions, checked; each error names a place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from engine.errors import BadFile, BadValue, did_you_mean
from engine.files import read_text
from engine.limits.exact_numbers import parse_rational
from engine.printable import shortened, shown_value
from multislot.errors import BadTable

LONGEST_SHOWN = 60  # characters of a value in a message


def read_json(path: str | Path) -> Any:
    """The content of a JSON file; BadTable where it cannot be read."""
    try:
        text = read_text(path)
    except BadFile as error:
        raise BadTable(error.problem, place=error.place) from error
    try:
        return json.loads(text, object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise BadTable(f"not JSON: {error.msg}", place=f"{path}, line {error.lineno}") from error
    except KeyError as error:
        raise BadTable(f"key '{error.args[0]}' is written twice in one object", place=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise BadTable("a number too long, or brackets too deep, to be read", place=str(path)) from error


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, entry in pairs:
        if key in content:
            raise KeyError(key)
        content[key] = entry
    return content


def only_keys(content: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    """BadTable for a key that means nothing here."""
    for key in content:
        if key not in known:
            raise BadTable(f"unknown key '{key}'", place=place, remedy=did_you_mean(str(key), known))


def fraction_in(text: Any, place: str) -> Fraction:
    """A fraction of a file, written as text or an integer; BadTable."""
    if not isinstance(text, str | int) or isinstance(text, bool):
        raise BadTable(f"{shown_json(text)} is not a fraction", place=place, remedy='write it as "p/q"')
    try:
        return parse_rational(text)
    except BadValue as error:
        problem = error.problem if "digits" in error.problem else f"{shown_json(text)} is not a fraction"
        raise BadTable(problem, place=place, remedy='write it as "p/q"') from error


def shown_json(value: Any) -> str:
    """A value of a table as its file writes it, `true` and "a"; what no file can hold, as Python writes it."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown_value(value, LONGEST_SHOWN)
    return shortened(text, LONGEST_SHOWN)
