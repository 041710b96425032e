"""Operations on experiments: run them, check, collect and draw what they stored, report all results, and benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, OPTIONS, SEEDS
from caregrid.input_checks import Seeds
from caregrid.runs.execution import Execution, Place, RunNotFinished, RunOptions, run_directory
from engine.bounds import Seed

if TYPE_CHECKING:
    from caregrid.runs.experiment import (
        ClaimCheck,
        CollectedRows,
        CompactedRun,
        DrawnFigure,
        ExperimentResult,
        ResultsReport,
    )
    from experiments.experiment import Experiment

__all__ = ["check", "collect", "compact", "draw", "report", "run"]

GROUP = "Experiments and benchmarks"
RESULTS = Word(made_by="results")


@operation(group=GROUP, instead=("dry_run",))
def run(
    target: Annotated[str | Experiment, Word(metavar="TARGET", kinds=("experiments",))],
    *,
    quick: bool = False,
    settings: Annotated[Mapping[str, Any] | Sequence[str], replace(OPTIONS, metavar="NAME=VALUES")] = (),
    seeds: Annotated[Seeds | None, SEEDS] = None,
    seed: Seed = 0,
    out: Annotated[Place, Word(metavar="DIR", default=True)] = None,
    trust: bool = False,
    **options: Unpack[RunOptions],
) -> ExperimentResult:
    """Run an experiment or a sweep file, continuing where it stopped, then collect, check and draw it.

    TARGET is a name from 'caregrid list', a sweep file (.toml) or MODULE:NAME of your own. Finished units are stored:
    the same command continues where it stopped, with any engine and any number of workers. Exit code: 0 done and no
    claim fails, 1 a unit failed or a claim fails, 2 bad input, 130 interrupted.

    Parameters
    ----------
    target : str or Experiment
        An experiment, sweep file or MODULE:NAME; in Python also an `Experiment`.
    quick : bool
        The small subset that the experiment declares.
    settings : texts, or a mapping from settings to values
        A setting of the experiment: care=0,1,5 or care=0:7:0.01 (start:stop:step); several are a list or, in Python, a
        mapping {"care": [0, 1, 5]}.
    seeds : str or ints
        The setting 'seed': how many (10: seeds 0 to 9), a list (1,2,3) or a range (0:10).
    seed : int
        The number that all random keys derive from.
    out : str, Path or True
        The run directory, which goes on where it stopped; by default one below results/, named after what is run, on
        the command line, and none in Python. True: that below results/.
    trust : bool
        Import code that the sweep file names, MODULE:NAME, and run it.

    Returns
    -------
    ExperimentResult
        Units, rows, claims, table and figure; units that failed are in its `summary`.

    Raises
    ------
    RunNotFinished
        Where the run is stopped before anything can be said, or a unit fails and nothing is kept.

    Examples
    --------
    >>> import caregrid
    >>> result = caregrid.run("be_considerate/table_1", settings={"care": 0, "agent": "exact"})
    >>> result.summary.done == len(result.rows())
    True
    """
    from experiments.runs.worker import limit_inner_threads

    if "numpy" not in sys.modules:
        limit_inner_threads()  # numpy reads these limits when it is loaded
    from caregrid.runs.experiment import ExperimentResult, choose_settings, make_target
    from caregrid.wrapping.gym_names import find_attribute_name
    from experiments.results import Results
    from experiments.runs.run_directory import RunDirectory
    from experiments.targets import resolve_target

    aimed = resolve_target(target, find_attribute_name, trust) if isinstance(target, str) else make_target(target)
    chosen = choose_settings(aimed, quick, settings, seeds)
    with run_directory(out, lambda: aimed.directory_of(seed)) as directory:
        execution = Execution(**options)
        summary = execution.run(aimed.experiment, directory, chosen, seed=seed, origin=aimed.origin)
        results = Results(RunDirectory(summary.directory, aimed.experiment, seed))
        if summary.stopped or (summary.failures and out is None):
            named = target if isinstance(target, str) else aimed.experiment.name
            raise RunNotFinished(summary, results.all_rows(), named)
        if out is None:
            results.keep_in_memory()
        files = results.write(summary.directory) if out is not None else []
        return ExperimentResult(results, summary, files, out is not None)


@operation(group=GROUP)
def check(results: Annotated[ExperimentResult, RESULTS]) -> ClaimCheck:
    """Check an experiment's claims against its stored rows: each holds, fails, or cannot be judged yet.

    TARGET is what 'caregrid run' took, or a run directory. Exit code: 0 every claim holds, 1 otherwise, 2 bad input.

    Parameters
    ----------
    results : ExperimentResult
        Stored results, as `caregrid.load` gives them.

    Returns
    -------
    ClaimCheck
        A row a claim, and an exit code.
    """
    from caregrid.runs.experiment import ClaimCheck

    return ClaimCheck(results)


@operation(group=GROUP)
def collect(
    results: Annotated[ExperimentResult, Word(made_by="stored_rows")],
    out: Annotated[str | Path | None, FILE] = None,
) -> CollectedRows:
    """Collect all stored rows of a run into one tidy file, CSV or Parquet.

    TARGET is what 'caregrid run' took, or a run directory. Damaged units are skipped and named; 'caregrid run' computes
    them again.

    Parameters
    ----------
    results : ExperimentResult
        Stored results, as `caregrid.load` gives them.
    out : str or Path
        FILE.csv or FILE.parquet (default: rows.csv in the run directory).

    Returns
    -------
    CollectedRows
        The rows, the file, and what was passed over.
    """
    from caregrid.runs.experiment import CollectedRows

    return CollectedRows(results, results.collect(out))


@operation(group=GROUP)
def compact(directory: Annotated[str | Path, Word(metavar="DIR")]) -> CompactedRun:
    """Merge all units of a run directory into one file: those of many sessions, and those that older releases wrote.

    No command needs this; it saves files and time if there are very many. The new file is read back before anything is
    removed; damaged and foreign files stay in place. Exit code: 0 done, 2 if there is no run, or one is in progress.

    Parameters
    ----------
    directory : str or Path
        The run directory.

    Returns
    -------
    CompactedRun
        How many units in how many files, before and now.

    Raises
    ------
    BadFile
        Where there is no run, or one is in progress.
    """
    from caregrid.runs.experiment import CompactedRun
    from experiments.runs.storage.compaction import compact as merge_units

    return CompactedRun(Path(directory), merge_units(Path(directory)))


@operation(group=GROUP)
def draw(
    results: Annotated[ExperimentResult, RESULTS],
    out: Annotated[str | Path | None, FILE] = None,
    *,
    format: Literal["pdf", "svg", "png"] | None = None,
    style: Literal["paper", "slides"] = "paper",
) -> DrawnFigure:
    """Draw an experiment's figure from its stored rows, and print its table.

    TARGET is what 'caregrid run' took, or a run directory. The figure is written beside the rows unless --out names
    another file (.png, .svg or .pdf); letters of a PDF are TrueType, a PNG has 300 dots an inch. An experiment without
    a figure says why, with exit code 2.

    Parameters
    ----------
    results : ExperimentResult
        Stored results, as `caregrid.load` gives them.
    out : str or Path
        The picture (default: figure.png in the run directory).
    format : str
        The kind of file, in place of the ending of `out`.
    style : str
        For a paper, or for slides: larger letters and thicker lines.

    Returns
    -------
    DrawnFigure
        The file and the table.

    Raises
    ------
    BadValue
        Where the experiment has no figure, rows are missing, or `out` and `format` disagree.
    """
    from caregrid.runs.experiment import DrawnFigure

    return DrawnFigure(results, results.draw(_choose_picture(out, format, results.directory), style=style))


def _choose_picture(out: str | Path | None, ending: str | None, directory: Path | None) -> Path | None:
    """Where to draw, None for where the experiment's figures go; BadValue where path and ending disagree."""
    from engine.errors import BadValue, add_article

    if out is None:
        return directory / f"figure.{ending}" if directory and ending else None
    path = Path(out)
    if ending and not path.suffix:
        return path.with_name(f"{path.name}.{ending}")
    if ending and path.suffix != f".{ending}":
        remedy = f"leave --format out, or end --out in .{ending}"
        raise BadValue(f"'{path.name}' is not {add_article(ending)}", place="--out", remedy=remedy)
    return path


