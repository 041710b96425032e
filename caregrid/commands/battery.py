"""Measure agents in the battery of extended environments: a tidy table and a heat map.

Names nest: reality_check(q_learning), opposite(crying_baby). An agent of your own is MODULE:NAME, a spec or a function
that makes objects with act and train. Without options: the tabular agents and their reality checks, as in the paper.
Writes battery.csv and battery.png; prints each agent's measure, the mean reward per turn with its standard error.
Finished runs are kept beside them, and the same command goes on where it stopped."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option
from caregrid.arguments.runs import SEEDS, RunArguments, report_unfinished

if TYPE_CHECKING:
    from experiments.experiment import Rows
    from experiments.requests.battery import BatteryRequest
    from xenv.battery import BatteryRow

TABULAR = ("random", "constant", "simple", "q_learning")
QUICK_TURNS = 1000


@dataclass(frozen=True, kw_only=True)
class BatteryArguments(RunArguments):
    """Agents, environments, turns and seeds, and how to run them."""

    agents: tuple[str, ...] = option(
        (), "names, separated by commas; repeatable (default: the tabular ones)", metavar="A,B", aliases=("--agent",)
    )
    environments: tuple[str, ...] = option(
        (), "names, separated by commas; repeatable (default: the benchmark)", metavar="X,Y", aliases=("--environment",)
    )
    turns: int = option(100_000, "turns a run (default 100000)", metavar="N")
    seeds: str = option("1,2,3,4,5", f"{SEEDS}; default 1,2,3,4,5", metavar="SEEDS")
    opposites: bool = option(False, "add the opposite of every environment")
    randomness: str = option("keys", "keys (default), or published: the published runs' pools", metavar="SOURCE")
    quick: bool = option(False, f"{QUICK_TURNS} turns a run at most")


def run(arguments: BatteryArguments) -> int:
    from experiments.figures.style import new_figure
    from experiments.targets import RESULTS

    request = _request(arguments)
    if arguments.json and not arguments.out:  # nothing but the rows is asked for
        with tempfile.TemporaryDirectory(prefix="caregrid-") as folder:
            return _run(arguments, request, Path(folder))
    new_figure()  # without matplotlib, say so before the work
    return _run(arguments, request, Path(arguments.out or Path(RESULTS) / request.name))


def _request(arguments: BatteryArguments) -> BatteryRequest:
    from experiments.ranges import seed_range
    from experiments.requests.battery import BatteryRequest
    from xenv.environments import benchmark

    agents = _words(arguments.agents, "--agents") or [*TABULAR, *(f"reality_check({name})" for name in TABULAR)]
    environments = _words(arguments.environments, "--environments") or list(benchmark())
    if arguments.opposites:
        environments += [f"opposite({name})" for name in environments]
    turns = min(arguments.turns, QUICK_TURNS) if arguments.quick else arguments.turns
    seeds = seed_range(arguments.seeds)
    return BatteryRequest(tuple(agents), tuple(environments), turns, seeds, arguments.randomness)


def _run(arguments: BatteryArguments, request: BatteryRequest, directory: Path) -> int:
    from experiments.requests.battery import battery_rows
    from experiments.runs.run_directory import read_manifest

    experiment = request.experiment()
    request.rehearse()
    request.refuse_clash(read_manifest(directory), directory)
    summary = arguments.run(experiment, directory, origin=request.as_dict(), here=True)
    if not summary.complete:
        return report_unfinished(summary)
    plain = request.ordered_rows(directory)
    rows = battery_rows(plain)
    if arguments.out or not arguments.json:
        _write(directory, plain, rows)
    if arguments.json:
        print(json.dumps({"rows": plain}))
        return 0
    _print_means(rows, experiment.settings["agent"])
    print(f"wrote {directory}/battery.csv and {directory}/battery.png")
    return 0


def _write(directory: Path, plain: Rows, rows: list[BatteryRow]) -> None:
    from experiments.collect import write_rows
    from experiments.figures.battery import heat_map
    from experiments.figures.style import save_figure

    write_rows(directory / "battery.csv", plain)
    save_figure(heat_map(rows), directory / "battery.png")


def _words(texts: tuple[str, ...], flag: str) -> list[str]:
    from engine.errors import BadValue

    words = [word.strip() for text in texts for word in text.split(",")]
    if not all(words):
        raise BadValue(f"an empty name in '{','.join(texts)}'", place=flag, remedy="separate names by single commas")
    return words


def _print_means(rows: list[BatteryRow], agents: tuple[object, ...]) -> None:
    from experiments.tables import aligned_lines
    from xenv.battery import mean_reward

    lines = []
    for agent in map(str, agents):
        mean, error, seeds = mean_reward(rows, agent)
        spread = "" if error is None else f" +- {error:.4f}"
        lines.append((agent, f"{mean:8.4f}{spread}", f"({seeds} seed{'s' if seeds > 1 else ''})"))
    print("\n".join(aligned_lines(lines)))
