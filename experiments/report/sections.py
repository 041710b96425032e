"""What a report says of each run, read from the run directories below a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile, MissingExtra
from experiments.claims import FAILS, HOLDS, ClaimResult, Comparison
from experiments.experiment import Rows
from experiments.figures.style import picture
from experiments.results import Results
from experiments.runs.storage.manifest import run_directories
from experiments.statistics.tables import StatisticsTable

ROWS_SHOWN = 1000


class Section(NamedTuple):
    """One run.

    extent: which units are shown ("whole", "quick" or "partial"). image: a PNG. sessions: how it came about.
    problem: why there is nothing to show, else "". label: the name, with the directory where several runs have it.
    repeatable: whether another machine finds the same numbers; measured seconds are not. note: how the verdicts came
    about, where there is something to say.
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
        """Of less than the whole grid " (quick)" or " (partial)", to be written behind what is said of it."""
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
    """A section for every run below a folder, sorted by name; BadFile where there is none."""
    runs = run_directories(folder)
    if not runs:
        raise BadFile("no run below it", place=str(folder), remedy="run an experiment first: caregrid run NAME")
    read = sorted((read_section(run) for run in runs), key=lambda section: (section.name, str(section.directory)))
    return labelled(read, folder)


def labelled(sections: Sequence[Section], folder: Path) -> list[Section]:
    """The sections with labels that no two share: the name, and the directory where another has the same name."""
    names = Counter(section.name for section in sections)
    several: list[Section] = []
    for section in sections:
        label = section.name
        if names[label] > 1:
            label = f"{label} in {_relative(section.directory, folder)}"
        twin = sum(other.anchor == section._replace(label=label).anchor for other in several)
        several.append(section._replace(label=f"{label} ({twin + 1})" if twin else label))
    return several


def _relative(directory: Path, folder: Path) -> str:
    return str(directory.relative_to(folder)) if directory.is_relative_to(folder) else str(directory)


def section_of(results: Results) -> Section:
    """The section of results that have been read."""
    return Section(
        results.experiment.name,
        results.experiment.reproduces,
        results.store.path,
        results.extent,
        len(results.units),
        tuple(results.claims),
        tuple(results.comparisons),
        tuple(_rows(results.table())),
        tuple(results.statistics),
        _image(results),
        tuple(results.store.sessions()),
        label=results.experiment.name,
        repeatable=results.experiment.repeatable,
    )


def _image(results: Results) -> bytes | None:
    """The figure, where there is one and it can be drawn here."""
    try:
        figure = results.figure()
    except MissingExtra:
        return None
    return None if figure is None else picture(figure, "png")


def _rows(rows: Rows) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]
