"""Figures of deep learners: learning curves at one caring coefficient, or the last policies of a sweep."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from experiments.experiment import ResultRow, Rows
from experiments.figures.curves import choose_look, spread_words
from experiments.figures.labels import format_label
from experiments.figures.style import (
    TWO_COLUMNS,
    Look,
    letter_panels,
    measure_relative_letters,
    new_figure,
    use_figure_style,
)
from experiments.rows import select, values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

X_SMALL = 0.694  # of matplotlib's "x-small" letters, against medium ones
BAND, SEED, MEDIAN = "band", "seed", "median"  # what lines and areas are


def collect_curves(rows: Rows) -> list[Rows]:
    """Return one learning curve a seed, by turns."""
    return [sorted(select(rows, seed=seed), key=lambda row: row["turns"]) for seed in values(rows, "seed")]  # type: ignore[arg-type, return-value]


@use_figure_style
def draw_learners(rows: Rows) -> Figure:
    """How far greedy returns are below the optimum: a row of panels per world, a panel per learner.

    In each, a band from the lowest to the highest seed, a line per seed, and the median as a thick line; by turns of
    training, or, of a sweep, by caring coefficient in the end. A seed's number stands where it is optimal first.
    """
    worlds = values(rows, "world")
    learners = values(rows, "learner")
    firsts: list[tuple[Axes, int, list[Points]]] = []
    figure = new_figure(TWO_COLUMNS, 0.9 + 1.75 * len(worlds) * max(1.0, measure_relative_letters()))
    panels = figure.subplots(len(worlds), len(learners), squeeze=False, sharex="row", sharey=True)
    for across, world in zip(panels, worlds, strict=True):
        here = select(rows, world=world)
        cares = values(here, "care")
        by_turns = len(cares) == 1
        what = f"care {cares[0]:g}" if by_turns else "after training"
        for number, (axes, learner) in enumerate(zip(across, learners, strict=True)):
            axes.set_title(f"{format_label(learner)}\n{format_label(world)}, {what}")
            axes.set_yscale("symlog", linthresh=1.0)
            of_learner = select(here, learner=learner)
            if by_turns:
                axes.set_xscale("log")
            if of_learner:
                traces = _trace_by_turns(of_learner) if by_turns else _trace_by_care(of_learner)
                _draw_seeds(axes, traces, number)
                if by_turns:
                    firsts.append((axes, number, traces))
        across[len(learners) // 2].set_xlabel("turns of training" if by_turns else "caring coefficient")
    panels[0, 0].set_ylim(bottom=-0.4)
    for axes, number, traces in firsts:
        _mark_firsts(axes, number, traces)
    letter_panels(panels.flat)
    figure.supylabel("greedy return below the optimum", fontsize="medium")
    seeds = len(values(rows, "seed"))
    if seeds > 1:
        marks = "; a number: that seed is optimal for the first time" if len(values(rows, "care")) == 1 else ""
        figure.supxlabel(f"thick: median of {seeds} seeds; band: all of them; thin: each{marks}", fontsize="small")
    return figure


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


def _draw_seeds(axes: Axes, seeds: list[Points], number: int) -> None:
    """Draw the seeds of the learner of a number: their band, each one, their median."""
    colour = choose_look(number).colour
    gaps: dict[float, list[float]] = {}
    for at, gap in itertools.chain(*seeds):
        gaps.setdefault(at, []).append(gap)
    places = sorted(gaps)
    if len(seeds) > 1:
        low, high = ([extreme(gaps[at]) for at in places] for extreme in (min, max))
        axes.fill_between(places, low, high, color=colour, alpha=0.18, linewidth=0, gid=BAND)
        for which, points in enumerate(seeds):
            dashes = choose_look(which + 1).dashes  # the median's is solid
            axes.plot(*zip(*points, strict=True), color=colour, linewidth=0.7, linestyle=dashes, gid=SEED)
    axes.plot(places, [median(gaps[at]) for at in places], color=colour, gid=MEDIAN)


def _mark_firsts(axes: Axes, number: int, seeds: list[Points]) -> None:
    """Write the numbers of seeds where their gap is 0 first, beside each other where they would overlap."""
    found = [(next((at for at, gap in points if gap <= 0.0), None), which) for which, points in enumerate(seeds, 1)]
    marked: dict[float, list[str]] = {}
    for at, which in sorted((at, which) for at, which in found if at is not None):
        marked.setdefault(at, []).append(str(which))
    words = [",".join(of_place) for of_place in marked.values()]
    look: Look = {"ha": "center", "va": "top", "fontsize": "x-small", "color": choose_look(number).colour}
    for at, word, aside in zip(marked, words, spread_words(axes, list(marked), words, X_SMALL), strict=True):
        axes.annotate(word, (at, 0.0), (aside, -2), textcoords="offset points", **look)
