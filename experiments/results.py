"""What a run directory says: its rows, whether each claim holds, how far each published number is from ours.

Where the whole grid is complete its rows count. Otherwise claims are judged on the quick subset where that is
complete, and figures, tables and published numbers use all rows, whatever part of the grid they cover. A claim is
judged only where the rows that it needs are stored: a claim over nothing would hold of itself.

`Results` writes, checks and draws what is stored; `format_results` gives it as lines of text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import BadFile, BadValue, MissingExtra, argument
from engine.files import all_or_none, read_bytes, write_atomically
from engine.plain_values import make_json_value
from engine.user_code import user_code
from experiments.experiment import Claim, Experiment, NotEnoughRows, Published, ResultRow, Rows
from experiments.figures import PICTURES
from experiments.figures.style import PAPER, figure_style, require_matplotlib, save_figure
from experiments.rows import format_cell, format_table
from experiments.runs.run_directory import RunDirectory, describe_experiment, read_manifest
from experiments.stored_rows import StoredRows, StoredUnits, find_stored_units, read_rows, write_rows

if TYPE_CHECKING:
    from experiments.statistics import StatisticsTable

HOLDS, FAILS, NOT_ENOUGH = "holds", "fails", "not enough rows"
SUMMARY = "summary.json"
LONGEST_SUMMARY = 64 << 20


class ClaimResult(NamedTuple):
    """A claim and its verdict: "holds", "fails" or "not enough rows"."""

    says: str
    verdict: str


class Comparison(NamedTuple):
    """A published number beside ours; None where rows are missing."""

    what: str
    published: float
    ours: float | None

    @property
    def difference(self) -> float | None:
        """Ours minus the published one."""
        return None if self.ours is None else self.ours - self.published


def tabulate_comparisons(comparisons: Iterable[Comparison]) -> Rows:
    """Published numbers beside ours, as rows of a table."""
    return [
        {
            "number": number.what,
            "published": number.published,
            "ours": number.ours,
            "difference": number.difference,
        }
        for number in comparisons
    ]


def select_judged_units(experiment: Experiment, units: StoredUnits) -> tuple[str, StoredUnits]:
    """Return the units that claims are judged on, and which they are: "whole", "quick" or "partial"."""
    for which, settings in (("whole", experiment.settings), ("quick", experiment.quick_settings)):
        if units.covers(settings):
            return which, units.within(settings)
    return "partial", units


def select_shown_units(experiment: Experiment, units: StoredUnits) -> tuple[str, StoredUnits]:
    """Return the units of figures, tables and published numbers, and which they are: "whole", "quick" or "partial".

    Beside others a unit is left out that only the quick subset has, such as a shorter run.
    """
    if units.covers(experiment.settings):
        return "whole", units.within(experiment.settings)
    quick = units.within(experiment.quick_settings)
    if len(quick) == len(units):
        return "quick" if units.covers(experiment.quick_settings) else "partial", units
    return "partial", units.without(quick.without(quick.within(experiment.settings)))


def check_claims(experiment: Experiment, units: StoredUnits) -> list[ClaimResult]:
    """Return every claim judged on the rows that count."""
    if not experiment.claims:
        return []
    which, counted = select_judged_units(experiment, units)
    rows = read_rows(counted, experiment)
    return [ClaimResult(claim.says, _judge(claim, rows, which, counted)) for claim in experiment.claims]


def _judge(claim: Claim, rows: Rows, which: str, units: StoredUnits) -> str:
    enough = which != "partial" if claim.needs is None else units.covers(claim.needs)
    if not enough or not rows:
        return NOT_ENOUGH
    holds = _ask(claim.holds, rows, f"claim '{claim.says}'", None)
    return NOT_ENOUGH if holds is None else HOLDS if holds else FAILS


def _ask(function: Callable[[Rows], Any], rows: Rows, place: str, otherwise: Any) -> Any:
    """Return what a function of an experiment says of rows, or `otherwise` where it needs others.

    ContractBroken, with the place, for whatever else it raises.
    """
    with user_code(place):
        try:
            return function(rows)
        except NotEnoughRows:
            return otherwise


def compare_published(experiment: Experiment, units: StoredUnits) -> list[Comparison]:
    """Return every published number beside ours."""
    if not experiment.published:
        return []
    rows = read_rows(select_shown_units(experiment, units)[1], experiment)
    return [compare_number(number, rows) for number in experiment.published]


def compare_number(published: Published, rows: Rows) -> Comparison:
    """Return a paper's number beside ours; None where rows are missing, or what they hold is no number."""
    place = f"published number '{published.what}'"
    ours = _ask(lambda found: float(published.ours(found)), rows, place, math.nan) if rows else math.nan
    return Comparison(published.what, published.number, None if math.isnan(ours) else ours)


