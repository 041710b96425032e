"""Every coefficient at which the optimal policy changes, and what it changes to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.outcome_json import segment_dict, tie_dict, values_text
from caregrid.api.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.problem import Problem
    from craftworld.solution.solution import CaringSegment, Coverage, Tie

HEAD = ("care from", "to", "own", "total", "others")
ROOM, DRAWN = 0.25, 400  # how far beyond the last point, and at how many coefficients


@dataclass(frozen=True, repr=False, eq=False)
class BreakPoints(Result):
    """The optimal segments of a problem between two coefficients, and what ties where they meet.

    scenario, formulation: names. segments: see `craftworld.solution.solution.CaringSegment`. ties, covered: see `Tie`
    and `Coverage` there.
    """

    scenario: str
    formulation: str
    segments: Sequence[CaringSegment]
    ties: Sequence[Tie]
    covered: Coverage

    @property
    def title(self) -> str:
        """Scenario and formulation."""
        return f"{self.scenario}, {self.formulation}: {len(self.points)} break points"

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
        """{"scenario", "formulation", "range", "limits", "segments", "ties"}."""
        return {
            "scenario": self.scenario,
            "formulation": self.formulation,
            "range": [self.covered.care_from, self.covered.care_to],
            "limits": list(self.covered.limits),
            "segments": [segment_dict(segment) for segment in self.segments],
            "ties": [tie_dict(tie) for tie in self.ties],
        }

    def figure(self) -> Figure:
        """Own return, the others' and the total against care; open ends are cut a little beyond the last point."""
        from experiments.figures.trade_off import trade_off_figure

        ends = [end for segment in self.segments for end in (segment.care_from, segment.care_to) if end is not None]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        room = ROOM * ((high - low) or 4.0)
        step, rows = (high - low + 2 * room) / DRAWN, []
        for row in self.rows():
            left, right = max(row.pop("care_from"), low - room), min(row.pop("care_to"), high + room)
            named = {"scenario": self.scenario, "formulation": self.formulation, "method": "exact", **row}
            inside = (left + step * number for number in range(math.ceil((right - left) / step)))
            rows += [{**named, "care": care} for care in (*inside, right)]
        return trade_off_figure(rows, list(self.segments[0].outcome.others), self.points)

    def text(self) -> str:
        """The segments as a table, what ties at each point, and the range that was solved."""
        from experiments.tables import aligned_lines

        lines = aligned_lines([HEAD, *map(_cells, self.segments)], right=range(4))
        return "\n".join([*lines, *(_tie_text(tie) for tie in self.ties if tie.lines), _covered_text(self.covered)])


def break_points_between(problem: Problem, between: tuple[float, float]) -> BreakPoints:
    """Segments and ties of a range of coefficients, -inf and inf for no bound; BadValue for an empty range."""
    from craftworld.solution.solution import coverage, ties, trade_off

    return BreakPoints(
        problem.scenario.name,
        problem.formulation,
        tuple(trade_off(problem, between)),
        tuple(ties(problem, between)),
        coverage(problem, between),
    )


def _cells(segment: CaringSegment) -> tuple[str, ...]:
    """A segment as texts in the order of HEAD."""
    left = "-inf" if segment.care_from is None else f"{segment.care_from:g}"
    right = "inf" if segment.care_to is None else f"{segment.care_to:g}"
    outcome = segment.outcome
    others = "the optimal policy never ends" if math.isnan(outcome.total) else values_text(outcome.others)
    return left, right, f"{outcome.own:g}", f"{outcome.total:g}", others


def _tie_text(tie: Tie) -> str:
    policies = "; ".join(f"own {line.own:g}, auxiliary {line.auxiliary:g}" for line in tie.lines)
    return f"at {tie.care:g} these tie, and the largest auxiliary value is taken: {policies}"


def _covered_text(covered: Coverage) -> str:
    """The range that was solved, and where the optimum stops being finite, in words."""
    low = -math.inf if covered.care_from is None else covered.care_from
    high = math.inf if covered.care_to is None else covered.care_to
    limits = "".join(f"; at {limit:g} a policy that gains for ever becomes better" for limit in covered.limits)
    return f"covers care from {low:g} to {high:g}{limits}"
