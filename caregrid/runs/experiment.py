"""`caregrid.run`, `load` and `report`: experiments run, checked, drawn and collected, and all results as one page.

A target is an experiment, a file of one, or a name of what it reproduces. `load` reads the stored rows of a run
directory; `report` reads every run below a folder and writes figures, tables, claims and the papers' numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from caregrid.input_checks import Seeds, check_arguments, read_seeds, to_list
from caregrid.results.result import Result, Writer
from caregrid.runs.execution import Execution, Place, RunNotFinished, RunOptions, run_directory
from engine.errors import BadValue, argument
from engine.printable import make_printable, show_value
from engine.value_types import Seed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.experiment import Experiment, SettingValues
    from experiments.report.sections import Section
    from experiments.results import ClaimResult, Comparison, Results
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
        """Whether every claim holds."""
        return self.results.holds

    def rows(self) -> list[dict[str, Any]]:
        """Every row, its setting in front."""
        return [dict(row) for row in self.results.all_rows()]

    def table(self) -> list[dict[str, Any]]:
        """The experiment's own table; empty where it has none or rows are missing."""
        return [dict(row) for row in self.results.table()]

    def figure(self, style: str = "paper") -> Figure:
        """The experiment's figure, for "paper" or "slides"; BadValue, with the reason, where there is none."""
        figure: Figure = self.results.require_figure(style)
        return figure

    @check_arguments
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
        """What lies among the units and was passed over, damaged or foreign; a run makes damaged units anew."""
        return self.results.store.problems()

    def report(self, out: str | Path) -> Path:
        """Write this run as one self-contained HTML page; returns its path."""
        from engine.files import write_atomically
        from experiments.report.pages import write_html_report
        from experiments.report.sections import make_section

        target = Path(out)
        write_atomically(target, write_html_report([make_section(self.results)]))
        return target

    def as_dict(self) -> dict[str, Any]:
        """What the run did, claims, published numbers, table, files."""
        ran = self.summary.as_dict() if self.summary else {}
        files = {"files": list(self.files)} if self.summary else {}
        return {**ran, **self.results.summary(), **files}

    def text(self) -> str:
        """Table, published numbers, claims, files, and what the run did."""
        from experiments.report.text import format_results

        lines = format_results(self.results, self.files)
        return "\n".join([*lines, self.summary.sentence()] if self.summary and self.stored else lines)

    def claim_lines(self) -> list[str]:
        """One line for each claim."""
        from experiments.report.text import format_claims

        return format_claims(self.results)

    def _repr_html_(self) -> str:
        """The figure, the experiment's table (its rows where it has none), and the claims."""
        from html import escape

        from caregrid.results.summary_page import summary_html

        shown = summary_html(self.title, self._repr_png_(), self.table() or self.rows())
        claims = escape("\n".join(self.claim_lines()))
        return f"{shown}\n<pre>{claims}</pre>"


@check_arguments
def run(
    target: str | Experiment,
    *,
    quick: bool = False,
    settings: Mapping[str, Any] | Sequence[str] = (),
    seeds: Seeds | None = None,
    seed: Seed = 0,
    out: Place = None,
    trust: bool = False,
    **options: Unpack[RunOptions],
) -> ExperimentResult:
    """Run an experiment, then collect, check and draw it.

    target: a name, a sweep file (.toml), `module:attribute`, or an `Experiment`. quick: the small subset that it
    declares. settings: values by setting, {"care": [0, 1, 5]}, or texts "care=0:7:0.01". seeds: of the setting `seed`.
    seed: what all random keys derive from. out: the run directory, which goes on where it stopped; True for that of the
    command; None keeps nothing but what is returned. trust: import code that a sweep file names. options: see
    `RunOptions`.
    Raises RunNotFinished where it was stopped before anything could be said; units that fail are in `summary`.
    """
    from caregrid.wrapping.gym_names import find_attribute_name
    from experiments.results import Results
    from experiments.runs.run_directory import RunDirectory
    from experiments.targets import resolve_target

    aimed = resolve_target(target, find_attribute_name, trust) if isinstance(target, str) else _make_target(target)
    chosen = _choose_settings(aimed, quick, settings, seeds)
    with run_directory(out, lambda: aimed.directory_of(seed)) as directory:
        execution = Execution(**options)
        summary = execution.run(aimed.experiment, directory, chosen, seed=seed, origin=aimed.origin)
        results = Results(RunDirectory(summary.directory, aimed.experiment, seed))
        if summary.stopped or (summary.failures and out is None):
            raise RunNotFinished(summary, results.all_rows())
        if out is None:
            results.keep_in_memory()
        files = results.write(summary.directory) if out is not None else []
        return ExperimentResult(results, summary, files, out is not None)


