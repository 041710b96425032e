"""Figures of deep learners: learning curves at one caring coefficient, or the last policies of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from experiments.experiment import ResultRow, Rows
from experiments.rows import select, values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BELOW = "greedy return below the optimum\n(logarithmic above 1)"


def collect_curves(rows: Rows) -> list[Rows]:
    """One learning curve a seed, by turns."""
    return [sorted(select(rows, seed=seed), key=lambda row: row["turns"]) for seed in values(rows, "seed")]  # type: ignore[arg-type, return-value]


def draw_learners(rows: Rows) -> Figure:
    """How far greedy returns are below the optimum, each seed thin, medians bold.

    A panel per world: by turns of training, or, of a sweep, by caring coefficient in the end.
    """
    from experiments.figures.labels import format_label
    from experiments.figures.style import new_figure

    worlds = values(rows, "world")
    drawn = new_figure(6.0, 3.2 * len(worlds))
    for axes, world in zip(drawn.subplots(len(worlds), 1, squeeze=False)[:, 0], worlds, strict=True):
        here = select(rows, world=world)
        cares = values(here, "care")
        seeds = len(values(here, "seed"))
        if len(cares) == 1:
            axes.set_xscale("log")
            _draw_curves(
                axes, {learner: _trace_by_turns(select(here, learner=learner)) for learner in values(here, "learner")}
            )
            axes.set_xlabel("turns of training (logarithmic)")
            title = f"{format_label(world)}, care {cares[0]:g}"
        else:
            _draw_curves(
                axes, {learner: _trace_by_care(select(here, learner=learner)) for learner in values(here, "learner")}
            )
            axes.set_xlabel("caring coefficient")
            title = f"{format_label(world)}, after training"
        axes.set_ylabel(BELOW)
        axes.set_title(f"{title}: {'one seed' if seeds == 1 else f'median of {seeds} seeds, grey: each'}")
        axes.set_ylim(bottom=-0.1)
    return drawn


Points = Sequence[tuple[float, float]]


def _trace_by_turns(rows: Rows) -> list[Points]:
    """(turns, gap) of each seed."""
    return [[(float(row["turns"] or 0), _measure_gap(row)) for row in curve] for curve in collect_curves(rows)]


def _trace_by_care(rows: Rows) -> list[Points]:
    """(care, gap of the last policy) of each seed."""
    last = [[curve[-1] for curve in collect_curves(select(rows, care=care))] for care in values(rows, "care")]
    ordered = sorted((row for of_care in last for row in of_care), key=lambda row: float(row["care"] or 0))
    return [
        [(float(row["care"] or 0), _measure_gap(row)) for row in select(ordered, seed=seed)]
        for seed in values(rows, "seed")
    ]


def _measure_gap(row: ResultRow) -> float:
    return float(row["optimum"] or 0) - float(row["greedy_return"] or 0)


def _draw_curves(axes: Axes, of_learners: dict[object, list[Points]]) -> None:
    """The curves of each learner's seeds, and their medians by name."""
    from experiments.figures.curves import Curve, draw_curves
    from experiments.figures.labels import format_label
    from experiments.figures.style import SOFT

    axes.set_yscale("symlog", linthresh=1.0)
    medians = {}
    for learner, seeds in of_learners.items():
        gaps: dict[float, list[float]] = {}
        for points in seeds:
            for at, gap in points:
                gaps.setdefault(at, []).append(gap)
            if len(seeds) > 1:
                axes.plot(*zip(*points, strict=True), color=SOFT, linewidth=0.5, zorder=0)
        places = sorted(gaps)
        medians[format_label(learner)] = Curve(places, [median(gaps[at]) for at in places])
    draw_curves(axes, medians)
