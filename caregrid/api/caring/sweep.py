"""A sweep of the caring coefficient: its rows, the break points, the paper's figure, and the files of a sweep."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.breakpoints import BreakPoints, break_points_between
from caregrid.api.caring.certified import CERTAIN, loss_text
from caregrid.api.execution import Execution, Place, RunNotFinished, run_directory
from caregrid.api.results.result import Result
from engine.files import all_or_none, output_directory, write_atomically
from engine.limits.long_runs import require_learning_confirmed
from engine.plain_values import json_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.problem import Problem
    from experiments.requests.sweep import CareSweepRequest

FILES = ("sweep.csv", "breakpoints.json", "sweep.png", "manifest.json")


@dataclass(frozen=True, repr=False, eq=False)
class CareSweep(Result):
    """One row a coefficient, exact, and one a seed and coefficient, learned; see `craftworld.solution.sweep`.

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
        return break_points_between(self.problem, (min(0.0, *(row["care"] for row in self.sweep_rows)), math.inf))

    def certified(self) -> CareSweep:
        """The same sweep with a column "error": how far the numbers of an exact row may be off, 0 where they are exact.

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
        """A row a coefficient (and seed): care, own, each other agent, total, the optimum of both, the regret."""
        return [dict(row) for row in self.sweep_rows]

    def as_dict(self) -> dict[str, Any]:
        """{"rows", "breakpoints", "warning"}: the break points from the least coefficient, or 0, on."""
        return {
            "rows": json_value(self.sweep_rows),
            "breakpoints": self._breakpoints_dict(),
            "warning": self.warning,
        }

    def _breakpoints_dict(self) -> dict[str, Any]:
        return self.breakpoints.certified_dict() if self.proved else self.breakpoints.as_dict()

    def figure(self) -> Figure:
        """Own return, the others' and the total against care ("Be Considerate", Figure 1(b))."""
        from experiments.figures.trade_off import trade_off_figure

        return trade_off_figure(self.sweep_rows, self.problem.others.names, self.points)

    def text(self) -> str:
        """How many rows, the break points, and what was written."""
        rows = f"{len(self.sweep_rows)} row{'' if len(self.sweep_rows) == 1 else 's'}"
        points = ", ".join(f"{point:g}" for point in self.points) or "none"
        written = [] if self.directory is None else [f"wrote {self.directory / name}" for name in FILES]
        proved = [*self._uncertified(), loss_text(self.breakpoints.certificate.loss)] if self.proved else []
        return "\n".join([f"{rows}, break points {points}", *proved, *written])

    def _uncertified(self) -> list[str]:
        """One line where numbers are not certified."""
        cares = self.breakpoints.uncertified([row["care"] for row in self.sweep_rows if row["method"] == "exact"])
        return [f"not certified to {CERTAIN:g} of their scale: {len(cares)} rows"] if cares else []

    def write(self, directory: Path) -> None:
        """Write table, break points and figure into a folder."""
        from experiments.collect import write_rows
        from experiments.figures.style import save_figure

        figure, break_points = self.figure(), self._breakpoints_dict()
        with all_or_none():
            write_rows(directory / "sweep.csv", self.rows())
            write_atomically(directory / "breakpoints.json", json.dumps(break_points, indent=1) + "\n")
            save_figure(figure, directory / "sweep.png")


def run_sweep(request: CareSweepRequest, out: Place, execution: Execution) -> CareSweep:
    """Run what a request asks for, and write the files of a sweep where `out` says so."""
    from craftworld.solution.solution import break_points
    from experiments.collect import stored_units
    from experiments.figures.style import new_figure
    from experiments.ranges import care_range
    from experiments.runs.run_directory import RunDirectory
    from experiments.runs.storage.manifest import read_manifest
    from experiments.targets import RESULTS

    require_learning_confirmed(execution.confirmed, steps=request.steps, others_steps=request.others_steps)
    began = time.perf_counter()
    cares = care_range(request.care)
    if out is not None:
        new_figure()  # what is missing for the figure is missed now, not after an hour of learning
    experiment = request.experiment()
    with run_directory(out, lambda: Path(RESULTS) / request.name) as directory:
        request.refuse_clash(read_manifest(directory), directory)
        summary = execution.run(experiment, directory, origin=request.as_dict(), here=True)
        store = RunDirectory(output_directory(directory), experiment)
        if not summary.complete:
            raise RunNotFinished(summary, [row for unit in stored_units(store) for row in unit.rows])
        rows = request.ordered({(unit.setting["seed"], unit.setting["cares"]): unit.rows for unit in store.finished()})
        problem = request.problem.make_problem()
        points = break_points(problem, (min(cares), max(cares))) if len(set(cares)) > 1 else []
        warning = request.warning(rows)
        if out is None:
            return CareSweep(problem, rows, points, warning=warning)
        sweep = CareSweep(problem, rows, points, directory, warning)
        sweep.write(directory)
        store.note_facts({"seconds": time.perf_counter() - began})
        return sweep
