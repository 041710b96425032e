"""Lists, settings, coefficients and seeds as users give them.

Coefficients and seeds are texts as on the command line, or numbers; several things are a list, an iterator or anything
that yields them in turn.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from engine.errors import BadValue, argument
from engine.printable import show_value
from engine.value_types import ANY, is_number, split_outside_brackets

LONGEST_LIST = 1_000_000


def to_list(given: Any, what: str, place: str, remedy: str) -> list[Any]:
    """What is given, as a list; BadValue where it cannot be gone through, or never ends.

    what: the things, in words. place: the function or argument. remedy: what to give instead.
    """
    try:
        listed = list(itertools.islice(given, LONGEST_LIST + 1))
    except Exception:  # it is none, or its class is a user's own
        raise BadValue(f"{what} are {show_value(given)}", place=place, remedy=remedy) from None
    if len(listed) > LONGEST_LIST:
        raise BadValue(f"more than {LONGEST_LIST:,} {what}", place=place, remedy="give fewer")
    return listed


NamesOrObjects = str | Iterable[Any] | Mapping[str, Any]


def read_names(things: NamesOrObjects | None, place: str, given: dict[str, Any]) -> list[str]:
    """The names of what is given; objects are put into `given` under names of theirs."""
    if isinstance(things, Mapping):
        labels = {_make_label(str(name)): thing for name, thing in things.items()}
        given.update((label, thing) for label, thing in labels.items() if not isinstance(thing, str) or thing != label)
        return list(labels)
    one = isinstance(things, str) or not isinstance(things, Iterable)
    names: list[str] = []
    for thing in [] if things is None else [things] if one else to_list(things, "things", place, "give names"):
        if isinstance(thing, str):
            words = [word.strip() for word in split_outside_brackets(thing)]
            if not all(words):
                remedy = "separate names by single commas"
                raise BadValue(f"an empty name in '{thing}'", place=place, remedy=remedy)
            names += words
            continue
        made = getattr(thing, "func", thing)  # of a functools.partial
        label, number = _make_label(getattr(made, "__name__", type(made).__name__)), 1
        while (name := label if number == 1 else f"{label}_{number}") in {*names, *given}:
            number += 1
        given[name] = thing
        names.append(name)
    return names


def _make_label(name: str) -> str:
    """A name as rows write it: letters, digits and "_"."""
    return re.sub(r"\W+", "_", name).strip("_") or "unnamed"


def read_set(given: Any, place: str) -> Mapping[str, Any] | tuple[str, ...]:
    """What `set` holds: values by name, or texts NAME=VALUE; BadValue for anything else."""
    remedy = "give a dictionary, or texts NAME=VALUE"
    texts = to_list(given, "settings", place, remedy)
    if isinstance(given, str) or not all(isinstance(text, str) for text in texts):
        raise BadValue(f"settings are {show_value(given)}", place=place, remedy=remedy)
    return given if isinstance(given, Mapping) else tuple(texts)


def pair_set(given: Any, place: str) -> tuple[str, ...]:
    """What `set` holds as texts NAME=VALUE."""
    held = read_set(given, place)
    return tuple(f"{name}={value}" for name, value in held.items()) if isinstance(held, Mapping) else held


Care = str | float | Iterable[float]
Seeds = str | int | Iterable[int]
SEGMENTS = "segments"


def write_care(care: Care) -> str:
    """Coefficients as the command takes them: a text as it is, numbers joined by commas."""
    if isinstance(care, str):
        return care
    given = to_list(care, "coefficients", "care", "give numbers") if isinstance(care, Iterable) else [care]
    if not all(map(is_number, given)):
        raise BadValue(f"{show_value(care)} are not coefficients", place="care", remedy="give numbers")
    numbers = [float(number) for number in given]
    if not numbers:
        raise BadValue("no coefficients", place="care", remedy="give at least one")
    return ",".join(map(repr, numbers))


def read_care(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers; BadValue where one is not finite or the text says none."""
    from experiments.ranges import parse_care_range

    return parse_care_range(write_care(care))


def read_care_bounds(care_min: float, care_max: float) -> tuple[float, float]:
    """The range of coefficients between two bounds; BadValue where it is empty."""
    if not care_min < care_max:
        problem = f"care from {care_min} to {care_max} is empty"
        raise BadValue(problem, place=argument("care_max"), remedy=f"choose one above {care_min}")
    return care_min, care_max


def read_care_or_segments(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers, none for the word "segments"."""
    return () if isinstance(care, str) and care.strip() == SEGMENTS else read_care(care)


def read_seeds(seeds: Seeds) -> tuple[int, ...]:
    """Seeds from a text as the command takes it, a number of seeds, or the seeds themselves."""
    from experiments.ranges import LARGEST, parse_seed_range

    if isinstance(seeds, str):
        return parse_seed_range(seeds)
    if ANY.admit(seeds):
        return parse_seed_range(str(seeds))
    given = to_list(seeds, "seeds", "seeds", "give whole numbers")
    if not all(isinstance(seed, str) or ANY.admit(seed) for seed in given):
        raise BadValue(f"{show_value(seeds)} are not seeds", place="seeds", remedy="give whole numbers")
    if len(given) > LARGEST:
        raise BadValue(f"more than {LARGEST} seeds", place="seeds", remedy=f"use 1 to {LARGEST}")
    listed = ",".join(map(str, given))
    return parse_seed_range(listed if "," in listed else f"{listed},{listed}")
