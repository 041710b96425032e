"""Training with several seeds: a row for each, the mean with its interval, and all learning curves in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.programmes.caring.training import TrainingResult, run_training
from caregrid.results import Result
from engine.errors import MissingExtra
from engine.files import all_or_none, output_directory
from engine.learning.stacks import CPU
from engine.plain_values import make_json_value
from experiments.figures.labels import format_title
from experiments.figures.style import OWN, SOFT, new_figure, save_figure, use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.observer import Observes
    from experiments.caring_problem import ProblemSource
    from experiments.statistics import ScoreInterval
    from experiments.training import AnyAgent

TABLE, PICTURE = "seeds.csv", "seeds.png"
COLUMNS = ("greedy_return", "optimum", "below")


@dataclass(frozen=True, repr=False, eq=False)
class TrainingOfSeeds(Result):
    """An agent trained with several seeds.

    runs: seed -> its training. directory: where they are kept, a folder for each seed; None where nowhere.
    """

    runs: dict[int, TrainingResult]
    directory: Path | None = None

    @property
    def title(self) -> str:
        """Scenario, formulation, agent, coefficient, and how many seeds."""
        run = next(iter(self.runs.values()))
        learner = replace(run.policy, name="").label
        seeds = f"{len(self.runs)} seed{'s' if len(self.runs) > 1 else ''}"
        return f"{run.problem.scenario.name}, {run.problem.formulation}, {learner}: {seeds}"

    @property
    def mean(self) -> float:
        """The mean over the seeds of the last greedy return."""
        return fmean(run.curve[-1]["greedy_return"] for run in self.runs.values())

    @property
    def interval(self) -> ScoreInterval | None:
        """The interval of the mean (`experiments.statistics.mean_interval`); None of a single seed."""
        return self._find_interval(-1)

    @property
    def curve(self) -> list[dict[str, Any]]:
        """A row per checkpoint: steps, the mean greedy return, the optimum, and how far the mean is below."""
        curves = [run.curve for run in self.runs.values()]
        rows = []
        for place, first in enumerate(curves[0]):
            below = [curve[place]["below"] for curve in curves]
            mean = fmean(curve[place]["greedy_return"] for curve in curves)
            known = None if None in below else fmean(below)
            rows.append({"steps": first["steps"], "greedy_return": mean, "optimum": first["optimum"], "below": known})
        return rows

    @property
    def warning(self) -> str | None:
        """One line where policies are not optimal; None otherwise."""
        astray = sum(bool(run.curve[-1]["below"]) for run in self.runs.values())
        return f"the policies of {astray} of {len(self.runs)} seeds are below the optimum" if astray else None

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per seed: seed, steps, the last greedy return, the optimum, and how far it is below."""
        return [
            {"seed": seed, "steps": run.curve[-1]["steps"], **{name: run.curve[-1][name] for name in COLUMNS}}
            for seed, run in self.runs.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what was trained, the mean curve, the rows, the mean with its interval."""
        first = next(iter(self.runs.values())).as_dict()
        learned = {name: value for name, value in first["policy"].items() if name not in ("seed", "steps", *COLUMNS)}
        ends = self.interval
        interval = None if ends is None else {"low": ends.low, "high": ends.high, "kind": ends.kind}
        return {
            "policy": learned,
            "curve": make_json_value(self.curve),
            "out": None if self.directory is None else str(self.directory),
            "warning": self.warning,
            "seeds": make_json_value(self.rows()),
            "mean": make_json_value(self.mean),
            "interval": make_json_value(interval),
        }

    def text(self) -> str:
        """Return a row per seed, and the mean with its interval."""
        from experiments.rows import align_lines

        heads = ("seed", "steps", "greedy return", "optimum", "below")
        rows = [tuple("unknown" if value is None else f"{value:,g}" for value in row.values()) for row in self.rows()]
        ends = self.interval
        interval = "" if ends is None else f" [{ends.low:g}, {ends.high:g}] ({len(self.runs)} seeds: {ends.kind})"
        notes = next(iter(self.runs.values())).describe_learner()
        kept = [f"kept in {self.directory}"] if self.directory else []
        return "\n".join([self.title, *notes, *align_lines([heads, *rows]), f"mean {self.mean:g}{interval}", *kept])

    @use_figure_style
    def figure(self) -> Figure:
        """Draw the learning curves: each seed thin, the mean with its interval, and the optimum."""
        figure = new_figure(6.0, 3.6)
        axes = figure.subplots()
        mean = self.curve
        steps = [row["steps"] for row in mean]
        for run in self.runs.values():
            axes.plot(steps, [row["greedy_return"] for row in run.curve], color=SOFT, linewidth=0.5, zorder=0)
        bands = [self._find_interval(place) for place in range(len(mean))]
        if bands and all(band is not None for band in bands):
            low, high = ([getattr(band, end) for band in bands] for end in ("low", "high"))
            axes.fill_between(steps, low, high, color=OWN, alpha=0.2, linewidth=0, label=str(bands[-1].kind))  # type: ignore[union-attr]
        axes.plot(steps, [row["greedy_return"] for row in mean], color=OWN, marker=".", label="mean")
        if mean[-1]["optimum"] is not None:
            axes.axhline(mean[-1]["optimum"], color=SOFT, linewidth=2.0, zorder=0, label="exact optimum")
        axes.set_xlabel("steps of training")
        axes.set_ylabel("return with care (sum of augmented rewards)")
        axes.set_title(format_title(self.title))
        axes.legend(loc="best")
        return figure

    def _find_interval(self, place: int) -> ScoreInterval | None:
        """Return the interval of the mean greedy return at a checkpoint."""
        from experiments.statistics import mean_interval

        returns = [run.curve[place]["greedy_return"] for run in self.runs.values()]
        return mean_interval(np.array(returns, dtype=np.float64)[:, None], self.title)


def train_seeds(
    source: ProblemSource,
    care: float,
    agent: AnyAgent,
    steps: int | None,
    seeds: Sequence[int],
    out: str | Path | None,
    yes: bool = False,
    device: str = CPU,
    observes: Observes = "observation",
) -> TrainingOfSeeds:
    """Train with each seed, in a folder of its own below `out`; the arguments are those of `run_training`.

    Seeds that a folder holds already are read, so that the same command goes on where it stopped.
    """
    from experiments.stored_rows import write_rows

    directory = None if out is None else Path(out)
    if directory is not None:
        output_directory(directory)
    runs = {}
    for seed in seeds:
        place = None if directory is None else directory / f"seed-{seed}"
        runs[seed] = run_training(source, care, agent, steps, seed, place, yes, device, observes)
    trained = TrainingOfSeeds(runs, directory)
    if directory is not None:
        with all_or_none():
            write_rows(directory / TABLE, trained.rows())
            try:
                save_figure(trained.figure(), directory / PICTURE)
            except MissingExtra:
                (directory / PICTURE).unlink(missing_ok=True)
    return trained
