"""Every coefficient at which the optimal policy changes, and what it changes to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.certified import (
    bounds_dict,
    certified_dict,
    error_text,
    exact_text,
    is_certain,
    loss_dict,
    loss_text,
)
from caregrid.api.caring.outcome_json import segment_dict, tie_dict, values_text
from caregrid.api.results.result import Result
from engine.limits.coefficients import require_coefficient
from engine.plain_values import finite_or_none

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.certificate import CaringCertificate, CertifiedOutcome
    from craftworld.solution.problem import Problem
    from craftworld.solution.solution import CaringSegment, Coverage, Tie
    from engine.planning.certificates.interval import Interval

HEAD = ("care from", "to", "own", "total", "others")
ROOM, DRAWN = 0.25, 400  # how far beyond the last point, and at how many coefficients


@dataclass(frozen=True, repr=False, eq=False)
class BreakPoints(Result):
    """The optimal segments of a problem between two coefficients, and what ties where they meet.

    problem: what was solved. between: the range. epsilon: the loss up to which segments are left out, 0 for none.
    segments: see `craftworld.solution.solution.CaringSegment`. ties, covered: see `Tie` and `Coverage` there.
    """

    problem: Problem
    between: tuple[float, float]
    epsilon: float
    segments: Sequence[CaringSegment]
    ties: Sequence[Tie]
    covered: Coverage

    @property
    def title(self) -> str:
        """Scenario and formulation."""
        return f"{self.problem.scenario.name}, {self.problem.formulation}: {len(self.points)} break points"

    @cached_property
    def certificate(self) -> CaringCertificate:
        """Bounds of every number and of what another policy may earn more, exact fractions where there are any."""
        from craftworld.solution.certificate import certify_trade_off
        from craftworld.solution.solution import chosen_segments

        return certify_trade_off(self.problem, self.segments, chosen_segments(self.problem, self.between, self.epsilon))

    @property
    def points(self) -> tuple[float, ...]:
        """The coefficients at which the optimal policy changes, ascending."""
        return tuple(tie.care for tie in self.ties)

    def rows(self) -> list[dict[str, Any]]:
        """A row a segment: its ends (infinite where unbounded), own return, the others' values, their total."""
        return [
            {
                "care_from": -math.inf if segment.care_from is None else segment.care_from,
                "care_to": math.inf if segment.care_to is None else segment.care_to,
                "own": segment.outcome.own,
                **segment.outcome.others,
                "total": segment.outcome.total,
            }
            for segment in self.segments
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"scenario", "formulation", "range", "limits", "segments", "ties"}; with epsilon also that and the loss."""
        result = {
            "scenario": self.problem.scenario.name,
            "formulation": self.problem.formulation,
            "range": [self.covered.care_from, self.covered.care_to],
            "limits": list(self.covered.limits),
            "segments": [segment_dict(segment) for segment in self.segments],
            "ties": [tie_dict(tie) for tie in self.ties],
        }
        if not self.epsilon:
            return result
        return result | {"epsilon": self.epsilon, "loss": loss_dict(self.certificate.loss, self.epsilon)}

    def cost_dict(self) -> dict[str, Any]:
        """{"states", "segments", "policies", "policies_per_segment"}: what the search took, in policies evaluated.

        Segments of all start states, as they were solved. No policy is evaluated where shortest paths give all lines.
        """
        segments = sum(map(len, self.problem.segments_between(self.between).values()))
        policies = self.problem.search_cost(self.between).policies
        return {
            "states": len(self.problem.mdp.terminal),
            "segments": segments,
            "policies": policies,
            "policies_per_segment": policies / segments,
        }

    def certified_dict(self) -> dict[str, Any]:
        """The same with a "certificate" of each segment and break point, and the "loss" of all of them."""
        result, certificate = self.as_dict(), self.certificate
        pairs = zip(result["segments"], self.segments, certificate.outcomes, strict=True)
        segments = [each | {"certificate": certified_dict(bounds, segment.outcome)} for each, segment, bounds in pairs]
        points = [None if bounds is None else bounds_dict(bounds) for bounds in self._point_bounds()]
        ties = [each | {"certificate": bounds} for each, bounds in zip(result["ties"], points, strict=True)]
        return result | {"segments": segments, "ties": ties, "loss": loss_dict(certificate.loss, self.epsilon)}

    def figure(self) -> Figure:
        """Own return, the others' and the total against care; open ends are cut a little beyond the last point."""
        from experiments.figures.trade_off import trade_off_figure

        ends = [end for segment in self.segments for end in (segment.care_from, segment.care_to) if end is not None]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        room = ROOM * ((high - low) or 4.0)
        step, rows = (high - low + 2 * room) / DRAWN, []
        for row in self.rows():
            left, right = max(row.pop("care_from"), low - room), min(row.pop("care_to"), high + room)
            names = {"scenario": self.problem.scenario.name, "formulation": self.problem.formulation}
            named = {**names, "method": "exact", **row}
            inside = (left + step * number for number in range(math.ceil((right - left) / step)))
            rows += [{**named, "care": care} for care in (*inside, right)]
        return trade_off_figure(rows, list(self.segments[0].outcome.others), self.points)

    def text(self) -> str:
        """The segments as a table, what ties at each point, and the range that was solved."""
        from experiments.tables import aligned_lines

        lines = aligned_lines([HEAD, *map(_cells, self.segments)], right=range(4))
        ties = [f"at {tie.care:g} {_tie_text(tie)}" for tie in self.ties if tie.lines]
        loss = (
            [f"within epsilon {self.epsilon:g}; {loss_text(self.certificate.loss, self.epsilon)}"]
            if self.epsilon
            else []
        )
        return "\n".join([*lines, *ties, _covered_text(self.covered), *loss])

    def certified_text(self) -> str:
        """The same with the largest error of each row, what is known of each point, and the largest loss."""
        from experiments.tables import aligned_lines

        certificate = self.certificate
        rows = [
            (*_cells(segment)[:4], _error_text(bounds, segment), _cells(segment)[4])
            for segment, bounds in zip(self.segments, certificate.outcomes, strict=True)
        ]
        ties = [
            f"at {tie.care:g} ({_point_text(tie, bounds, certificate)}) {_tie_text(tie)}"
            for tie, bounds in zip(self.ties, self._point_bounds(), strict=True)
            if tie.lines
        ]
        lines = aligned_lines([(*HEAD[:4], "error", HEAD[4]), *rows], right=range(5))
        epsilon = [f"within epsilon {self.epsilon:g}"] if self.epsilon else []
        return "\n".join(
            [*lines, *ties, _covered_text(self.covered), *epsilon, loss_text(certificate.loss, self.epsilon)]
        )

    def errors(self, cares: Sequence[float]) -> list[float | None]:
        """How far the numbers at some coefficients may be off; None where no bound is found."""
        from craftworld.solution.solution import segment_index

        bounds = [
            finite_or_none(outcome.error(segment.outcome))
            for segment, outcome in zip(self.segments, self.certificate.outcomes, strict=True)
        ]
        return [bounds[segment_index(self.segments, care)] for care in cares]

    def uncertified(self, cares: Sequence[float]) -> list[float]:
        """The coefficients at which a number is not certified (`caregrid.api.caring.certified`)."""
        from craftworld.solution.solution import segment_index

        pairs = zip(self.segments, self.certificate.outcomes, strict=True)
        known = [is_certain(bounds.error(segment.outcome), bounds.scale(segment.outcome)) for segment, bounds in pairs]
        return [care for care in cares if not known[segment_index(self.segments, care)]]

    def _point_bounds(self) -> list[Interval | None]:
        """Bounds of the break points in the order of the ties; one at an end of the range has none."""
        ends = [segment.care_to for segment in self.segments[:-1]]
        known = dict(zip(ends, self.certificate.points, strict=True))
        return [known.get(tie.care) for tie in self.ties]


