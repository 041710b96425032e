"""Strips of outcomes over coefficients: for each agent what an exact solution does at every coefficient, draw by draw.

A panel per world, a strip per agent, a line in it per draw. Coefficients stand on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from experiments.figures.style import GREY, Look, letter_panels, measure_relative_letters, new_figure, use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STRIP = 0.2  # inches
FULL = 0.84  # of a strip's height that its lines take


class OutcomeRange(NamedTuple):
    """From one coefficient to another, infinity among them, the same outcome."""

    low: float
    high: float
    outcome: str


class OutcomeLook(NamedTuple):
    """A colour, and the hatching by which an outcome is known without it."""

    colour: str
    hatch: str = ""

    def style(self) -> Look:
        """Return matplotlib's keywords for areas of the look."""
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": "white", "linewidth": 0.0}


@use_figure_style
def draw_outcome_strips(
    panels: Mapping[str, Mapping[str, Sequence[Sequence[OutcomeRange]]]],
    looks: Mapping[str, OutcomeLook],
    axis: str,
    between: tuple[float, float],
    marked: float | None = None,
) -> Figure:
    """Draw a figure. panels: world -> agent -> draws, ranges of each. looks: of outcomes, in the legend's order.

    axis: what the coefficient is. between: the coefficients that are shown. marked: one with a line through it.
    """
    from matplotlib.patches import Patch

    letters = max(1.0, measure_relative_letters())
    heights = [len(agents) for agents in panels.values()]
    figure = new_figure(6.9, (STRIP * sum(heights) + 0.42 * len(panels) + 0.9) * letters)
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    low, high = between
    for axes, (title, agents) in zip(every, panels.items(), strict=True):
        axes.set_title(title)
        axes.set(xscale="log", xlim=between, ylim=(len(agents) - 0.5, -0.5))
        axes.set_yticks(range(len(agents)), list(agents))
        axes.tick_params(axis="y", length=0)
        for place, draws in enumerate(agents.values()):
            thick = FULL / len(draws)
            for number, ranges in enumerate(draws):
                top = place - FULL / 2 + number * thick
                for one in ranges:
                    begin, end = max(one.low, low), min(one.high, high)
                    if begin < end:
                        axes.broken_barh([(begin, end - begin)], (top, thick), **looks[one.outcome].style())
        if marked is not None:
            axes.axvline(marked, color=GREY, linestyle="--", linewidth=0.8)
    every[-1].set_xlabel(axis)
    letter_panels(every)
    shown = {one.outcome for agents in panels.values() for draws in agents.values() for some in draws for one in some}
    handles = [Patch(label=name, **look.style()) for name, look in looks.items() if name in shown]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
