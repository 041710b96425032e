"""Coefficients and seeds as users give them: texts as on the command line, numbers, or anything that yields numbers."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import BadValue, argument
from engine.printable import show_value
from engine.value_types import ANY, is_number, to_list

Care = str | float | Iterable[float]
Seeds = str | int | Iterable[int]
SEGMENTS = "segments"


def write_care(care: Care) -> str:
    """Coefficients as the command takes them: a text as it is, numbers joined by commas."""
    if isinstance(care, str):
        return care
    numbers = list_coefficients(care if isinstance(care, Iterable) else [care])
    if not numbers:
        raise BadValue("no coefficients", place="care", remedy="give at least one")
    return ",".join(map(repr, numbers))


def list_coefficients(cares: Iterable[float]) -> list[float]:
    """Coefficients one by one, as Python's own numbers; BadValue where one is no number, or they never end."""
    given = to_list(cares, "coefficients", "care", "give numbers")
    if not all(map(is_number, given)):
        raise BadValue(f"{show_value(cares)} are not coefficients", place="care", remedy="give numbers")
    return [float(number) for number in given]


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
