"""Where it was decided: each observed step's log probability under each hypothesis, as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.figures.labels import format_title
from experiments.figures.style import COLOUR_MAP, measure_relative_letters, new_figure, use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW, LETTER = 0.22, 0.065
"""Inches down for a hypothesis, and across for a letter of its name."""


@use_figure_style
def draw_decided_steps(log_chances: Mapping[str, Sequence[float]], title: str) -> Figure:
    """A figure. log_chances: hypothesis -> log P of each step. A step's shade is relative to its likeliest hypothesis.

    Light: as likely as under the likeliest. Dark: this step speaks against the hypothesis.
    """
    letters = max(1.0, measure_relative_letters())
    names = list(map(format_title, log_chances))
    numbers = np.array([list(chances) for chances in log_chances.values()], dtype=np.float64)
    numbers = numbers - numbers.max(axis=0, keepdims=True)
    width = max(4.5, 1.6 + LETTER * letters * max(map(len, names)) + 2.5)
    figure = new_figure(width * letters, (1.3 + ROW * len(names)) * letters)
    figure.suptitle(title, fontsize="medium")
    axes = figure.subplots()
    edges = [np.arange(count + 1) - 0.5 for count in reversed(numbers.shape)]
    edges[0] = edges[0] + 1.0
    lowest = float(min(numbers.min(), -1.0))
    cells = axes.pcolormesh(*edges, numbers, cmap=COLOUR_MAP, vmin=lowest, vmax=0.0)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("step observed")
    bar = figure.colorbar(cells, ax=axes)
    if bar.solids is not None:
        bar.solids.set(rasterized=False, edgecolor="face")
    bar.set_label("log P, less the likeliest's")
    return figure
