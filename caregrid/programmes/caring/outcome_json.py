"""Outcomes, segments, ties and certificates as plain dictionaries, ready for JSON, and in words.

Numbers that are nan or infinite become null. One rule says what is certified: what is off by at most a billionth of
its scale. The scale of an outcome is its largest number or the largest reward, whichever is larger, in absolute
value; that of a break point is the point or, if larger, the ratio of the largest own and the largest auxiliary
reward; that of a loss is the size of the return that is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from engine.plain_values import finite_or_none, make_json_value
from engine.planning.certificates.interval import Interval, enclose_exactly

if TYPE_CHECKING:
    from craftworld.regions import RegionCertificate
    from craftworld.solution.certificate import CertifiedOutcome
    from craftworld.solution.exact_solution import CaringOutcome, CaringSegment, StartOutcome, Tie
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Policy
    from engine.planning.certificates.trade_off import Loss


def write_outcome(outcome: CaringOutcome, cases: Sequence[StartOutcome]) -> dict[str, Any]:
    """own, others, total, handover, actions; with several start states also a list of cases."""
    result = {
        "own": outcome.own,
        "others": dict(outcome.others),
        "total": outcome.total,
        "handover": outcome.handover,
        "actions": list(outcome.actions),
    }
    if len(cases) > 1:
        result["cases"] = [
            {"start": case.start, "probability": case.probability, **write_outcome(case.outcome, ())} for case in cases
        ]
    return {name: make_json_value(value) for name, value in result.items()}


def write_segment(segment: CaringSegment) -> dict[str, Any]:
    """care_from, care_to (null where unbounded) and the outcome."""
    bounds = {"care_from": segment.care_from, "care_to": segment.care_to}
    return bounds | write_outcome(segment.outcome, segment.cases)


def write_tie(tie: Tie) -> dict[str, Any]:
    """The coefficient and the policies that tie there, as lines own + care * auxiliary; the last one is taken."""
    return {"care": tie.care, "policies": [{"own": line.own, "auxiliary": line.auxiliary} for line in tie.lines]}


def write_values(others: Mapping[str, float]) -> str:
    """Other agents and their values in one line."""
    return ", ".join(f"{name} {value:g}" for name, value in others.items()) or "nobody"


def measure_hidden(problem: Problem, find_policies: Callable[[], Mapping[int, Policy]]) -> dict[str, float]:
    """{"performance", "violations"} of policies where the scenario hides a performance; {} elsewhere.

    Expectations within the step limit, undiscounted. find_policies: gives start state's number -> int32[S]; called only
    where something is hidden.
    """
    from craftworld.scenario import observes_performance

    if observes_performance(problem.scenario):
        return {}
    from craftworld.measures import measure_policies

    measures = measure_policies(problem, find_policies())
    assert measures.performance is not None
    return {"performance": measures.performance, "violations": measures.violations}


def write_observed(problem: Problem) -> dict[str, Any]:
    """{"observes": "state"} where the scenario hides a part of the state, which the plan knows; {} elsewhere."""
    return {} if problem.mdp.observation is None else {"observes": "state"}


def describe_observed(problem: Problem, who: str = "the plan") -> list[str]:
    """Return one line where the scenario hides a part of the state: that who acts knows it; none elsewhere."""
    if problem.mdp.observation is None:
        return []
    scenario = problem.scenario
    named = f": {', '.join(scenario.hidden)}" if scenario.hidden else ""
    return [f"{who} observes the whole state, with what {scenario.name} hides{named}"]


CERTAIN = 1e-9  # of a number's scale; a larger error is printed, as one that is not certified
MOST_BITS = 13_000
LAST_DIGIT = 1e-15
LONGEST = 24


def is_certain(error: float, scale: float) -> bool:
    """Return whether an error is at most CERTAIN of its scale."""
    return error <= CERTAIN * scale


def write_bounds(bounds: Interval | None) -> dict[str, Any] | None:
    """{"lower", "upper", "exact"} of a certified number: floats rounded outward and, where known, "p/q"; or None."""
    if bounds is None:
        return None
    lower, upper = bounds.outward()
    exact = None if bounds.exact is None or not is_short(bounds.exact) else str(bounds.exact)
    return {"lower": lower, "upper": upper, "exact": exact}


def write_certificate(certified: CertifiedOutcome, outcome: CaringOutcome) -> dict[str, Any]:
    """Bounds of own, others and total, their largest error, its scale, and whether it is at most CERTAIN of that."""
    error = certified.error(outcome)
    scale = certified.scale(outcome)
    return {
        "certified": is_certain(error, scale),
        "error": finite_or_none(error),
        "scale": scale,
        "own": write_bounds(certified.own),
        "others": {name: write_bounds(bounds) for name, bounds in certified.others.items()},
        "total": write_bounds(certified.total),
    }


def write_loss(loss: Loss, epsilon: float = 0.0) -> dict[str, Any]:
    """{"certified", "amount", "scale", "care", "slope_below", "slope_above"}, rounded up; null for no bound.

    certified: whether they are at most CERTAIN of their scale, the amount at most that and epsilon, the loss allowed.
    """
    return {
        "certified": _is_certain(loss, epsilon),
        "amount": _round_up(loss.amount),
        "scale": loss.scale,
        "care": finite_or_none(loss.at),
        "slope_below": _round_up(loss.low_slope),
        "slope_above": _round_up(loss.high_slope),
    }


def _is_certain(loss: Loss, epsilon: float) -> bool:
    slopes = (loss.low_slope, loss.high_slope)
    small = all(slope is not None and slope <= CERTAIN * loss.slope_scale for slope in slopes)
    return small and loss.amount is not None and loss.amount <= Fraction(epsilon) + Fraction(CERTAIN * loss.scale)


def _round_up(number: Fraction | None) -> float | None:
    return None if number is None else enclose_exactly(number).outward()[1]


def write_region_loss(certificate: RegionCertificate, epsilon: float = 0.0) -> dict[str, Any]:
    """{"certified", "amount", "scale", "slope", "slope_scale"} of regions, rounded up; null for no bound."""
    return {
        "certified": _is_certain(_as_loss(certificate), epsilon),
        "amount": _round_up(certificate.amount),
        "scale": certificate.scale,
        "slope": _round_up(certificate.slope),
        "slope_scale": certificate.slope_scale,
    }


def describe_region_loss(certificate: RegionCertificate, epsilon: float = 0.0) -> str:
    """Return how far policies may be from the optimum of regions, in one line. epsilon: the loss that was allowed."""
    loss = _as_loss(certificate)
    if certificate.amount is None or certificate.slope is None:
        return "not certified: no bound was found of what another policy may earn more at a corner"
    if not certificate.amount and not certificate.slope:
        return "certificate: no policy earns more, exactly"
    more = f", and {_round_up(certificate.slope):.1e} for each unit of the coefficients" if certificate.slope else ""
    bound = f"no policy earns more by over {_round_up(certificate.amount):.1e}{more}"
    if not _is_certain(loss, epsilon):
        return f"not certified to {CERTAIN:g} of {certificate.scale:g}: {bound}"
    return f"certificate: {bound}"


def _as_loss(certificate: RegionCertificate) -> Loss:
    from engine.planning.certificates.trade_off import Loss

    scales = (certificate.scale, certificate.slope_scale)
    return Loss(certificate.amount, math.nan, certificate.slope, certificate.slope, *scales)


def write_error(error: float, scale: float) -> str:
    """An error in a table: "0" for the last digit of the numbers; "uncertified" where it is too large or unknown."""
    if math.isinf(error):
        return "uncertified"
    if error <= LAST_DIGIT * scale:
        return "0"
    return f"{error:.1e}" if error and is_certain(error, scale) else f"uncertified: {error:.1e}" if error else "0"


def describe_loss(loss: Loss, epsilon: float = 0.0) -> str:
    """Return how far policies may be from the optimum, in one line. epsilon: the loss that was allowed."""
    if loss.amount is None:
        return (
            f"not certified: no bound was found of what another policy may earn more at care {loss.at:g}; "
            "where a cycle breaks even, only rewards that are short fractions have one"
        )
    if not loss.amount and not loss.low_slope and not loss.high_slope:
        return "certificate: no policy earns more, exactly"
    slopes = [slope for slope in (loss.low_slope, loss.high_slope) if slope is not None]
    slope = max(slopes, default=Fraction(0))
    more = f", and {_round_up(slope):.1e} for each unit of care beyond" if slope else ""
    bound = f"no policy earns more by over {_round_up(loss.amount):.1e} (at care {loss.at:g}){more}"
    if not _is_certain(loss, epsilon):
        return f"not certified to {CERTAIN:g} of {loss.scale:g}: {bound}"
    return f"certificate: {bound}"


def is_short(number: Fraction) -> bool:
    """Return whether a fraction can be written out."""
    return number.denominator.bit_length() + number.numerator.bit_length() <= MOST_BITS


def write_exact_number(bounds: Interval | None, value: float, scale: float) -> str:
    """Return what is certified of one number of a scale, in words: a fraction, an error, or nothing."""
    if bounds is None:
        return "not certified: no bound"
    if bounds.exact is not None and math.isfinite(value):
        missed = float(abs(bounds.exact - Fraction(value)))
        short = is_short(bounds.exact) and len(str(bounds.exact)) <= LONGEST
        exact = f"exactly {bounds.exact}" if short else "known exactly"
        return exact if is_certain(missed, scale) else f"{exact}, {missed:.1e} away"
    error = bounds.error(value)
    within = f"within {error:.1e}"
    return within if is_certain(error, scale) else f"not certified to {CERTAIN:g} of {scale:g}: {within}"
