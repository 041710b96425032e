"""Caring coefficients and seeds as users give them: texts as on the command line, numbers, or whatever yields numbers.

Texts are "0:7:0.01", "0,1,5", "2.5"; seeds "10", "1,2,3", "0:10".

start:stop:step as in Python, the stop left out; numbers are read as decimals, so 0.1 steps stay 0.1 steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from engine.errors import BadValue, argument
from engine.printable import LONGEST_WORD, shorten, show_value
from engine.value_types import ANY, HEAVIEST, SEEDS, is_number, to_list, write_whole_number

Care = str | float | Iterable[float]
Seeds = str | int | Iterable[int]
SEGMENTS = "segments"
LARGEST = 1_000_000
HOW_TO_WRITE = "write a count such as 10, a list such as 1,2,3 or a range such as 0:10"


def parse_care_range(text: str, place: str | None = None) -> tuple[float, ...]:
    """The coefficients a text means, in its order; BadValue where it is empty, endless, not finite or no number."""
    place = argument("care") if place is None else place
    if ":" not in text:
        return tuple(_parse_float(_parse_decimal(word, text, place), text, place) for word in text.split(","))
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise _make_range_error(text, "is not a range", place)
    start, stop, *rest = (_parse_decimal(part, text, place) for part in parts)
    step = rest[0] if rest else Decimal(1)
    if step == 0:
        raise _make_range_error(text, "has step 0", place)
    count = int(((stop - start) / step).to_integral_value(rounding="ROUND_CEILING"))
    if count <= 0:
        raise _make_range_error(text, "is empty", place)
    if rest and abs(step) > abs(stop - start):
        raise _make_range_error(text, f"has a step that is longer than from {start} to {stop}", place)
    if count > LARGEST:
        raise _make_range_error(text, f"has {count} values, more than {LARGEST}", place)
    return tuple(_parse_float(start + i * step, text, place) for i in range(count))


def _parse_float(number: Decimal, text: str, place: str) -> float:
    if abs(value := float(number)) > HEAVIEST:
        raise _make_range_error(text, "is beyond the numbers that can be computed with", place)
    return value


def _parse_decimal(word: str, text: str, place: str) -> Decimal:
    try:
        number = Decimal(word.strip())
    except InvalidOperation as error:
        raise _make_range_error(
            text, f"names '{word}' and not a number" if word.strip() else "has an empty place", place
        ) from error
    if not number.is_finite():
        raise _make_range_error(text, "is not finite", place)
    return number


def _make_range_error(text: str, fault: str, place: str) -> BadValue:
    return BadValue(f"'{text}' {fault}", place=place, remedy="write start:stop:step or numbers joined by commas")


def parse_seed_range(text: str, place: str | None = None) -> tuple[int, ...]:
    """The seeds a text means: "10" is how many, counted from 0; "1,2,3" a list; "0:10" a range, the stop left out."""
    place = argument("seeds") if place is None else place
    if "," not in text and ":" not in text:
        start, stop, step = 0, _parse_integer(text, place), 1
    elif ":" in text and len(text.split(":")) in (2, 3):
        start, stop, step = (*(_parse_integer(word, place) for word in text.split(":")), 1)[:3]
    else:
        return tuple(dict.fromkeys(_parse_seed(_parse_integer(word, place), place) for word in text.split(",")))
    if step == 0:
        raise BadValue(f"'{text}' has step 0", place=place, remedy=HOW_TO_WRITE)
    count = max(-((start - stop) // step), 0)
    if not 1 <= count <= LARGEST:
        raise BadValue(
            f"{write_whole_number(count if ':' in text else stop)} seeds", place=place, remedy=f"use 1 to {LARGEST}"
        )
    last = _parse_seed(start + (count - 1) * step, place)
    return tuple(range(_parse_seed(start, place), last + (1 if step > 0 else -1), step))


def _parse_seed(number: int, place: str) -> int:
    if not SEEDS.admit(number):
        raise BadValue(f"seed {write_whole_number(number)}", place=place, remedy=f"choose whole numbers from {SEEDS}")
    return number


def _parse_integer(word: str, place: str) -> int:
    if not word.strip():
        raise BadValue("an empty place in a list of seeds", place=place, remedy=HOW_TO_WRITE)
    try:
        return int(word)
    except ValueError:
        shown = shorten(word.strip(), LONGEST_WORD)
        raise BadValue(f"'{shown}' is not a whole number", place=place, remedy=HOW_TO_WRITE) from None


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
    return parse_care_range(write_care(care))


def read_care_bounds(care_min: float, care_max: float) -> tuple[float, float]:
    """Return the range of coefficients between two bounds; BadValue where it is empty."""
    if not care_min < care_max:
        problem = f"care from {care_min} to {care_max} is empty"
        raise BadValue(problem, place=argument("care_max"), remedy=f"choose one above {care_min}")
    return care_min, care_max


def read_care_or_segments(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers, none for the word "segments"."""
    return () if isinstance(care, str) and care.strip() == SEGMENTS else read_care(care)


def read_seeds(seeds: Seeds) -> tuple[int, ...]:
    """Seeds from a text as the command takes it, a number of seeds, or the seeds themselves."""
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