def write_summary(directory: Path, summary: Mapping[str, Any]) -> None:
    """Keep what a run has judged of its own rows beside them."""
    write_atomically(directory / SUMMARY, json.dumps(summary, indent=1) + "\n")


def read_summary(directory: Path) -> dict[str, Any]:
    """Return what the last run judged of its rows; {} where nothing readable is kept."""
    try:
        summary = json.loads(read_bytes(directory / SUMMARY, LONGEST_SUMMARY))
    except (OSError, ValueError, RecursionError):
        return {}
    return summary if isinstance(summary, dict) else {}


MOST_REWRITES = 10  # whoever goes on storing will write in the end


class Results:
    """The stored units of one run, and everything that follows from them.

    Parameters
    ----------
    store : RunDirectory
        The directory of the run.

    Attributes
    ----------
    units : StoredUnits
        Finished units, in order.
    claims : list of ClaimResult
        Each claim with its verdict.
    comparisons : list of Comparison
        Each published number beside ours.
    statistics : list of StatisticsTable
        Statistics over seeds and environments, where the experiment declares them.
    """

    def __init__(self, store: RunDirectory) -> None:
        self.store = store
        self.experiment = store.experiment

    @cached_property
    def units(self) -> StoredUnits:
        """Finished units, in order."""
        return find_stored_units(self.store)

    @cached_property
    def claims(self) -> list[ClaimResult]:
        """Each claim with its verdict."""
        return check_claims(self.experiment, self.units)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each published number beside ours."""
        return compare_published(self.experiment, self.units)

    @property
    def fails(self) -> bool:
        """Whether a claim fails."""
        return any(claim.verdict == FAILS for claim in self.claims)

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(claim.verdict == HOLDS for claim in self.claims)

    @property
    def extent(self) -> str:
        """Which units figures and tables show: the "whole" grid, the "quick" subset, or another "partial" one."""
        return select_shown_units(self.experiment, self.units)[0]

    def require_units(self) -> Results:
        """Return these results; BadFile where nothing is stored."""
        if not self.units:
            name = self.experiment.name
            problem = self.store.tally().warning or "nothing is stored there"
            raise BadFile(problem, place=str(self.store.path), remedy=f"first caregrid run {name}")
        return self

    @cached_property
    def number_of_rows(self) -> int:
        """How many rows are stored."""
        return sum(len(unit.rows) for unit in self.units)

    def keep_in_memory(self) -> None:
        """Read all units now, for the directory may be gone soon."""
        self.__dict__["units"] = self.units.in_memory()

    def all_rows(self) -> Rows:
        """Return every stored row, all in memory."""
        return list(self.each_row())

    def each_row(self) -> StoredRows:
        """Return every stored row, read one by one."""
        return StoredRows(self.units, self.experiment)

    def rows(self) -> Rows:
        """Return the rows of figures and tables: those of the whole grid if it is complete, else all stored rows.

        Returns
        -------
        list of dict
            A dict per row: setting and result columns, str, int, float, bool or None.
        """
        return read_rows(select_shown_units(self.experiment, self.units)[1], self.experiment)

    def table(self) -> Rows:
        """Return the experiment's table; [] where it has none or rows are missing."""
        if self.experiment.table is None or not self.units:
            return []
        table: Rows = _ask(self.experiment.table, self.rows(), f"{self.experiment.name}, table", [])
        return table

    @cached_property
    def statistics(self) -> list[StatisticsTable]:
        """Statistics over seeds and environments, and learned seeds that fail, where they are declared."""
        if not (self.experiment.scores or self.experiment.learned):
            return []
        from experiments.statistics import make_statistics_tables

        return make_statistics_tables(self.experiment, self.rows())

    def figure(self, style: str = PAPER) -> Any:
        """Draw the experiment's figure.

        Parameters
        ----------
        style : str
            One of `experiments.figures.style.STYLES`.

        Returns
        -------
        matplotlib.figure.Figure or None
            None where the experiment has no figure or rows are missing.

        Raises
        ------
        MissingExtra
            Where matplotlib is not installed.
        """
        if self.experiment.figure is None or not self.units:
            return None
        with user_code(f"{self.experiment.name}, figure"):
            try:
                with figure_style(style):
                    return self.experiment.figure(self.rows())
            except NotEnoughRows:
                return None
            except MissingExtra:
                raise
            except ImportError as error:
                raise MissingExtra("figures need matplotlib", remedy="pip install 'caregrid[plot]'") from error

    def require_figure(self, style: str = PAPER) -> Any:
        """Draw the experiment's figure; BadValue, with the reason, where there is none."""
        figure = self.figure(style)
        if figure is not None:
            return figure
        name = self.experiment.name
        if self.experiment.figure is None:
            why = self.experiment.no_figure or "it declares none"
            raise BadValue(f"no figure: {why}", place=name, remedy=f"caregrid collect {name} writes its rows")
        remedy = f"caregrid run {name} --quick makes the fewest that do"
        raise BadValue(f"too few rows for a figure: {len(self.units)} units", place=name, remedy=remedy)

    def draw(self, path: Path, style: str = PAPER) -> str:
        """Write the figure and return its path; BadValue without a figure, or for an unknown kind of picture."""
        if path.suffix.removeprefix(".") not in PICTURES:
            endings = " or ".join(f".{kind}" for kind in PICTURES)
            remedy = f"end it in {endings}"
            raise BadValue(f"'{path.name}' is not a picture", place=argument("path", option="--out"), remedy=remedy)
        save_figure(self.require_figure(style), path)
        return str(path)

    def write(self, directory: Path) -> list[str]:
        """Write rows.csv and, where it can be drawn, figure.png; return the names of the files.

        Of several sessions that end together, whoever finds more units stored than it has just written writes once
        more, so that the last files hold the units of all sessions.
        """
        results = self
        for _ in range(MOST_REWRITES):
            written = results._write(directory)
            self.store.index.refresh(everything=True)
            if len(self.store.index) <= len(results.units):
                break
            results = Results(self.store)
        return written

    def _write(self, directory: Path) -> list[str]:
        kept = {"units": len(self.units), "repeatable": self.experiment.repeatable, **self.summary(), "directory": None}
        try:
            figure = self.figure()
        except MissingExtra:
            figure = None
        with all_or_none():
            write_rows(directory / "rows.csv", self.each_row())
            write_summary(directory, kept)
            if figure is not None:
                save_figure(figure, directory / "figure.png")
        return [str(directory / name) for name in ("rows.csv", *(["figure.png"] if figure is not None else []))]

    def summary(self) -> dict[str, Any]:
        """Return claims, published numbers, table and statistics as plain data, the JSON form."""
        return {
            "experiment": self.experiment.name,
            "reproduces": self.experiment.reproduces,
            "directory": str(self.store.path),
            "extent": self.extent,
            "claims": [claim._asdict() for claim in self.claims],
            "published": [{**number._asdict(), "difference": number.difference} for number in self.comparisons],
            "table": make_json_value(self.table()),
            "statistics": [{"title": table.title, "rows": make_json_value(table.rows)} for table in self.statistics],
        }


