"""The battery as a heat map: one row an environment, one column an agent, the mean reward per turn in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.figures.heat_map import heat_map
from experiments.figures.names import label_of
from xenv.battery import BatteryRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DIGITS = 10.0  # up to this reward, cells have two digits after the point


def battery_heat_map(rows: Sequence[BatteryRow]) -> Figure:
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
    bound = max(1.0, float(np.nanmax(np.abs(means))))

    def cell_text(mean: float) -> str:
        return f"{round(mean, 2) + 0.0:.2f}" if bound <= MOST_DIGITS else f"{mean:.3g}"

    names = [label_of(environment) for environment in environments]
    labels = [label_of(agent) for agent in agents]
    return heat_map(means, names, labels, "reward per turn", cell_text, bound, title=_length(rows))


def _length(rows: Sequence[BatteryRow]) -> str:
    """How long and how often each agent was run, such as "10,000 turns, 1 seed"."""
    turns, seeds = sorted({row.turns for row in rows}), len({row.seed for row in rows})
    long = " to ".join(f"{number:,}" for number in dict.fromkeys((turns[0], turns[-1])))
    return f"{long} turn{'' if turns[-1] == 1 else 's'}, " + ("1 seed" if seeds == 1 else f"mean of {seeds} seeds")
