"""The files of a sweep: a tidy CSV, the break points and the figure, each whole or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.outcome_json import segment_dict, tie_dict
from engine.files import write_atomically
from engine.plain_values import json_value
from experiments.collect import write_rows
from experiments.figures.style import save_figure
from experiments.figures.trade_off import trade_off_figure

if TYPE_CHECKING:
    from craftworld.solution.problem import Problem


def write_sweep(out: Path, problem: Problem, rows: Sequence[dict[str, Any]], points: Sequence[float]) -> dict[str, Any]:
    """Write table, break points and figure into a folder; returns rows and break points, ready for JSON."""
    break_points = break_points_dict(problem, (min(0.0, *(row["care"] for row in rows)), math.inf))
    figure = trade_off_figure(rows, problem.others.names, points)
    write_rows(out / "sweep.csv", list(rows))
    write_atomically(out / "breakpoints.json", json.dumps(break_points, indent=1) + "\n")
    save_figure(figure, out / "sweep.png")
    return {"rows": json_value(rows), "breakpoints": break_points}


def break_points_dict(problem: Problem, between: tuple[float, float]) -> dict[str, Any]:
    """{"scenario", "formulation", "range", "limits", "segments", "ties"} over a range of coefficients."""
    from craftworld.solution.solution import coverage, ties, trade_off

    covered = coverage(problem, between)

    return {
        "scenario": problem.scenario.name,
        "formulation": problem.formulation,
        "range": [covered.care_from, covered.care_to],
        "limits": list(covered.limits),
        "segments": [segment_dict(segment) for segment in trade_off(problem, between)],
        "ties": [tie_dict(tie) for tie in ties(problem, between)],
    }
