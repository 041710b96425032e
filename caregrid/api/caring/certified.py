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
    """Bounds of own, others and total, and the largest error of the outcome's numbers."""
    return {
        "error": finite_or_none(certified.error(outcome)),
        "own": bounds_dict(certified.own),
        "others": {name: bounds_dict(bounds) for name, bounds in certified.others.items()},
        "total": bounds_dict(certified.total),
    }


def loss_dict(loss: Loss) -> dict[str, Any]:
    """{"amount", "care", "slope_below", "slope_above"}, rounded up; null where no bound is found."""
    return {
        "amount": _rounded_up(loss.amount),
        "care": finite_or_none(loss.at),
        "slope_below": _rounded_up(loss.low_slope),
        "slope_above": _rounded_up(loss.high_slope),
    }


def _rounded_up(number: Fraction | None) -> float | None:
    return None if number is None else exactly(number).outward()[1]


def error_text(error: float) -> str:
    """An error in a table: "0" where the numbers are exact, "?" where no bound is known."""
    return "?" if math.isinf(error) else f"{error:.1e}" if error else "0"


def loss_text(loss: Loss) -> str:
    """How far policies may be from the optimum, in one line."""
    if loss.amount is None:
        return f"certificate: no bound of what another policy may earn more (at care {loss.at:g})"
    if not loss.amount and not loss.low_slope and not loss.high_slope:
        return "certificate: no policy earns more, exactly"
    known = [slope for slope in (loss.low_slope, loss.high_slope) if slope is not None]
    slope = max(known, default=Fraction(0))
    more = f", and {_rounded_up(slope):.1e} for each unit of care beyond" if slope else ""
    return f"certificate: no policy earns more by over {_rounded_up(loss.amount):.1e} (at care {loss.at:g}){more}"


def is_short(number: Fraction) -> bool:
    """Whether a fraction can be written out."""
    return number.denominator.bit_length() + number.numerator.bit_length() <= MOST_BITS


def exact_text(bounds: Interval | None, value: float) -> str:
    """What is certified of one number, in words: a fraction, an error, or nothing."""
    if bounds is None:
        return "no bound"
    if bounds.exact is not None:
        return (
            f"exactly {bounds.exact}"
            if is_short(bounds.exact) and len(str(bounds.exact)) <= LONGEST
            else "known exactly"
        )
    return f"within {bounds.error(value):.1e}"
