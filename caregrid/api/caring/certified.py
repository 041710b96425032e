"""Certificates as plain dictionaries, ready for JSON, and in words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from engine.plain_values import finite_or_none
from engine.planning.certificates.interval import Interval, exactly

if TYPE_CHECKING:
    from craftworld.solution.certificate import CertifiedOutcome
    from craftworld.solution.outcome import CaringOutcome
    from engine.planning.certificates.trade_off import Loss

CERTAIN = 1e-9  # a larger error is printed, as one that is not certified
MOST_BITS = 13_000
LONGEST = 24


def bounds_dict(bounds: Interval | None) -> dict[str, Any] | None:
    """{"lower", "upper", "exact"} of a certified number: floats rounded outward and, where known, "p/q"; or None."""
    if bounds is None:
        return None
    lower, upper = bounds.outward()
    exact = None if bounds.exact is None or not is_short(bounds.exact) else str(bounds.exact)
    return {"lower": lower, "upper": upper, "exact": exact}


def certified_dict(certified: CertifiedOutcome, outcome: CaringOutcome) -> dict[str, Any]:
    """Bounds of own, others and total, their largest error, and whether it is at most CERTAIN."""
    return {
        "certified": certified.error(outcome) <= CERTAIN,
        "error": finite_or_none(certified.error(outcome)),
        "own": bounds_dict(certified.own),
        "others": {name: bounds_dict(bounds) for name, bounds in certified.others.items()},
        "total": bounds_dict(certified.total),
    }


def loss_dict(loss: Loss, epsilon: float = 0.0) -> dict[str, Any]:
    """{"certified", "amount", "care", "slope_below", "slope_above"}, rounded up; null where no bound is found.

    certified: whether they are at most CERTAIN, the amount at most that and epsilon, the loss that was allowed.
    """
    return {
        "certified": _is_certain(loss, epsilon),
        "amount": _rounded_up(loss.amount),
        "care": finite_or_none(loss.at),
        "slope_below": _rounded_up(loss.low_slope),
        "slope_above": _rounded_up(loss.high_slope),
    }


def _is_certain(loss: Loss, epsilon: float) -> bool:
    slopes = (loss.low_slope, loss.high_slope)
    small = all(slope is not None and slope <= CERTAIN for slope in slopes)
    return small and loss.amount is not None and loss.amount <= Fraction(epsilon) + Fraction(CERTAIN)


def _rounded_up(number: Fraction | None) -> float | None:
    return None if number is None else exactly(number).outward()[1]


def error_text(error: float) -> str:
    """An error in a table: "0" where the numbers are exact; "uncertified" where it is above CERTAIN or unknown."""
    if math.isinf(error):
        return "uncertified"
    return f"uncertified: {error:.1e}" if error > CERTAIN else f"{error:.1e}" if error else "0"


def loss_text(loss: Loss, epsilon: float = 0.0) -> str:
    """How far policies may be from the optimum, in one line. epsilon: the loss that was allowed."""
    if loss.amount is None:
        return (
            f"not certified: no bound was found of what another policy may earn more at care {loss.at:g}; "
            "where a cycle breaks even, only rewards that are short fractions have one"
        )
    if not loss.amount and not loss.low_slope and not loss.high_slope:
        return "certificate: no policy earns more, exactly"
    known = [slope for slope in (loss.low_slope, loss.high_slope) if slope is not None]
    slope = max(known, default=Fraction(0))
    more = f", and {_rounded_up(slope):.1e} for each unit of care beyond" if slope else ""
    bound = f"no policy earns more by over {_rounded_up(loss.amount):.1e} (at care {loss.at:g}){more}"
    if not _is_certain(loss, epsilon):
        return f"not certified to {CERTAIN:g}: {bound}"
    return f"certificate: {bound}"


def is_short(number: Fraction) -> bool:
    """Whether a fraction can be written out."""
    return number.denominator.bit_length() + number.numerator.bit_length() <= MOST_BITS


def exact_text(bounds: Interval | None, value: float) -> str:
    """What is certified of one number, in words: a fraction, an error, or nothing."""
    if bounds is None:
        return "not certified: no bound"
    if bounds.exact is not None:
        return (
            f"exactly {bounds.exact}"
            if is_short(bounds.exact) and len(str(bounds.exact)) <= LONGEST
            else "known exactly"
        )
    error = bounds.error(value)
    return f"within {error:.1e}" if error <= CERTAIN else f"not certified to {CERTAIN:g}: within {error:.1e}"
