"""Results of the benchmark: every method in every world of some suites, and a leaderboard of runs.

Methods are measured over their whole range of coefficients. The leaderboard orders the methods suite by suite and
says what each of them gets most wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.results import Result, Writer
from engine.errors import BadFile, BadValue
from engine.files import suggest_another_place, write_atomically
from engine.printable import show_value
from engine.value_types import split_outside_brackets, to_list

if TYPE_CHECKING:
    from experiments.bench.case_results import CaseResult
    from experiments.bench.leaderboard import Standing
    from experiments.bench.suite import BenchCase


@dataclass(frozen=True, repr=False, eq=False)
class BenchResult(Result):
    """What methods reach in worlds.

    content: what the file holds, see `experiments.bench.case_results`. path: the file, None where nothing was written.
    """

    content: dict[str, Any]
    path: Path | None = None

    @property
    def title(self) -> str:
        """How many methods in how many worlds."""
        results = self.content["results"]
        worlds = {(result["suite"], result["world"]) for result in results}
        return f"benchmark, {len(worlds)} worlds, {len(results)} results"

    @property
    def digest(self) -> str:
        """32 hexadecimal digits, the same for the same results."""
        return str(self.content["digest"])

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per method and world: suite, world, method, seed, refused, area, measures, identified ..."""
        from experiments.bench.case_results import make_case_rows

        return make_case_rows(self.content["results"])

    def points(self) -> list[dict[str, Any]]:
        """Return a row per method, world and range of coefficients: measures, the care that its behaviour shows."""
        from experiments.bench.case_results import make_point_rows

        return make_point_rows(self.content["results"])

    def as_dict(self) -> dict[str, Any]:
        """Return the content of the file."""
        return self.content

    def text(self) -> str:
        """Say for each suite and method the means over worlds, who knows what is hidden, digest, files."""
        from experiments.bench.case_results import describe_observers, summarise_methods
        from experiments.rows import align_lines

        notes = describe_observers(self.content["results"])
        listed = summarise_methods(self.content["results"])
        lines = align_lines([tuple(listed[0]), *(tuple(row.values()) for row in listed)]) if listed else []
        wrote = [] if self.path is None else [f"wrote {self.path}"]
        return "\n".join([*lines, *notes, f"digest {self.digest}", *wrote])