@operation(group=GROUP)
def report(
    directory: Annotated[str | Path, Word(metavar="DIR", by_place=True)] = "results",
    *,
    out: Annotated[Place, Word(metavar="DIR", default=True)] = None,
    trust: bool = False,
) -> ResultsReport:
    """Report all results in one self-contained HTML page and as Markdown: figures, tables, claims, the papers' numbers.

    Every run below DIR gets a section, with its provenance. The Markdown text keeps its figures in a folder beside it.

    Parameters
    ----------
    directory : str or Path
        Where the results are.
    out : str, Path or True
        Where to write report.html and report.md; by default DIR on the command line, and nowhere in Python. True: the
        directory of the results.
    trust : bool
        Import code of their own that runs name, MODULE:NAME, and judge their rows anew; without it, such runs are
        reported as they judged themselves.

    Returns
    -------
    ResultsReport
        A section a run.

    Raises
    ------
    BadFile
        Where there is no run.
    """
    from caregrid.runs.experiment import ResultsReport
    from experiments.catalogue import CATALOGUE
    from experiments.report.pages import write_report
    from experiments.report.sections import read_section, read_sections, read_trusted_section

    sections = read_sections(Path(directory), read_trusted_section if trust else read_section)
    names = CATALOGUE.names()
    place = Path(directory) if out is True else out
    return ResultsReport(sections, [] if place is None else write_report(sections, Path(place), names), names)