@check_arguments
def load(target: str | Path, directory: str | Path | None = None, *, trust: bool = False) -> ExperimentResult:
    """The stored results of a run directory, or of what `run` took, where it was run before.

    directory: where they are, if not where the command writes them. Nothing need be stored there. trust: import code
    that the run directory or sweep file names, `module:attribute`; BadFile where it is needed and nobody says so.
    """
    from caregrid.wrapping.gym_names import find_attribute_name
    from experiments.results import find_stored_results

    place = None if directory is None else str(directory)
    return ExperimentResult(find_stored_results(str(target), place, find_attribute_name, trust))


def _make_target(experiment: Experiment) -> Target:
    """A target of an experiment that is an object; its own name, or one of what it reproduces."""
    import dataclasses
    import re

    from experiments.catalogue import CATALOGUE
    from experiments.targets import RESULTS, Target

    accepted = CATALOGUE.accept(experiment)
    name = accepted.name or f"own/{re.sub(r'[^a-z0-9]+', '_', accepted.reproduces.lower()).strip('_')}"
    return Target(dataclasses.replace(accepted, name=name), accepted.settings, None, Path(RESULTS) / name)


def _choose_settings(
    target: Target, quick: bool, settings: Mapping[str, Any] | Sequence[str], seeds: Seeds | None
) -> SettingValues:
    """The settings to run: the whole grid or the quick one, changed as the user says."""
    from experiments.setting_grid import override_settings, parse_setting_values

    remedy = "give a dictionary, or texts NAME=VALUE"
    texts = [] if isinstance(settings, str) else to_list(settings, "settings", "run", remedy)
    if isinstance(settings, str) or not all(isinstance(each, str) for each in texts):
        raise BadValue(f"settings are {show_value(settings)}", place="run", remedy=remedy)
    if quick and target.origin:
        raise BadValue("a sweep file has no quick subset", place=argument("quick"), remedy="leave one of them out")
    declared = target.experiment.settings
    start = target.experiment.quick_settings if quick else target.settings
    chosen = override_settings(
        declared,
        () if isinstance(settings, Mapping) else texts,
        read_seeds(seeds) if seeds is not None else None,
        start,
    )
    if not isinstance(settings, Mapping):
        return chosen
    given = {
        name: parse_setting_values(name, _list_values(values), declared, f"settings, {name}")
        for name, values in settings.items()
    }
    return {**chosen, **given}


def _list_values(values: Any) -> list[Any]:
    """One value or several as a list of Python's own."""
    from engine.plain_values import make_python_value
    from experiments.ranges import LARGEST

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
        """A row a claim: experiment, directory, what is claimed, the verdict."""
        return [
            {"experiment": section.name, "directory": str(section.directory), **claim._asdict()}
            for section in self.sections
            for claim in section.claims
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"files", "claims"}."""
        claims = {section.name: [claim._asdict() for claim in section.claims] for section in self.sections}
        return {"files": [str(path) for path in self.files], "claims": claims}

    def text(self) -> str:
        """What became of each run's claims, and what was written."""
        lines = [f"{section.label}: {section.problem or section.claims_summary}" for section in self.sections]
        lines = list(map(make_printable, lines))
        return "\n".join([*lines, *map(str, self.files)])

    def writers(self) -> dict[str, Writer]:
        """As every result; .html is the whole report."""
        from engine.files import write_atomically
        from experiments.report.pages import write_html_report

        def as_page(path: Path) -> None:
            write_atomically(path, write_html_report(self.sections, self.expected))

        return super().writers() | {"html": as_page}


@check_arguments
def report(directory: str | Path = "results", *, out: str | Path | None = None, trust: bool = False) -> ResultsReport:
    """Read every run below a directory.

    out: a folder for report.html, report.md and its figures; None writes nothing. trust: import code that the runs
    themselves name, `module:attribute`, and judge their rows anew; without it, such runs are reported as they judged
    themselves. BadFile where there is no run.
    """
    from experiments.catalogue import CATALOGUE
    from experiments.report.pages import write_report
    from experiments.report.sections import read_section, read_sections, read_trusted_section

    sections = read_sections(Path(directory), read_trusted_section if trust else read_section)
    names = CATALOGUE.names()
    return ResultsReport(sections, [] if out is None else write_report(sections, Path(out), names), names)