def read_suites(suites: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of suites, each once, in this order; a programme stands for its suites, no name for all of them.

    Raises UnknownName for a name of neither.
    """
    from caregrid.programmes.programme import PROGRAMMES
    from engine.registry import spell_name
    from experiments.bench.suites import SUITES

    names = list[str]()
    for name in map(spell_name, read_names(suites, "suites")):
        names += (PROGRAMMES[name].suites if name in PROGRAMMES else ()) or (name,)
    for name in names:
        SUITES[name]
    return tuple(dict.fromkeys(names or SUITES.names()))


def read_names(given: str | Sequence[str], place: str) -> tuple[str, ...]:
    """Names, given one by one or joined by commas, each once; BadValue for an empty one."""
    texts = [given] if isinstance(given, str) else to_list(given, place, "bench", "give names")
    if not all(isinstance(text, str) for text in texts):
        raise BadValue(f"{place} are {show_value(given)}", place="bench", remedy="give names")
    names = [word.strip() for text in texts for word in split_outside_brackets(text)]
    if not all(names):
        raise BadValue(f"an empty name among the {place}", place="bench", remedy="separate names by single commas")
    return tuple(dict.fromkeys(names))


LANGUAGE = "language:"
"""How the name of a language model begins among agents."""


def ask_models(cases: Sequence[BenchCase], folder: Path, yes: bool, price: float | None) -> list[CaseResult]:
    """Measure language models, by Inspect. Raises MissingExtra without it, BadValue for what costs too much."""
    from caregrid.language import require_inspect
    from experiments.bench.case_results import summarise_case

    require_inspect()
    from caregrid.language.inspect_benchmark import measure_models

    return [summarise_case(case.text, rows) for case, rows in measure_models(cases, folder, yes, price).items()]


def refuse_other_bench(folder: Path, identity: Mapping[str, Any]) -> None:
    """Raise BadFile where a directory holds the file of other suites, agents or maps."""
    from experiments.bench.case_results import BENCH_FILE, read_bench

    if not (folder / BENCH_FILE).exists():
        return
    content = read_bench(folder)
    differing = [name for name in identity if content.get(name) != identity[name]]
    if differing:
        problem = f"it holds results of {differing[0]} {show_value(content.get(differing[0]))}"
        raise BadFile(problem, place=str(folder), remedy=suggest_another_place())


def read_worlds(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names of scenarios with their options, NAME,OPTION=VALUE, each once; gym:ID and files as attributes of modules.

    Each is made once. BadValue for what is no name, UnknownName for one of nothing.
    """
    from caregrid.programmes.caring.problem_source import is_model_file, split_world_name
    from caregrid.wrapping.gym_names import find_attribute_name
    from experiments.bench.suite import SEPARATOR, split_world
    from experiments.caring_problem import NamedProblem

    worlds = []
    for text in [given] if isinstance(given, str) else to_list(given, "world", "bench", "give names"):
        if not isinstance(text, str) or not text:
            raise BadValue(
                f"a world {show_value(text)}", place="bench", remedy="give a name, such as gym:FrozenLake-v1"
            )
        name, options = split_world(text)
        named, settings = (
            split_world_name(name, options) if is_model_file(name) else (find_attribute_name(name), options)
        )
        world = ",".join((named, *settings))
        if SEPARATOR in world:
            remedy = f"name it in a file of your own, MODULE:NAME, without '{SEPARATOR}'"
            raise BadValue(f"world '{text}' has a '{SEPARATOR}'", place="bench", remedy=remedy)
        NamedProblem(named, options=tuple(settings)).make_scenario()
        worlds.append(world)
    return tuple(dict.fromkeys(worlds))


BenchRun = str | Path | BenchResult


@dataclass(frozen=True, repr=False, eq=False)
class BenchComparison(Result):
    """The methods of several runs in order. runs: name -> the content of a file. standings: suite by suite."""

    runs: Mapping[str, Mapping[str, Any]]
    standings: Sequence[Standing]

    @property
    def title(self) -> str:
        """How many runs."""
        return f"leaderboard of {', '.join(self.runs)}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per suite and method: rank, runs that agree on it, means over worlds with intervals."""
        return [standing.row() for standing in self.standings]

    def failures(self) -> list[dict[str, Any]]:
        """Return a row per suite and method: its worst world, what it reaches there, and what can be reached."""
        from experiments.bench.leaderboard_page import find_failures

        entries = [standing.entry for standing in self.standings]
        suites = dict.fromkeys(entry.suite for entry in entries)
        grouped = ([entry for entry in entries if entry.suite == suite] for suite in suites)
        return [failure.row() for group in grouped for failure in find_failures(group)]

    def as_dict(self) -> dict[str, Any]:
        """Return {"runs", "standings", "failures"}."""
        from experiments.bench.leaderboard_page import make_run_rows

        return {"runs": make_run_rows(self.runs), "standings": self.rows(), "failures": self.failures()}

    def text(self) -> str:
        """Say for each suite the methods in order: area, violations, own return, share recovered, intervals."""
        from experiments.rows import align_lines

        lines: list[str] = []
        for suite in dict.fromkeys(standing.entry.suite for standing in self.standings):
            rows = [row for row in self.rows() if row["suite"] == suite]
            estimates = ("area", "violations", "own_share", "own", "recovered")
            head = ("rank", "method", "runs", *estimates, "acts as", "worlds", "refused")
            places = [standing.place for standing in self.standings if standing.entry.suite == suite]
            cells = [
                (
                    place,
                    row["method"],
                    row["runs"],
                    *(_write_estimate(row, name) for name in estimates),
                    row["acts_as"] or "-",
                    str(row["worlds"]),
                    str(row["refused"]),
                )
                for place, row in zip(places, rows, strict=True)
            ]
            title = f"{suite}, over {rows[0]['common']} common worlds"
            lines += [*([""] if lines else []), title, *align_lines([head, *cells], indent=2)]
        return "\n".join(lines)

    def writers(self) -> dict[str, Writer]:
        """As every result; .html is the page."""
        from experiments.bench.leaderboard_page import write_leaderboard_page

        def as_page(path: Path) -> None:
            write_atomically(path, write_leaderboard_page(self.runs, self.standings))

        return super().writers() | {"html": as_page}


def name_runs(runs: Sequence[BenchRun]) -> dict[str, Mapping[str, Any]]:
    """Name -> the content of each run's file. BadFile for what is no such file, BadValue for no runs."""
    from experiments.bench.case_results import BENCH_FILE, read_bench

    if not runs:
        raise BadValue(
            "no runs", place="compare_bench", remedy="give the files of 'caregrid bench', or their directories"
        )
    named: dict[str, Mapping[str, Any]] = {}
    for number, run in enumerate(runs, start=1):
        if isinstance(run, BenchResult):
            place, content = run.path, run.content
        elif isinstance(run, str | Path):
            content = read_bench(run)
            place = Path(run) / BENCH_FILE if Path(run).is_dir() else Path(run)
        else:
            remedy = "give a path, or a result of caregrid.bench"
            raise BadValue(f"a run of type {type(run).__name__}", place="compare_bench", remedy=remedy)
        name = f"run {number}" if place is None else _name_run(place)
        while name in named:
            name = f"{name} ({number})"
        named[name] = content
    return named


def _name_run(path: Path) -> str:
    """Return a run's name: its directory's where the file is bench.json, else the file's."""
    from experiments.bench.case_results import BENCH_FILE

    named = path.resolve()
    return named.parent.name if named.name == BENCH_FILE else named.stem


def _write_estimate(row: Mapping[str, Any], measure: str) -> str:
    mean, low, high = (row[name] for name in (measure, f"{measure}_low", f"{measure}_high"))
    if mean is None:
        return "-"
    return f"{mean:.3f}" if low is None else f"{mean:.3f} [{low:.3f}, {high:.3f}]"
