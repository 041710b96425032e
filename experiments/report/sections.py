"""What a report says of each run: a section each, read from the run directories below a folder.

A run is read by its experiment. Where nobody has said to import the code that its manifest names, its rows are
counted and its own run's verdicts repeated, and nothing of it is imported or run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile, CaregridError, MissingExtra
from engine.files import read_bytes
from engine.user_code import UntrustedCode, describe_exception
from experiments.experiment import Rows
from experiments.figures.style import render_figure
from experiments.results import FAILS, HOLDS, NOT_ENOUGH, ClaimResult, Comparison, Results, read_summary
from experiments.runs.run_directory import (
    RunDirectory,
    describe_experiment,
    find_run_directories,
    read_manifest,
)
from experiments.statistics import StatisticsTable
from experiments.targets import read_target

ROWS_SHOWN = 1000


class Section(NamedTuple):
    """One run.

    extent: which units are shown ("whole", "quick" or "partial"). image: a PNG. sessions: how it came about.
    problem: why there is nothing to show, else "". label: the name, with the directory where several runs have it.
    repeatable: whether another machine finds the same numbers; measured seconds are not. note: how the verdicts came
    about, where there is something to say. warnings: units that are lost, or were made by other code.
    """

    name: str
    title: str
    directory: Path
    extent: str = "partial"
    units: int = 0
    claims: tuple[ClaimResult, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    table: tuple[dict[str, Any], ...] = ()
    statistics: tuple[StatisticsTable, ...] = ()
    image: bytes | None = None
    sessions: tuple[dict[str, Any], ...] = ()
    problem: str = ""
    label: str = ""
    repeatable: bool = True
    note: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def first_rows(self) -> tuple[dict[str, Any], ...]:
        """The rows of the table that a report shows."""
        return self.table[:ROWS_SHOWN]

    @property
    def further_rows(self) -> str:
        """How many rows of the table a report leaves out, in words; "" where it shows all."""
        left = len(self.table) - ROWS_SHOWN
        return f"and {left:,} more rows; every row that was stored is in" if left > 0 else ""

    @property
    def rows_file(self) -> Path:
        """Where all rows are."""
        return self.directory.resolve() / "rows.csv"

    @property
    def claims_summary(self) -> str:
        """How many claims hold, in words; of less than the whole grid, it says so."""
        held, failed = (sum(claim.verdict == which for claim in self.claims) for which in (HOLDS, FAILS))
        undecided = len(self.claims) - held - failed
        parts = [(held, "hold"), (failed, "fail"), (undecided, "undecided")]
        if not self.claims:
            return "none stated"
        words = ", ".join(f"{count} {word}" for count, word in parts if count)
        return f"{words}{self.extent_note}"

    @property
    def extent_note(self) -> str:
        """ " (quick)" or " (partial)" for less than the whole grid, to be written behind a number; else ""."""
        return "" if self.extent == "whole" else f" ({self.extent})"

    @property
    def extent_summary(self) -> str:
        """Which grid is complete, how many units are there, and how many failed in the last session."""
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"{self.extent}, {self.units} unit{'' if self.units == 1 else 's'}{failed}"

    @property
    def failed(self) -> list[Any]:
        """The units that failed in the last session."""
        failed = self.sessions[-1].get("failed") if self.sessions else None
        return failed if isinstance(failed, list) else []

    @property
    def anchor(self) -> str:
        """The label as the name of a place in a page, and of a file."""
        return re.sub(r"[^A-Za-z0-9_.]+", "-", self.label or self.name)


def read_sections(folder: Path, read_section: Callable[[Path], Section]) -> list[Section]:
    """Return a section for every run below a folder, sorted by name; BadFile where there is none."""
    runs = find_run_directories(folder)
    if not runs:
        raise BadFile("no run below it", place=str(folder), remedy="run an experiment first: caregrid run NAME")
    read = sorted((read_section(run) for run in runs), key=lambda section: (section.name, str(section.directory)))
    return label_sections(read, folder)


def label_sections(sections: Sequence[Section], folder: Path) -> list[Section]:
    """The sections with labels that no two share: the name, and the directory where another has the same name."""
    names = Counter(section.name for section in sections)
    several: list[Section] = []
    for section in sections:
        label = section.name
        if names[label] > 1:
            label = f"{label} in {_make_relative(section.directory, folder)}"
        twin = sum(other.anchor == section._replace(label=label).anchor for other in several)
        several.append(section._replace(label=f"{label} ({twin + 1})" if twin else label))
    return several


def _make_relative(directory: Path, folder: Path) -> str:
    return str(directory.relative_to(folder)) if directory.is_relative_to(folder) else str(directory)


def make_section(results: Results) -> Section:
    """Return the section of results that have been read."""
    return Section(
        results.experiment.name,
        results.experiment.reproduces,
        results.store.path,
        results.extent,
        len(results.units),
        tuple(results.claims),
        tuple(results.comparisons),
        tuple(_read_shown_rows(results.table())),
        tuple(results.statistics),
        _draw_image(results),
        tuple(results.store.sessions()),
        label=results.experiment.name,
        repeatable=results.experiment.repeatable,
        warnings=tuple(results.store.warnings()),
    )


def _draw_image(results: Results) -> bytes | None:
    """Return the figure, where there is one and it can be drawn here."""
    try:
        figure = results.figure()
    except MissingExtra:
        return None
    return None if figure is None else render_figure(figure, "png")


def _read_shown_rows(rows: Rows) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


HOW = "as the run itself judged it; --trust imports its code and judges anew"
STALE = "rows were stored since it was judged; --trust imports its code and judges anew"
LARGEST_PICTURE = 4 << 20
PNG = b"\x89PNG\r\n\x1a\n"


def read_untrusted_section(directory: Path, manifest: Mapping[str, Any]) -> Section:
    """Return what is stored, nothing of it imported or run; BadFile where it cannot be read."""
    seed = manifest.get("seed", 0)
    experiment = describe_experiment(manifest)
    store = RunDirectory(directory, experiment, seed if isinstance(seed, int) else 0)
    units = len(store.index)
    summary = read_summary(directory)
    section = Section(
        experiment.name, experiment.reproduces, directory, units=units, sessions=tuple(store.sessions()), note=STALE
    )._replace(warnings=tuple(store.warnings()))
    if summary.get("units") != units:
        return section
    return section._replace(
        note=HOW,
        extent=str(summary.get("extent", "partial")),
        claims=tuple(_read_claims(summary.get("claims"))),
        comparisons=tuple(_read_comparisons(summary.get("published"))),
        table=tuple(row for row in _read_list(summary.get("table")) if isinstance(row, dict)),
        image=_read_picture(directory / "figure.png"),
        repeatable=summary.get("repeatable") is not False,
    )


def _read_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read_claims(stored: Any) -> list[ClaimResult]:
    pairs = [(one.get("says"), one.get("verdict")) for one in _read_list(stored) if isinstance(one, dict)]
    return [ClaimResult(str(says), verdict) for says, verdict in pairs if verdict in (HOLDS, FAILS, NOT_ENOUGH)]


def _read_comparisons(stored: Any) -> list[Comparison]:
    found = []
    for one in (entry for entry in _read_list(stored) if isinstance(entry, dict)):
        published, ours = one.get("published"), one.get("ours")
        if isinstance(published, int | float) and isinstance(ours, int | float | None):
            found.append(Comparison(str(one.get("what")), published, ours))
    return found


def _read_picture(path: Path) -> bytes | None:
    try:
        content = read_bytes(path, LARGEST_PICTURE)
    except BadFile:
        return None
    return content if content.startswith(PNG) else None


def read_section(directory: Path) -> Section:
    """Return what one run directory holds, read without importing code that its manifest names."""
    return _read_safely(directory, trust=False)


def read_trusted_section(directory: Path) -> Section:
    """Return what one run directory holds, judged anew by the code that its manifest names."""
    return _read_safely(directory, trust=True)


def _read_safely(directory: Path, trust: bool) -> Section:
    """Return a section; a run that cannot be read, or whose code fails, is reported as such and spoils nothing."""
    name = directory.name
    title = ""
    try:
        manifest = read_manifest(directory)
        name = str(manifest.get("experiment", name))
        title = str(manifest.get("reproduces", ""))
        seed = manifest.get("seed", 0)
        try:
            experiment = read_target(directory, trust).experiment
        except UntrustedCode:
            return read_untrusted_section(directory, manifest)
        return make_section(Results(RunDirectory(directory, experiment, seed if isinstance(seed, int) else 0)))
    except CaregridError as error:
        return Section(name, title, directory, problem=str(error))
    except Exception as error:  # a claim, a table or a figure that cannot cope with what is stored
        return Section(name, title, directory, problem=f"its results cannot be shown: {describe_exception(error)}")
