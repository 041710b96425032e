"""Results of experiments, what is made of them, and what an engine would start.

`load` reads the stored rows of a run directory. The operations that run, check, collect, draw and report experiments
are in `caregrid.operations.experiments`.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

from caregrid.command_line.operation import Word, check_arguments
from caregrid.results import Result, Writer, summary_html
from caregrid.runs.execution import Execution, RunOptions
from engine.errors import BadValue, argument
from engine.files import require_writable, write_atomically
from engine.plain_values import make_python_value
from engine.printable import make_printable, show_value
from engine.user_code import UntrustedCode
from engine.value_types import read_set
from experiments.ranges import LARGEST, Seeds, read_seeds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.experiment import Experiment, SettingValues
    from experiments.report.sections import Section
    from experiments.results import ClaimResult, Comparison, Results
    from experiments.runs.compaction import Compacted
    from experiments.runs.progress import RunSummary
    from experiments.targets import Target


@dataclass(frozen=True, repr=False, eq=False)
class ExperimentResult(Result):
    """What an experiment's stored rows hold.

    results: units, rows, claims, table (`experiments.results.Results`). summary: of the run that made them, None where
    they were loaded. files: what was written. stored: whether the directory is still there.
    """

    results: Results
    summary: RunSummary | None = None
    files: Sequence[str] = ()
    stored: bool = True

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.results.experiment.name

    @property
    def title(self) -> str:
        """Its name and what it reproduces."""
        return f"{self.name}: {self.results.experiment.reproduces}"

    @property
    def directory(self) -> Path | None:
        """The run directory, None where nothing is kept."""
        return self.results.store.path if self.stored else None

    @property
    def claims(self) -> list[ClaimResult]:
        """Each of the paper's statements: `says`, and the `verdict` "holds", "fails" or "not enough rows"."""
        return self.results.claims

    @property
    def published(self) -> list[Comparison]:
        """Each of the paper's numbers beside ours."""
        return self.results.comparisons

    @property
    def exit_code(self) -> int:
        """What `caregrid run` ends with: 1 where a unit or a claim failed, else 0."""
        return (self.summary.exit_code if self.summary else 0) or int(self.results.fails)

    def check(self) -> bool:
        """Return whether every claim holds."""
        return self.results.holds

    def rows(self) -> list[dict[str, Any]]:
        """Return every row, its setting in front."""
        return [dict(row) for row in self.results.all_rows()]

    def table(self) -> list[dict[str, Any]]:
        """Return the experiment's own table; empty where it has none or rows are missing."""
        return [dict(row) for row in self.results.table()]

    def figure(self, style: str = "paper") -> Figure:
        """Return the experiment's figure, for "paper" or "slides"; BadValue, with the reason, where there is none."""
        figure: Figure = self.results.require_figure(style)
        return figure

    def draw(self, path: str | Path | None = None, *, style: str = "paper") -> Path:
        """Write the figure (.png, .svg, .pdf; figure.png in the run directory by default) and say where.

        style: "paper", or "slides" with larger letters and thicker lines. BadValue, with the reason, where the
        experiment has no figure or rows are missing.
        """
        if path is None and not self.stored:
            raise BadValue("nothing is kept of this run", place=self.name, remedy="say where: draw(path)")
        target = Path(path) if path is not None else self.results.store.path / "figure.png"
        return Path(self.results.require_units().draw(target, style))

    def collect(self, path: str | Path | None = None) -> Path:
        """Write all rows into one .csv or .parquet (rows.csv in the run directory by default) and say where."""
        from experiments.stored_rows import write_rows

        if path is None and not self.stored:
            raise BadValue("nothing is kept of this run", place=self.name, remedy="say where: collect(path)")
        target = Path(path) if path is not None else self.results.store.path / "rows.csv"
        write_rows(target, self.results.require_units().each_row())
        return target

    def problems(self) -> list[str]:
        """Return what lies among the units and was passed over, damaged or foreign; a run makes damaged units anew."""
        return self.results.store.problems()

    def warnings(self) -> list[str]:
        """What a reader must know of the units: finished ones that are lost, and those that other code has made."""
        return self.results.store.warnings() if self.stored else []

    def report(self, out: str | Path) -> Path:
        """Write this run as one self-contained HTML page; returns its path."""
        from experiments.report.pages import write_html_report
        from experiments.report.sections import make_section

        target = require_writable(out)
        write_atomically(target, write_html_report([make_section(self.results)]))
        return Path(out)

    def as_dict(self) -> dict[str, Any]:
        """Return what the run did, claims, published numbers, table, files."""
        ran = self.summary.as_dict() if self.summary else {}
        files = {"files": list(self.files)} if self.summary else {}
        return {**ran, **self.results.summary(), **files}

    def text(self) -> str:
        """Return table, published numbers, claims, files, and what the run did."""
        from experiments.results import format_results

        lines = format_results(self.results, self.files)
        return "\n".join([*lines, self.summary.sentence()] if self.summary and self.stored else lines)

    def claim_lines(self) -> list[str]:
        """Return one line for each claim."""
        from experiments.results import format_claims

        return format_claims(self.results)

    def _repr_html_(self) -> str:
        """Return the figure, the experiment's table (its rows where it has none), and the claims."""
        shown = summary_html(self.title, self._repr_png_(), self.table() or self.rows())
        claims = escape("\n".join(self.claim_lines()))
        return f"{shown}\n<pre>{claims}</pre>"


