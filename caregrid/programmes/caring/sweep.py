"""A sweep of the caring coefficient, and every coefficient at which the optimal policy changes.

`BreakPoints` holds the optimal segments between two coefficients and what ties where they meet. `CareSweep` has a row
a coefficient, the break points, the paper's figure, and the files of a sweep.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.programmes.caring.outcome_json import (
    CERTAIN,
    describe_loss,
    describe_observed,
    is_certain,
    measure_hidden,
    write_bounds,
    write_certificate,
    write_error,
    write_exact_number,
    write_loss,
    write_observed,
    write_segment,
    write_tie,
    write_values,
)
from caregrid.results import Result
from caregrid.runs.execution import Execution, Place, RunNotFinished, run_directory
from engine.effort import require_learning_confirmed
from engine.errors import BadValue
from engine.files import all_or_none, output_directory, write_atomically
from engine.plain_values import finite_or_none, make_json_value
from engine.value_types import Coefficient, require
from experiments.figures.style import new_figure, save_figure
from experiments.ranges import list_coefficients, parse_care_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.certificate import CaringCertificate, CertifiedOutcome
    from craftworld.solution.exact_solution import CaringSegment, Coverage, Tie
    from craftworld.solution.problem import Problem
    from engine.planning.certificates.interval import Interval
    from experiments.requests.sweep import CareSweepRequest

HEAD = ("care from", "to", "own", "total")
ROOM, DRAWN = 0.25, 400  # how far beyond the last point, and at how many coefficients


@dataclass(frozen=True, repr=False, eq=False)
class BreakPoints(Result):
    """The optimal segments of a problem between two coefficients, and what ties where they meet.

    problem: what was solved. between: the range. epsilon: the loss up to which segments are left out, 0 for none.
    segments: see `craftworld.solution.exact_solution.CaringSegment`. ties, covered: see `Tie` and `Coverage` there.
    """

    problem: Problem
    between: tuple[float, float]
    epsilon: float
    segments: Sequence[CaringSegment]
    ties: Sequence[Tie]
    covered: Coverage
    proved: bool = False
    shows_ties: bool = False

    @property
    def title(self) -> str:
        """Scenario and formulation."""
        return f"{self.problem.scenario.name}, {self.problem.formulation}: {len(self.points)} break points"

    @cached_property
    def certificate(self) -> CaringCertificate:
        """Bounds of every number and of what another policy may earn more, exact fractions where there are any."""
        from craftworld.solution.certificate import certify_trade_off
        from craftworld.solution.exact_solution import choose_segments

        return certify_trade_off(self.problem, self.segments, choose_segments(self.problem, self.between, self.epsilon))

    @cached_property
    def hidden(self) -> Sequence[dict[str, float]]:
        """Each segment's "performance" and "violations", expected within the step limit; {} where nothing is hidden."""
        from craftworld.solution.exact_solution import find_segment_policies

        followed = find_segment_policies(self.problem, self.segments, self.between, self.epsilon)
        return [measure_hidden(self.problem, lambda: next(followed)) for _ in self.segments]

    @property
    def points(self) -> tuple[float, ...]:
        """The coefficients at which the optimal policy changes, ascending."""
        return tuple(tie.care for tie in self.ties)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per segment: its ends (infinite where unbounded), own return, others' values, total."""
        return [
            {
                "care_from": -math.inf if segment.care_from is None else segment.care_from,
                "care_to": math.inf if segment.care_to is None else segment.care_to,
                "own": segment.outcome.own,
                **segment.outcome.others,
                "total": segment.outcome.total,
                **hidden,
            }
            for segment, hidden in zip(self.segments, self.hidden, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"scenario", "formulation", "range", "limits", "segments", "ties"}; epsilon and loss, if given."""
        result = {
            "scenario": self.problem.scenario.name,
            "formulation": self.problem.formulation,
            **write_observed(self.problem),
            "range": [self.covered.care_from, self.covered.care_to],
            "limits": list(self.covered.limits),
            "segments": [
                write_segment(segment) | hidden for segment, hidden in zip(self.segments, self.hidden, strict=True)
            ],
            "ties": [write_tie(tie) for tie in self.ties],
        }
        if not self.epsilon:
            return result
        return result | {"epsilon": self.epsilon, "loss": write_loss(self.certificate.loss, self.epsilon)}

    def cost_dict(self) -> dict[str, Any]:
        """Return what the search took: {"states", "segments", "policies", "policies_per_segment"}, policies evaluated.

        Segments of all start states, as they were solved. No policy is evaluated where shortest paths give all lines.
        """
        segments = sum(map(len, self.problem.find_segments_between(self.between).values()))
        policies = self.problem.find_search_cost(self.between).policies
        return {
            "states": len(self.problem.mdp.terminal),
            "segments": segments,
            "policies": policies,
            "policies_per_segment": policies / segments,
        }

    def as_certified_dict(self) -> dict[str, Any]:
        """Return the same with a "certificate" of each segment and break point, and the "loss" of all of them."""
        result = self.as_dict()
        certificate = self.certificate
        pairs = zip(result["segments"], self.segments, certificate.outcomes, strict=True)
        segments = [row | {"certificate": write_certificate(bounds, segment.outcome)} for row, segment, bounds in pairs]
        points = [None if bounds is None else write_bounds(bounds) for bounds in self._point_bounds()]
        ties = [row | {"certificate": bounds} for row, bounds in zip(result["ties"], points, strict=True)]
        return result | {"segments": segments, "ties": ties, "loss": write_loss(certificate.loss, self.epsilon)}

    def output(self) -> dict[str, Any]:
        """Return what `caregrid breakpoints --json` prints: also what the search took, and proofs where asked for."""
        return (self.as_certified_dict() if self.proved else self.as_dict()) | {"cost": self.cost_dict()}

    def output_text(self) -> str:
        """Return what `caregrid breakpoints` prints: proofs where they are asked for."""
        return self.as_certified_text() if self.proved else self.text()

    def figure(self) -> Figure:
        """Draw own return, the others' and the total against care; open ends are cut a little beyond the last point."""
        from experiments.figures.trade_off import draw_trade_off

        ends = [end for segment in self.segments for end in (segment.care_from, segment.care_to) if end is not None]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        room = ROOM * ((high - low) or 4.0)
        step = (high - low + 2 * room) / DRAWN
        rows = []
        for row in self.rows():
            left, right = max(row.pop("care_from"), low - room), min(row.pop("care_to"), high + room)
            names = {"scenario": self.problem.scenario.name, "formulation": self.problem.formulation}
            named = {**names, "method": "exact", **row}
            inside = (left + step * number for number in range(math.ceil((right - left) / step)))
            rows += [{**named, "care": care} for care in (*inside, right)]
        return draw_trade_off(rows, list(self.segments[0].outcome.others), self.points)

    def text(self) -> str:
        """Return the segments as a table, the range that was solved, and, where asked for, what ties at each point."""
        from experiments.rows import align_lines

        head, *rows = self._write_table()
        lines = align_lines([head, *rows], right=range(len(head) - 1))
        ties = [f"break point {tie.care:g}{_write_tie_text(tie)}" for tie in self.ties if tie.lines and self.shows_ties]
        loss = (
            [f"within epsilon {self.epsilon:g}; {describe_loss(self.certificate.loss, self.epsilon)}"]
            if self.epsilon
            else []
        )
        return "\n".join([*lines, *ties, _write_coverage(self.covered), *loss, *describe_observed(self.problem)])

    def as_certified_text(self) -> str:
        """Return the same with the largest error of each row, what is known of each point, and the largest loss."""
        from experiments.rows import align_lines

        certificate = self.certificate
        head, *rows = self._write_table()
        errors = [_write_errors(bounds, s) for s, bounds in zip(self.segments, certificate.outcomes, strict=True)]
        table = [(*row[:-1], error, row[-1]) for row, error in zip([head, *rows], ["error", *errors], strict=True)]
        ties = [
            f"break point {tie.care:g} ({_point_text(tie, bounds, certificate)})"
            f"{_write_tie_text(tie) if self.shows_ties else ''}"
            for tie, bounds in zip(self.ties, self._point_bounds(), strict=True)
            if tie.lines
        ]
        lines = align_lines(table, right=range(len(head)))
        epsilon = [f"within epsilon {self.epsilon:g}"] if self.epsilon else []
        loss = describe_loss(certificate.loss, self.epsilon)
        seen = describe_observed(self.problem)
        return "\n".join([*lines, *ties, _write_coverage(self.covered), *epsilon, loss, *seen])

    def _write_table(self) -> list[tuple[str, ...]]:
        """Return a head, and a row of texts per segment; what the others get comes last."""
        rows = [_write_cells(*row) for row in zip(self.segments, self.hidden, strict=True)]
        return [(*HEAD, *self.hidden[0], "others"), *rows]

    def errors(self, cares: Sequence[float]) -> list[float | None]:
        """Return how far the numbers at some coefficients may be off; None where no bound is found."""
        pairs = zip(self.segments, self.certificate.outcomes, strict=True)
        bounds = [finite_or_none(outcome.error(segment.outcome)) for segment, outcome in pairs]
        return [bounds[self._find_segment(care)] for care in list_coefficients(cares)]

    def find_uncertified(self, cares: Sequence[float]) -> list[float]:
        """Return the coefficients at which a number is not certified (`caregrid.programmes.caring.solution`)."""
        pairs = zip(self.segments, self.certificate.outcomes, strict=True)
        certain = [
            is_certain(bounds.error(segment.outcome), bounds.scale(segment.outcome)) for segment, bounds in pairs
        ]
        return [care for care in list_coefficients(cares) if not certain[self._find_segment(care)]]

    def _find_segment(self, care: float) -> int:
        """Return the number of a coefficient's segment; BadValue where the range that was solved does not hold it."""
        from craftworld.solution.exact_solution import find_segment_index

        low, high = self.between
        if not low <= require("care", care, Coefficient) <= high:
            raise BadValue(
                f"care {care:g} is not in the range that was solved", remedy=f"choose from {low:g} to {high:g}"
            )
        return find_segment_index(self.segments, care)

    def _point_bounds(self) -> list[Interval | None]:
        """Bounds of the break points in the order of the ties; one at an end of the range has none."""
        ends = [segment.care_to for segment in self.segments[:-1]]
        bounds_at = dict(zip(ends, self.certificate.points, strict=True))
        return [bounds_at.get(tie.care) for tie in self.ties]


def solve_break_points(
    problem: Problem,
    between: tuple[float, float],
    epsilon: float = 0.0,
    certify: bool = False,
    ties: bool = False,
) -> BreakPoints:
    """Segments and ties of a range of coefficients, -inf and inf for no bound; BadValue for an empty range.

    epsilon: keep the fewest segments that lose no more than this. certify: what is printed is proved. ties: what ties
    is printed, too.
    """

    from craftworld.solution.exact_solution import find_coverage, find_ties, solve_trade_off

    return BreakPoints(
        problem,
        between,
        epsilon,
        tuple(solve_trade_off(problem, between, epsilon)),
        tuple(find_ties(problem, between, epsilon)),
        find_coverage(problem, between),
        certify,
        ties,
    )


def _write_cells(segment: CaringSegment, hidden: Mapping[str, float]) -> tuple[str, ...]:
    """Return a segment as texts in the order of HEAD, then what is hidden, then the others."""
    left = "-inf" if segment.care_from is None else f"{segment.care_from:g}"
    right = "inf" if segment.care_to is None else f"{segment.care_to:g}"
    outcome = segment.outcome
    others = "the optimal policy never ends" if math.isnan(outcome.total) else write_values(outcome.others)
    return left, right, *(f"{value:g}" for value in (outcome.own, outcome.total, *hidden.values())), others


def _write_errors(bounds: CertifiedOutcome, segment: CaringSegment) -> str:
    return write_error(bounds.error(segment.outcome), bounds.scale(segment.outcome))


def _point_text(tie: Tie, bounds: Interval | None, certificate: CaringCertificate) -> str:
    return write_exact_number(bounds, tie.care, max(abs(tie.care), certificate.point_scale))


def _write_tie_text(tie: Tie) -> str:
    policies = "; ".join(f"own {line.own:g}, auxiliary {line.auxiliary:g}" for line in tie.lines)
    return f": a tie, of which the largest auxiliary value is taken: {policies}"


def _write_coverage(covered: Coverage) -> str:
    """Return the range that was solved, and where the optimum stops being finite, in words."""
    low = -math.inf if covered.care_from is None else covered.care_from
    high = math.inf if covered.care_to is None else covered.care_to
    limits = "".join(f"; at {limit:g} a policy that gains for ever becomes better" for limit in covered.limits)
    return f"covers care from {low:g} to {high:g}{limits}"


FILES = ("sweep.csv", "breakpoints.json", "sweep.png", "manifest.json")


@dataclass(frozen=True, repr=False, eq=False)
class CareSweep(Result):
    """One row per coefficient, exact, and one a seed and coefficient, learned; see `craftworld.solution.sweep`.

    problem: what was swept. sweep_rows: the rows. points: the break points among the coefficients. directory: where it
    was written, None where nothing was. warning: one line where what was learned is not optimal, else None. proved:
    whether the rows have errors and the break points certificates, see `certified`.
    """

    problem: Problem
    sweep_rows: Sequence[dict[str, Any]]
    points: Sequence[float]
    directory: Path | None = None
    warning: str | None = None
    proved: bool = False

    @cached_property
    def breakpoints(self) -> BreakPoints:
        """All break points from the least coefficient, or 0, on."""
        return solve_break_points(self.problem, (min(0.0, *(row["care"] for row in self.sweep_rows)), math.inf))

    def certified(self) -> CareSweep:
        """Return the sweep with a column "error": how far numbers of an exact row may be off, 0 where none is.

        None in learned rows and where no bound is found. Its break points have certificates.
        """
        errors = self.breakpoints.errors([row["care"] for row in self.sweep_rows if row["method"] == "exact"])
        listed = iter(errors)
        rows = [{**row, "error": next(listed) if row["method"] == "exact" else None} for row in self.sweep_rows]
        return replace(self, sweep_rows=rows, proved=True)

    @property
    def title(self) -> str:
        """Scenario, formulation, and how many rows there are."""
        return f"{self.problem.scenario.name}, {self.problem.formulation}: {len(self.sweep_rows)} rows"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per coefficient (and seed): care, own, each other agent, total, optimum of both, regret."""
        return [dict(row) for row in self.sweep_rows]

    def as_dict(self) -> dict[str, Any]:
        """Return {"rows", "breakpoints", "warning"}: the break points from the least coefficient, or 0, on."""
        return {
            "rows": make_json_value(self.sweep_rows),
            "breakpoints": self._breakpoints_dict(),
            "warning": self.warning,
        }

    def _breakpoints_dict(self) -> dict[str, Any]:
        return self.breakpoints.as_certified_dict() if self.proved else self.breakpoints.as_dict()

    def figure(self) -> Figure:
        """Draw own return, the others' and the total against care ("Be Considerate", Figure 1(b))."""
        from experiments.figures.trade_off import draw_trade_off

        return draw_trade_off(self.sweep_rows, self.problem.others.names, self.points)

    def text(self) -> str:
        """Return how many rows, the break points, and what was written."""
        rows = f"{len(self.sweep_rows)} row{'' if len(self.sweep_rows) == 1 else 's'}"
        points = ", ".join(f"{point:g}" for point in self.points) or "none"
        written = [] if self.directory is None else [f"wrote {self.directory / name}" for name in FILES]
        proved = (
            [*self._describe_uncertified(), describe_loss(self.breakpoints.certificate.loss)] if self.proved else []
        )
        exact = any(row["method"] == "exact" for row in self.sweep_rows)
        seen = describe_observed(self.problem, "an exact row's plan") if exact else []
        return "\n".join([f"{rows}, break points {points}", *seen, *proved, *written])

    def _describe_uncertified(self) -> list[str]:
        """Return one line where numbers are not certified."""
        cares = self.breakpoints.find_uncertified([row["care"] for row in self.sweep_rows if row["method"] == "exact"])
        return [f"not certified to {CERTAIN:g} of their scale: {len(cares)} rows"] if cares else []

    def write(self, directory: Path) -> None:
        """Write table, break points and figure into a folder."""
        from experiments.stored_rows import write_rows

        figure = self.figure()
        break_points = self._breakpoints_dict()
        with all_or_none():
            write_rows(directory / "sweep.csv", self.rows())
            write_atomically(directory / "breakpoints.json", json.dumps(break_points, indent=1) + "\n")
            save_figure(figure, directory / "sweep.png")


def run_sweep(request: CareSweepRequest, out: Place, execution: Execution, certify: bool = False) -> CareSweep:
    """Run what a request asks for, and write the files of a sweep where `out` says so."""
    from craftworld.solution.exact_solution import find_break_points
    from experiments.runs.run_directory import RESULTS, RunDirectory, read_manifest
    from experiments.stored_rows import find_stored_units

    require_learning_confirmed(execution.yes, steps=request.steps, others_steps=request.others_steps)
    began = time.perf_counter()
    cares = parse_care_range(request.care)
    if out is not None:
        new_figure()  # what is missing for the figure is missed now, not after an hour of learning
    experiment = request.experiment()
    with run_directory(out, lambda: Path(RESULTS) / request.name) as directory:
        request.refuse_clash(read_manifest(directory), directory)
        summary = execution.run(
            experiment, directory, origin=request.as_dict(), usual="automatic", kept=out is not None
        )
        store = RunDirectory(output_directory(directory), experiment)
        if not summary.complete:
            raise RunNotFinished(summary, [row for unit in find_stored_units(store) for row in unit.rows])
        rows = request.order_rows(
            {(unit.setting["seed"], unit.setting["cares"]): unit.rows for unit in store.read_finished()}
        )
        problem = request.problem.make_problem()
        points = find_break_points(problem, (min(cares), max(cares))) if len(set(cares)) > 1 else []
        warning = request.warning(rows)
        sweep = CareSweep(problem, rows, points, None if out is None else directory, warning)
        sweep = sweep.certified() if certify else sweep
        if out is None:
            return sweep
        sweep.write(directory)
        store.note_facts({"seconds": time.perf_counter() - began})
        return sweep
