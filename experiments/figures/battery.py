"""The battery as a heat map: one row an environment, one column an agent, the mean reward per turn in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.figures.style import new_figure
from xenv.battery import BatteryRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER = 0.065  # inches of room for a letter of a name
SHARE, THICKNESS = 0.6, 0.15  # the colour bar: how much of the height it takes, and its width in inches


def heat_map(rows: Sequence[BatteryRow]) -> Figure:
    """A figure from the battery's rows, means over seeds; orange is loss, violet is gain, white is nothing."""
    import numpy as np

    agents = list(dict.fromkeys(row.agent for row in rows))
    environments = list(dict.fromkeys(row.environment for row in rows))
    sums, counts = np.zeros((2, len(environments), len(agents)))
    for row in rows:
        cell = environments.index(row.environment), agents.index(row.agent)
        sums[cell] += row.total_reward / row.turns
        counts[cell] += 1
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    height = max(1.8, 0.6 + LETTER * max(map(len, agents))) + 0.21 * len(environments)
    width = max(3.4, 1.6 + LETTER * max(map(len, environments))) + 0.55 * len(agents)
    figure = new_figure(width, height)
    axes = figure.subplots()
    bound = max(1.0, float(np.nanmax(np.abs(means))))
    image = axes.imshow(means, cmap="PuOr", vmin=-bound, vmax=bound, aspect="auto")
    axes.set_xticks(range(len(agents)), agents, rotation=90, fontsize=7)
    axes.set_yticks(range(len(environments)), environments, fontsize=7)
    for (line, column), mean in np.ndenumerate(means):
        shade = "white" if abs(mean) > 0.6 * bound else "black"
        axes.text(
            column,
            line,
            f"{round(mean, 2) + 0.0:.2f}" if bound <= 10 else f"{mean:.3g}",
            ha="center",
            va="center",
            fontsize=6,
            color=shade,
        )
    bar = figure.colorbar(image, ax=axes, shrink=SHARE, aspect=SHARE * height / THICKNESS)
    bar.set_label("reward per turn", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return figure
