"""The number line of care: coefficients stand at arctan c, so that the axis ends at infinity; care over training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.figures.labels import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

TICKS = (-math.inf, -4.0, -1.0, 0.0, 1.0, 4.0, math.inf)


def mark_care(axis: Axis) -> None:
    """Give an axis of arctan c its ticks, named by c."""
    axis.set_ticks([math.atan(tick) for tick in TICKS], [format_number(tick) for tick in TICKS])


def draw_care_over_steps(
    axes: Axes, steps: Sequence[float], quantiles: Sequence[Sequence[float]], colour: str, label: str
) -> None:
    """Draw care by steps of training. quantiles: low, middle and high, each f64[steps]."""
    low, middle, high = ([math.atan(each) for each in several] for several in quantiles)
    axes.plot(steps, middle, color=colour, label=label)
    axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0.0)
