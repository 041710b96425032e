"""Results of the battery: agents in the battery of extended environments (Alexander et al. 2021, section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.results import Result
from caregrid.runs.execution import Execution, Place, RunNotFinished, Usual, run_directory
from engine.files import all_or_none
from engine.learning.stacks import CPU
from experiments.figures.style import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.experiment import Rows
    from experiments.requests.battery import BatteryRequest
    from xenv.battery import BatteryRow, SeedMean

TABULAR = ("random", "constant", "simple", "q_learning")


@dataclass(frozen=True, repr=False, eq=False)
class BatteryResult(Result):
    """One row per run.

    agents, environments: names, in the order asked for. runs: see `xenv.battery.BatteryRow`. directory: where they were
    written, None where nothing was.
    """

    agents: tuple[str, ...]
    environments: tuple[str, ...]
    runs: Sequence[BatteryRow]
    directory: Path | None = None

    @property
    def title(self) -> str:
        """How many agents, environments and runs."""
        return f"{len(self.agents)} agents in {len(self.environments)} environments, {len(self.runs)} runs"

    @property
    def means(self) -> Mapping[str, SeedMean]:
        """Agent -> its measure: the mean reward per turn over environments and seeds, with its standard error."""
        from xenv.battery import mean_reward

        return {agent: mean_reward(self.runs, agent) for agent in self.agents}

    def rows(self) -> list[dict[str, Any]]:
        """Return agent, environment, seed, turns, total_reward."""
        return [run._asdict() for run in self.runs]

    def figure(self) -> Figure:
        """Return the heat map: the mean reward per turn of each agent in each environment."""
        from experiments.figures.heat_map import draw_battery

        return draw_battery(self.runs)

    def statistics(self) -> list[dict[str, Any]]:
        """Return a row per agent: mean and interquartile mean of the reward per turn, with their intervals.

        See `experiments.statistics.tabulate_scores`.
        """
        from experiments.requests.battery import SCORES
        from experiments.statistics import tabulate_scores

        return [dict(row) for row in tabulate_scores(self.rows(), SCORES)]

    def text(self) -> str:
        """Return each agent's measure with its interval, and what was written."""
        from experiments.rows import align_lines

        lines = []
        for row in self.statistics():
            ends = ""
            few = f"({row['runs']} seed{'s' if row['runs'] > 1 else ''})"
            if row["interval"]:
                ends = f"[{row['mean_low']:.4f}, {row['mean_high']:.4f}]"
                few = f"({row['runs']} seeds: {row['interval']})"
            lines.append((str(row["method"]), f"{row['mean']:8.4f}", ends, few))
        wrote = (
            [] if self.directory is None else [f"wrote {self.directory}/battery.csv and {self.directory}/battery.png"]
        )
        return "\n".join([*align_lines(lines), *wrote])


def run_battery(request: BatteryRequest, out: Place, execution: Execution) -> BatteryResult:
    """Run what is missing; write table and heat map where results are kept."""
    from experiments.requests.battery import make_battery_rows
    from experiments.runs.run_directory import read_manifest
    from experiments.stored_rows import write_rows

    if out is not None:
        new_figure()  # without matplotlib, say so before the work
    experiment = request.experiment()
    request.rehearse()
    names = [tuple(map(str, experiment.settings[which])) for which in ("agent", "environment")]
    with run_directory(out, lambda: _choose_directory(request)) as directory:
        request.refuse_clash(read_manifest(directory), directory)
        usual: Usual = "automatic" if request.device == CPU else "serial"  # units on another device share it
        summary = execution.run(experiment, directory, origin=request.as_dict(), usual=usual, kept=out is not None)
        rows: Rows = request.read_rows_in_order(directory)
        if not summary.complete:
            raise RunNotFinished(summary, rows)
        result = BatteryResult(names[0], names[1], make_battery_rows(rows), None if out is None else directory)
        if out is not None:
            with all_or_none():
                write_rows(directory / "battery.csv", rows)
                save_figure(result.figure(), directory / "battery.png")
        return result


def _choose_directory(request: BatteryRequest) -> Path:
    """Where the results go unless the user says where."""
    from experiments.runs.run_directory import RESULTS

    return Path(RESULTS) / request.name