TARGET = Word(metavar="TARGET", kinds=("experiments",))
FROM = Word(option="--from", metavar="DIR")


@check_arguments
def load(
    target: Annotated[str | Path, TARGET],
    directory: Annotated[str | Path | None, FROM] = None,
    *,
    trust: bool = False,
) -> ExperimentResult:
    """Return the stored results of an experiment; nothing need be stored there.

    Parameters
    ----------
    target : str or Path
        An experiment, sweep file or MODULE:NAME, as `run` took it, or a run directory.
    directory : str or Path
        The run directory (default: results/NAME).
    trust : bool
        Import code that the run directory or sweep file names, MODULE:NAME, and run it.

    Returns
    -------
    ExperimentResult
        Units, rows, claims, table and figure.

    Raises
    ------
    UntrustedCode
        Where code is needed that nobody trusts.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.load("be_considerate/table_1", "no_such_folder").rows()
    []
    """
    from caregrid.wrapping.gym_names import find_attribute_name
    from experiments.results import find_stored_results

    place = None if directory is None else str(directory)
    return ExperimentResult(find_stored_results(str(target), place, find_attribute_name, trust))


def load_rows(
    target: Annotated[str | Path, TARGET],
    directory: Annotated[str | Path | None, FROM] = None,
    *,
    trust: bool = False,
) -> ExperimentResult:
    """Return stored results as `load` does; without trusted code the rows alone, which need none.

    Parameters
    ----------
    target : str or Path
        An experiment, sweep file or MODULE:NAME, as `run` took it, or a run directory.
    directory : str or Path
        The run directory (default: results/NAME).
    trust : bool
        Import code that the run directory or sweep file names, MODULE:NAME, and run it.
    """
    from experiments.results import read_described_results

    try:
        return load(target, directory, trust=trust)
    except UntrustedCode:
        return ExperimentResult(read_described_results(Path(directory or target)))


def require_results(results: Any) -> ExperimentResult:
    """Stored results; BadValue for anything else."""
    if not isinstance(results, ExperimentResult):
        raise BadValue(f"results are {show_value(results)}", place="results", remedy="give what caregrid.load gave")
    return results


def make_target(experiment: Experiment) -> Target:
    """Return a target of an experiment that is an object; its own name, or one of what it reproduces."""
    from experiments.catalogue import CATALOGUE
    from experiments.runs.run_directory import RESULTS
    from experiments.targets import Target

    accepted = CATALOGUE.accept(experiment)
    name = accepted.name or f"own/{re.sub(r'[^a-z0-9]+', '_', accepted.reproduces.lower()).strip('_')}"
    return Target(dataclasses.replace(accepted, name=name), accepted.settings, None, Path(RESULTS) / name)