def read_described_results(directory: Path) -> Results:
    """Return the rows of a run directory, whose code is not imported: they can be collected, not judged or drawn."""
    manifest = read_manifest(directory)
    seed = manifest.get("seed", 0)
    return Results(RunDirectory(directory, describe_experiment(manifest), seed if isinstance(seed, int) else 0))


def find_stored_results(
    target: str, directory: str | None, scenario_name: Callable[[str], str] = str, trust: bool = False
) -> Results:
    """Return the results that a command names, none where nothing has been run; scenario_name: as in `resolve_target`.

    trust: import code of its own that a run directory names; UntrustedCode where that would be needed.
    """
    from experiments.targets import find_stored_target

    named, place, seed = find_stored_target(target, directory, scenario_name, trust)
    return Results(RunDirectory(place, named.experiment, seed))


def format_results(results: Results, files: Sequence[str]) -> list[str]:
    """Table, published numbers, seeds that fail, claims and files of a run."""
    head = f"{results.experiment.name}: {results.experiment.reproduces}"
    compared = tabulate_comparisons(results.comparisons)
    lines = [head, *format_table(results.table()), *format_table(compared)]
    return [
        *lines,
        *format_failing_seeds(results.statistics),
        *format_claims(results),
        *files,
        *(_explain_missing_figure(results) if files else []),
    ]


def _explain_missing_figure(results: Results) -> list[str]:
    """Return what is missing for the figure that the experiment declares."""
    if results.experiment.figure is not None:
        try:
            require_matplotlib()
        except MissingExtra as error:
            return [str(error)]
    return []


def format_failing_seeds(tables: Sequence[StatisticsTable]) -> list[str]:
    """Return one line for each group of learned runs: how many seeds fail what is tested of them."""
    if not tables:
        return []
    from experiments.statistics import MISSED_COLUMNS

    return [
        f"{_name_group(row, MISSED_COLUMNS)}: {row['missed']} of {row['seeds']} seeds {table.failing} "
        f"(95 % interval of the share: {row['share_low']:.2f} to {row['share_high']:.2f})"
        for table in tables
        if table.failing
        for row in table.rows
    ]


def _name_group(row: ResultRow, counted: Collection[str]) -> str:
    return ", ".join(format_cell(value) for name, value in row.items() if name not in counted)


def format_claims(results: Results) -> list[str]:
    """Return one line for each claim."""
    return [f"{claim.verdict}: {claim.says}" for claim in results.claims]