def break_points_between(problem: Problem, between: tuple[float, float], epsilon: float = 0.0) -> BreakPoints:
    """Segments and ties of a range of coefficients, -inf and inf for no bound; BadValue for an empty range.

    epsilon: keep the fewest segments that lose no more than this.
    """
    from craftworld.solution.solution import coverage, ties, trade_off

    for end in between:
        if not math.isinf(end):
            require_coefficient(end, "care")
    return BreakPoints(
        problem,
        between,
        epsilon,
        tuple(trade_off(problem, between, epsilon)),
        tuple(ties(problem, between, epsilon)),
        coverage(problem, between),
    )


def _cells(segment: CaringSegment) -> tuple[str, ...]:
    """A segment as texts in the order of HEAD."""
    left = "-inf" if segment.care_from is None else f"{segment.care_from:g}"
    right = "inf" if segment.care_to is None else f"{segment.care_to:g}"
    outcome = segment.outcome
    others = "the optimal policy never ends" if math.isnan(outcome.total) else values_text(outcome.others)
    return left, right, f"{outcome.own:g}", f"{outcome.total:g}", others


def _error_text(bounds: CertifiedOutcome, segment: CaringSegment) -> str:
    return error_text(bounds.error(segment.outcome), bounds.scale(segment.outcome))


def _point_text(tie: Tie, bounds: Interval | None, certificate: CaringCertificate) -> str:
    return exact_text(bounds, tie.care, max(abs(tie.care), certificate.point_scale))


def _tie_text(tie: Tie) -> str:
    policies = "; ".join(f"own {line.own:g}, auxiliary {line.auxiliary:g}" for line in tie.lines)
    return f"these tie, and the largest auxiliary value is taken: {policies}"


def _covered_text(covered: Coverage) -> str:
    """The range that was solved, and where the optimum stops being finite, in words."""
    low = -math.inf if covered.care_from is None else covered.care_from
    high = math.inf if covered.care_to is None else covered.care_to
    limits = "".join(f"; at {limit:g} a policy that gains for ever becomes better" for limit in covered.limits)
    return f"covers care from {low:g} to {high:g}{limits}"
