"""Several things that a user gives one by one, in a list, an iterator or anything that gives them in turn."""

from __future__ import annotations

import itertools
from typing import Any

from engine.errors import BadValue
from engine.printable import shown_value

MOST = 1_000_000


def several(given: Any, what: str, place: str, remedy: str) -> list[Any]:
    """What is given, as a list; BadValue where it cannot be gone through, or never ends.

    what: the things, in words. place: the function or argument. remedy: what to give instead.
    """
    try:
        listed = list(itertools.islice(given, MOST + 1))
    except Exception:  # it is none, or its class is a user's own
        raise BadValue(f"{what} are {shown_value(given)}", place=place, remedy=remedy) from None
    if len(listed) > MOST:
        raise BadValue(f"more than {MOST:,} {what}", place=place, remedy="give fewer")
    return listed
