"""A table of numbers as a heat map: its numbers in its cells, its names beside it, with room for all of them.

The battery of extended environments is one: a row per environment, a column per agent, the mean reward per turn in
each cell.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.figures.labels import format_label, format_number
from experiments.figures.style import COLOUR_MAP, Look, measure_relative_letters, new_figure, use_figure_style
from xenv.battery import BatteryRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from engine.mdp.mdp import Floats

LETTER = 0.065  # inches of room for a letter of a name, on paper
CELL = 0.21, 0.55  # inches, down and across
TITLE = 0.25  # inches
BAR = 0.6  # inches across for the colour bar and its numbers
SHARE = 0.8  # of the height, for the colour bar
THICKNESS = 0.14  # of the colour bar, in inches
LEAST = (3.2, 2.2)
LETTERS_A_LINE = 20


@use_figure_style
def draw_heat_map(
    numbers: Floats,
    down: Sequence[str],
    across: Sequence[str],
    unit: str,
    text: Callable[[float], str],
    bound: float,
    *,
    title: str,
    lines: Sequence[int] = (),
) -> Figure:
    """A figure. numbers: f64[down, across], nan for none. unit: in words, of the colour bar. title: above it all.

    text: a number as its cell shows it. bound: the colours' end, either side of 0; the larger a number, the lighter, in
    grey too. The colour bar leaves out the side without numbers. lines: the rows above which one is drawn.
    """
    letters = max(1.0, measure_relative_letters())
    across = [textwrap.fill(name, LETTERS_A_LINE) for name in across]
    letter = LETTER * letters
    height = max(
        LEAST[1] * letters,
        0.4
        + TITLE * letters
        + letter * max(len(line) for name in across for line in name.split("\n"))
        + CELL[0] * letters * len(down),
    )
    width = max(LEAST[0] * letters, 0.7 + BAR + letter * max(map(len, down)) + CELL[1] * letters * len(across))
    figure = new_figure(width, height)
    figure.suptitle(title, fontsize="medium")
    axes = figure.subplots()
    edges = [np.arange(count + 1) - 0.5 for count in reversed(numbers.shape)]
    cells = axes.pcolormesh(*edges, numbers, cmap=COLOUR_MAP, vmin=-bound, vmax=bound)
    axes.invert_yaxis()
    axes.set_xticks(range(len(across)), across, rotation=90)
    axes.set_yticks(range(len(down)), down)
    for (line, column), number in np.ndenumerate(numbers):
        if number == number:
            shade = "white" if number < 0.1 * bound else "black"
            look: Look = {"ha": "center", "va": "center", "fontsize": "small", "color": shade}
            axes.text(column, line, text(float(number)), **look)
    for first in lines:
        axes.axhline(first - 0.5, color="white", linewidth=2.5)
    rows = CELL[0] * letters * len(down)
    bar = figure.colorbar(cells, ax=axes, shrink=SHARE, aspect=max(6.0, SHARE * rows / THICKNESS))
    if bar.solids is not None:
        bar.solids.set(rasterized=False, edgecolor="face")  # shades in vectors, without seams between them
    bar.set_label(unit)
    if not np.any(numbers > 0):
        bar.ax.set_ylim(-bound, 0)
    elif not np.any(numbers < 0):
        bar.ax.set_ylim(0, bound)
    bar.outline.set_visible(False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return figure


MOST_DIGITS = 10.0  # up to this reward, cells have two digits after the point


def draw_battery(rows: Sequence[BatteryRow]) -> Figure:
    """Return a figure from the battery's rows, means over seeds: environments, below them their opposites."""
    agents = list(dict.fromkeys(row.agent for row in rows))
    environments = list(dict.fromkeys(row.environment for row in rows))
    environments.sort(key=lambda name: "opposite(" in name)
    plain = sum("opposite(" not in name for name in environments)
    sums, counts = np.zeros((2, len(environments), len(agents)))
    for row in rows:
        cell = environments.index(row.environment), agents.index(row.agent)
        sums[cell] += row.total_reward / row.turns
        counts[cell] += 1
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    bound = max(1.0, float(np.nanmax(np.abs(means))))

    def write_cell(mean: float) -> str:
        return format_number(round(mean, 2) + 0.0, ".2f") if bound <= MOST_DIGITS else format_number(mean, ".3g")

    names = [format_label(environment) for environment in environments]
    labels = [format_label(agent) for agent in agents]
    lines = (plain,) if 0 < plain < len(environments) else ()
    return draw_heat_map(
        means, names, labels, "reward per turn", write_cell, bound, title=_describe_length(rows), lines=lines
    )


def _describe_length(rows: Sequence[BatteryRow]) -> str:
    """Return how long and how often each agent was run, such as "10,000 turns, 1 seed"."""
    turns = sorted({row.turns for row in rows})
    seeds = len({row.seed for row in rows})
    long = " to ".join(f"{number:,}" for number in dict.fromkeys((turns[0], turns[-1])))
    return f"{long} turn{'' if turns[-1] == 1 else 's'}, " + ("1 seed" if seeds == 1 else f"mean of {seeds} seeds")