def choose_settings(
    target: Target, quick: bool, settings: Mapping[str, Any] | Sequence[str], seeds: Seeds | None
) -> SettingValues:
    """Return the settings to run: the whole grid or the quick one, changed as the user says."""
    from experiments.setting_grid import override_settings, parse_setting_values

    settings = read_set(settings, argument("set"))
    if quick and target.origin:
        raise BadValue("a sweep file has no quick subset", place=argument("quick"), remedy="leave one of them out")
    declared = target.experiment.settings
    start = target.experiment.quick_settings if quick else target.settings
    chosen = override_settings(
        declared,
        () if isinstance(settings, Mapping) else settings,
        read_seeds(seeds) if seeds is not None else None,
        start,
    )
    if not isinstance(settings, Mapping):
        return chosen
    given = {
        name: parse_setting_values(name, _list_values(values), declared, f"set, {name}")
        for name, values in settings.items()
    }
    return {**chosen, **given}


def _list_values(values: Any) -> list[Any]:
    """Return one value or several as a list of Python's own."""
    values = make_python_value(values)  # an array of no dimensions is one number
    several = isinstance(values, Iterable) and not isinstance(values, str)
    given = itertools.islice(values, LARGEST + 1) if several else [values]
    return [make_python_value(value) for value in given]


@dataclass(frozen=True, repr=False, eq=False)
class ResultsReport(Result):
    """Figures, tables, claims and the papers' numbers of every run. sections: one a run. files: what was written.

    expected: names of experiments that could have been run, for the summary.
    """

    sections: Sequence[Section]
    files: Sequence[Path] = ()
    expected: Sequence[str] = ()

    @property
    def title(self) -> str:
        """How many runs."""
        return f"{len(self.sections)} runs"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per claim: experiment, directory, what is claimed, the verdict."""
        return [
            {"experiment": section.name, "directory": str(section.directory), **claim._asdict()}
            for section in self.sections
            for claim in section.claims
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"files", "claims"}."""
        claims = {section.name: [claim._asdict() for claim in section.claims] for section in self.sections}
        return {"files": [str(path) for path in self.files], "claims": claims}

    def text(self) -> str:
        """Return what became of each run's claims, and what was written."""
        lines = [f"{section.label}: {section.problem or section.claims_summary}" for section in self.sections]
        lines += [f"{section.label}: {warning}" for section in self.sections for warning in section.warnings]
        lines = list(map(make_printable, lines))
        return "\n".join([*lines, *map(str, self.files)])

    @property
    def exit_code(self) -> int:
        """What `caregrid report` ends with: 1 where finished units of a run are lost, or other code has made some."""
        return int(any(section.warnings for section in self.sections))

    def writers(self) -> dict[str, Writer]:
        """As every result; .html is the whole report."""
        from experiments.report.pages import write_html_report

        def as_page(path: Path) -> None:
            write_atomically(path, write_html_report(self.sections, self.expected))

        return super().writers() | {"html": as_page}


