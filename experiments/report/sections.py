"""What a report says of each run, read from the run directories below a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile, CaregridError, MissingExtra
from experiments.claims import FAILS, HOLDS, ClaimResult, Comparison
from experiments.experiment import Rows
from experiments.figures.style import picture
from experiments.results import Results
from experiments.runs.run_directory import RunDirectory
from experiments.runs.storage.manifest import read_manifest, run_directories
from experiments.statistics.tables import StatisticsTable
from experiments.targets import target_of_directory


class Section(NamedTuple):
    """One run.

    extent: which grid is complete ("whole", "quick" or "partial"). image: a PNG. sessions: how it came about.
    problem: why there is nothing to show, else "".
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

    @property
    def claims_summary(self) -> str:
        """How many claims hold, in words."""
        held, failed = (sum(claim.verdict == which for claim in self.claims) for which in (HOLDS, FAILS))
        undecided = len(self.claims) - held - failed
        parts = [(held, "hold"), (failed, "fail"), (undecided, "undecided")]
        return ", ".join(f"{count} {word}" for count, word in parts if count) or "none stated"


def read_sections(folder: Path) -> list[Section]:
    """A section for every run below a folder, sorted by name; BadFile where there is none."""
    runs = run_directories(folder)
    if not runs:
        raise BadFile("no run below it", place=str(folder), remedy="run an experiment first: caregrid run NAME")
    return sorted((read_section(run) for run in runs), key=lambda section: (section.name, str(section.directory)))


def read_section(directory: Path) -> Section:
    """What one run directory holds; a run that cannot be read is reported as such and spoils nothing."""
    name, title = directory.name, ""
    try:
        manifest = read_manifest(directory)
        name, title = str(manifest.get("experiment", name)), str(manifest.get("reproduces", ""))
        seed = manifest.get("seed", 0)
        experiment = target_of_directory(directory).experiment
        return section_of(Results(RunDirectory(directory, experiment, seed if isinstance(seed, int) else 0)))
    except CaregridError as error:
        return Section(name, title, directory, problem=str(error))


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
