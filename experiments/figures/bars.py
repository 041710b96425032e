"""Pairs of horizontal bars for many things in several panels; things with equal numbers share a bar and its names."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from experiments.figures.labels import format_number
from experiments.figures.style import (
    GREY,
    OTHER,
    OWN,
    Look,
    measure_relative_letters,
    new_figure,
    set_whole_ticks,
    use_figure_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THICK = 0.38
HATCH = "////"
INCHES_A_BAR = 0.28
INCHES_A_LINE = 0.13
LETTERS_A_LINE = 44
LETTERS_OF_UNIT = 48
BREAK = (0.8, 0.84)  # where the two strokes through a bar are that is longer than drawn
MARGIN = 0.16  # of the width, for the numbers at the ends of bars


class PairOfBars(NamedTuple):
    """What a bar is of, and its two numbers."""

    name: str
    first: float
    second: float


@use_figure_style
def draw_paired_bars(
    panels: Mapping[str, Sequence[PairOfBars]], labels: tuple[str, str], unit: str, cut: float | None = None
) -> Figure:
    """A figure: one panel below the other, all of one scale. labels: of first and second numbers.

    unit: of the horizontal axis, in words. cut: numbers beyond it, either side, are drawn broken, with their number.
    """
    merged = {title: _merge_equal_pairs(pairs) for title, pairs in panels.items()}
    heights = [sum(map(_compute_height, bars)) + 0.42 for bars in merged.values()]
    letters = measure_relative_letters()
    figure = new_figure(6.0, (sum(heights) + 0.6) * max(1.0, letters))
    every = figure.subplots(len(merged), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    for axes, (title, bars) in zip(every, merged.items(), strict=True):
        _draw_panel(axes, bars, labels, cut)
        axes.set_title(title)
    ends = [axes.get_xlim() for axes in every]
    for axes in every:
        axes.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))
    every[-1].set_xlabel(textwrap.fill(unit, int(LETTERS_OF_UNIT / max(1.0, letters))))
    handles, names = every[-1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2)
    return figure


def _merge_equal_pairs(pairs: Sequence[PairOfBars]) -> list[PairOfBars]:
    """Return the different pairs, in order, each with the names of all that are equal to nine digits."""
    groups: dict[tuple[float, float], list[str]] = {}
    for pair in pairs:
        groups.setdefault((round(pair.first, 9), round(pair.second, 9)), []).append(pair.name)
    return [PairOfBars(textwrap.fill(", ".join(names), LETTERS_A_LINE), *numbers) for numbers, names in groups.items()]


def _compute_height(bar: PairOfBars) -> float:
    return max(INCHES_A_BAR, INCHES_A_LINE * (bar.name.count("\n") + 1) + 0.06)


def _draw_panel(axes: Axes, bars: Sequence[PairOfBars], labels: tuple[str, str], cut: float | None) -> None:
    places = []
    top = 0.0
    for bar in bars:
        places.append(top + _compute_height(bar) / INCHES_A_BAR / 2)
        top += _compute_height(bar) / INCHES_A_BAR
    firsts, seconds = [bar.first for bar in bars], [bar.second for bar in bars]
    looks = ((-0.5, firsts, labels[0], OWN, ""), (0.5, seconds, labels[1], OTHER, HATCH))
    for shift, numbers, label, colour, hatch in looks:
        shown = [number if cut is None else max(-cut, min(cut, number)) for number in numbers]
        at = [place + shift * THICK for place in places]
        axes.barh(at, shown, THICK, color=colour, hatch=hatch, edgecolor="white", linewidth=0, label=label)
        for place, number, length in zip(at, numbers, shown, strict=True):
            side = -1 if length < 0 else 1
            look: Look = {"ha": "left" if side > 0 else "right", "va": "center", "fontsize": "x-small"}
            if length != number:
                for part in BREAK:
                    ends = [part * length - 0.012 * length, part * length + 0.012 * length]
                    axes.plot(ends, [place + THICK * 0.7, place - THICK * 0.7], color="white", linewidth=2, zorder=3)
            axes.annotate(format_number(number, ".4g"), (length, place), (2 * side, 0), "data", "offset points", **look)
    if all(float(number).is_integer() for number in (*firsts, *seconds)):
        set_whole_ticks(axes, "x")
    axes.set_yticks(places, [bar.name for bar in bars])
    axes.set_ylim(top, 0)
    axes.axvline(0, color=GREY, linewidth=0.6)
    axes.margins(x=MARGIN)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
