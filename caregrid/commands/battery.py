"""Measure agents in the battery of extended environments: a tidy table and a heat map.

Names nest: reality_check(q_learning), opposite(crying_baby). An agent of your own is MODULE:NAME, a spec or a function
that makes objects with act and train. Without options: the tabular agents and their reality checks, as in the paper.
Writes battery.csv and battery.png; prints each agent's measure, the mean reward a turn with its standard error."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xenv.battery import BatteryRow

DEFAULT_OUT = "caregrid-out"
TABULAR = ("random", "constant", "simple", "q_learning")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agents", metavar="A,B", help="names, separated by commas (default: the tabular ones)")
    parser.add_argument(
        "--agent", metavar="MODULE:NAME", action="append", default=[], help="an agent of your own; repeatable"
    )
    parser.add_argument("--environments", metavar="X,Y", help="names, separated by commas (default: the benchmark)")
    parser.add_argument("--turns", metavar="N", type=int, default=100_000, help="turns a run (default 100000)")
    parser.add_argument("--seeds", metavar="1,2,3", default="1,2,3,4,5", help="default 1,2,3,4,5")
    parser.add_argument("--opposites", action="store_true", help="add the opposite of every environment")
    parser.add_argument(
        "--randomness", metavar="SOURCE", default="keys", help="keys (default), or published: the published runs' pools"
    )
    parser.add_argument(
        "--out", metavar="DIR", help=f"default {DEFAULT_OUT}; with --json, nothing is written without it"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print the rows as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from engine.files import output_directory, write_atomically
    from experiments.figures.style import new_figure, save_figure
    from experiments.runs.progress import progress_on
    from xenv.battery import Battery

    battery = Battery(
        _agents(arguments), _environments(arguments), arguments.turns, _seeds(arguments.seeds), arguments.randomness
    )
    out = None
    if arguments.out or not arguments.json:
        out = output_directory(arguments.out or DEFAULT_OUT)
        new_figure()  # without matplotlib, say so before the work
    rows: list[BatteryRow] = []
    progress = progress_on(sys.stderr, arguments.quiet)
    progress.start("battery", len(battery))
    try:
        for row in battery:
            rows.append(row)
            progress.update(len(rows), 0)
    finally:
        progress.stop()
    if out is not None:
        from experiments.collect import csv_text
        from experiments.figures.battery import heat_map

        write_atomically(out / "battery.csv", csv_text([row._asdict() for row in rows]))
        save_figure(heat_map(rows), out / "battery.png")
    if arguments.json:
        print(json.dumps({"rows": [row._asdict() for row in rows]}))
    else:
        _print_means(rows, tuple(battery.agents))
        print(f"wrote {out}/battery.csv and {out}/battery.png")
    return 0


def _agents(arguments: argparse.Namespace) -> list[str]:
    named = _words(arguments.agents, "--agents")
    if not named and not arguments.agent:
        named = [*TABULAR, *(f"reality_check({name})" for name in TABULAR)]
    return [*named, *arguments.agent]


def _environments(arguments: argparse.Namespace) -> list[str]:
    from xenv.environments import benchmark

    named = _words(arguments.environments, "--environments") or list(benchmark())
    return [*named, *(f"opposite({name})" for name in named)] if arguments.opposites else named


def _seeds(text: str) -> list[int]:
    from engine.errors import BadValue

    words = _words(text, "--seeds")
    try:
        return [int(word) for word in words]
    except ValueError as error:
        raise BadValue(f"'{text}' is no list of integers", place="--seeds", remedy="write 1,2,3") from error


def _words(text: str | None, flag: str) -> list[str]:
    from engine.errors import BadValue

    words = [word.strip() for word in text.split(",")] if text is not None else []
    if not all(words):
        raise BadValue(f"an empty name in '{text}'", place=flag, remedy="separate names by single commas")
    return words


def _print_means(rows: list[BatteryRow], agents: tuple[str, ...]) -> None:
    from xenv.battery import mean_reward

    width = max(map(len, agents))
    for agent in agents:
        mean, error, seeds = mean_reward(rows, agent)
        told = "" if error is None else f" +- {error:.4f}"
        print(f"{agent:{width}}  {mean:8.4f}{told}  ({seeds} seed{'s' if seeds > 1 else ''})")
