"""Arguments of Inspect's tasks, as `-T NAME=VALUE` gives them: read, checked, and refused in one line.

Inspect only warns of unknown arguments, and shows what a task raises as a traceback.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from inspect_ai._util.error import PrerequisiteError

from engine.errors import BadValue, CaregridError, did_you_mean

MOST_CALLS = 2000
RESULTS = "results/language"
TRUE, FALSE = ("yes", "true", "1"), ("no", "false", "0")
"""How `-T` spells them, beside YAML's own."""


@contextmanager
def one_line() -> Iterator[None]:
    """Show an error of caregrid as Inspect shows what was asked for wrongly: in one line."""
    try:
        yield
    except CaregridError as error:
        raise PrerequisiteError(str(error).replace("[", r"\[")) from None


def require_known(given: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Raise BadValue for an argument that is unknown."""
    for name in given:
        if name not in (*known, "model"):
            raise BadValue(f"unknown argument '{name}'", place=place, remedy=did_you_mean(name, known))


def read_flag(name: str, value: Any) -> bool:
    """Read yes or no; BadValue for anything else."""
    word = str(value).lower()
    if word not in (*TRUE, *FALSE):
        raise BadValue(f"{name} = {value}", place="language", remedy="choose yes or no")
    return word in TRUE


def read_whole(name: str, value: Any, least: int, most: int) -> int:
    """Read a whole number within bounds; BadValue for anything else."""
    text = str(value)
    whole = not isinstance(value, bool) and text.isascii() and text.isdecimal() and len(text) < 17
    if not whole or not least <= int(text) <= most:
        raise BadValue(f"{name} = {text}", place="language", remedy=f"choose a whole number from {least} to {most:,}")
    return int(text)


def read_price(value: Any) -> float | None:
    """Read the price of a million tokens, None where nobody says; BadValue for anything else."""
    if value is None:
        return None
    try:
        price = float(value)
    except (TypeError, ValueError):
        price = math.nan
    if not 0.0 <= price < 1e6:
        raise BadValue(f"price = {value}", place="language", remedy="give the price of a million tokens, such as 2.5")
    return price
