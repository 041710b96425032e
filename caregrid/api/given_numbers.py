"""Coefficients and seeds as a user gives them: texts as on the command line, or numbers."""

from __future__ import annotations

from collections.abc import Iterable

from caregrid.api.several import several
from engine.errors import BadValue, argument
from engine.limits.coefficients import require_coefficient
from engine.limits.whole_numbers import ANY
from engine.printable import shown_value
from engine.value_types import is_number

Care = str | float | Iterable[float]
Seeds = str | int | Iterable[int]
SEGMENTS = "segments"


def care_text(care: Care) -> str:
    """Coefficients as the command takes them: a text as it is, numbers joined by commas."""
    if isinstance(care, str):
        return care
    given = several(care, "coefficients", "care", "give numbers") if isinstance(care, Iterable) else [care]
    if not all(map(is_number, given)):
        raise BadValue(f"{shown_value(care)} are not coefficients", place="care", remedy="give numbers")
    numbers = [float(number) for number in given]
    if not numbers:
        raise BadValue("no coefficients", place="care", remedy="give at least one")
    return ",".join(map(repr, numbers))


def care_numbers(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers; BadValue where one is not finite or the text says none."""
    from experiments.ranges import care_range

    return care_range(care_text(care))


def chosen_cares(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers, none for the word "segments"."""
    return () if isinstance(care, str) and care.strip() == SEGMENTS else care_numbers(care)


def seed_numbers(seeds: Seeds) -> tuple[int, ...]:
    """Seeds from a text as the command takes it, a number of seeds, or the seeds themselves."""
    from experiments.ranges import LARGEST, seed_range

    if isinstance(seeds, str):
        return seed_range(seeds)
    if ANY.admit(seeds):
        return seed_range(str(seeds))
    given = several(seeds, "seeds", "seeds", "give whole numbers")
    if not all(isinstance(seed, str) or ANY.admit(seed) for seed in given):
        raise BadValue(f"{shown_value(seeds)} are not seeds", place="seeds", remedy="give whole numbers")
    if len(given) > LARGEST:
        raise BadValue(f"more than {LARGEST} seeds", place="seeds", remedy=f"use 1 to {LARGEST}")
    listed = ",".join(map(str, given))
    return seed_range(listed if "," in listed else f"{listed},{listed}")


def finite_coefficient(care: float) -> float:
    """The coefficient; BadValue where it is not finite, or too large to be computed with."""
    return require_coefficient(care, "care", argument("care"))