@dataclass(frozen=True, repr=False, eq=False)
class ClaimCheck(Result):
    """What became of an experiment's claims. results: the stored rows that were judged."""

    results: ExperimentResult

    @property
    def title(self) -> str:
        """The experiment and what it reproduces."""
        return self.results.title

    @property
    def exit_code(self) -> int:
        """What `caregrid check` ends with: 0 where every claim holds, and all that was finished is there."""
        return 0 if self.results.check() and not self.results.warnings() else 1

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per claim: what it says, and its verdict."""
        return [claim._asdict() for claim in self.results.claims]

    def as_dict(self) -> dict[str, Any]:
        """As that of the results."""
        return self.results.as_dict()

    def text(self) -> str:
        """Return one line for each claim, and what a reader must know of the units."""
        return "\n".join([*self.results.claim_lines(), *self.results.warnings()])


@dataclass(frozen=True, repr=False, eq=False)
class CollectedRows(Result):
    """All rows of a run in one file. results: the rows. path: the file."""

    results: ExperimentResult
    path: Path

    @property
    def title(self) -> str:
        """How many rows, and where they were written."""
        stored = self.results.results
        return f"{stored.number_of_rows} rows of {stored.store.tally()}: {self.path}"

    @property
    def exit_code(self) -> int:
        """What `caregrid collect` ends with: 1 where finished units are lost, or other code has made some."""
        return int(bool(self.results.warnings()))

    def rows(self) -> list[dict[str, Any]]:
        """Return every row, its setting in front."""
        return self.results.rows()

    def as_dict(self) -> dict[str, Any]:
        """Return {"experiment", "file", "units", "rows", "problems"}."""
        stored = self.results.results
        problems = [*self.results.warnings(), *self.results.problems()]
        counts = {"units": len(stored.units), "rows": stored.number_of_rows, "problems": problems}
        return {"experiment": self.results.name, "file": str(self.path), **counts}

    def text(self) -> str:
        """Return how many rows, the file, and what was passed over."""
        passed_over = [f"passed over: {problem}" for problem in self.results.problems()]
        further = [warning for warning in self.results.warnings() if warning not in self.title]
        return "\n".join([self.title, *further, *passed_over])


@dataclass(frozen=True, repr=False, eq=False)
class CompactedRun(Result):
    """What became of the units of a run directory. compacted: how many there are, and in how many files."""

    directory: Path
    compacted: Compacted

    @property
    def title(self) -> str:
        """How many units in how many files."""
        done = self.compacted
        return f"{done.units} units in {done.now} files, {done.before} before: {self.directory}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: units, files before and now."""
        return [{"units": self.compacted.units, "before": self.compacted.before, "now": self.compacted.now}]

    def as_dict(self) -> dict[str, Any]:
        """Return {"directory", "units", "before", "now", "problems"}."""
        return {"directory": str(self.directory), **self.compacted._asdict()}

    def text(self) -> str:
        """Return how many units in how many files, and what was left alone."""
        return "\n".join([self.title, *(f"left alone: {problem}" for problem in self.compacted.problems)])


@dataclass(frozen=True, repr=False, eq=False)
class DrawnFigure(Result):
    """An experiment's figure in a file. results: what was drawn. path: the file."""

    as_wide_as_terminal: ClassVar[bool] = True

    results: ExperimentResult
    path: Path

    @property
    def title(self) -> str:
        """The experiment and what it reproduces."""
        return self.results.title

    def rows(self) -> list[dict[str, Any]]:
        """Return the experiment's own table."""
        return self.results.table()

    def figure(self) -> Figure:
        """Return the experiment's figure."""
        return self.results.figure()

    def as_dict(self) -> dict[str, Any]:
        """Return {"experiment", "figure", "table"}."""
        return {"experiment": self.results.name, "figure": str(self.path), "table": self.rows()}

    def text(self) -> str:
        """Return the table, the file, and what a reader must know of the units."""
        from experiments.rows import format_table

        return "\n".join([*format_table(self.rows()), str(self.path), *self.results.warnings()])

    @property
    def exit_code(self) -> int:
        """What `caregrid draw` ends with: 1 where finished units are lost, or other code has made some."""
        return int(bool(self.results.warnings()))


@dataclass(frozen=True, repr=False, eq=False)
class RunPlan(Result):
    """What an engine would start. plan: as text; of SLURM the script of a job."""

    schema: ClassVar[str] = "run_plan"
    as_wide_as_terminal: ClassVar[bool] = True

    plan: str

    @property
    def title(self) -> str:
        """What it is."""
        return "what would be started"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per line."""
        return [{"line": line} for line in self.plan.splitlines()]

    def as_dict(self) -> dict[str, Any]:
        """Return {"plan"}."""
        return {"plan": self.plan}

    def text(self) -> str:
        """Return the plan, to the letter."""
        return self.plan.removesuffix("\n")


def plan_run(**options: Unpack[RunOptions]) -> RunPlan:
    """Only print what the engine would start: with --slurm the script of a job."""
    return RunPlan(Execution(**options).plan())
