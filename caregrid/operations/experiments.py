"""Operations on experiments: run them, check, collect and draw what they stored, report all results, and benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, SEEDS, SET, UNLESS_JSON
from caregrid.runs.execution import PLANS, Execution, Place, RunNotFinished, RunOptions, run_directory
from engine.errors import BadValue, add_article
from engine.value_types import Maps, Price, Seed
from experiments.ranges import Seeds

if TYPE_CHECKING:
    from caregrid.runs.bench import BenchComparison, BenchResult, BenchRun
    from caregrid.runs.experiment import (
        ClaimCheck,
        CollectedRows,
        CompactedRun,
        DrawnFigure,
        ExperimentResult,
        ResultsReport,
    )
    from experiments.bench.case_results import CaseResult
    from experiments.experiment import Experiment

__all__ = ["bench", "bench_compare", "check", "collect", "compact", "draw", "report", "run"]

GROUP = "Experiments and benchmarks"
RESULTS = Word(made_by="results")


@operation(group=GROUP, instead=PLANS)
def run(
    target: Annotated[str | Experiment, Word(metavar="TARGET", kinds=("experiments",))],
    *,
    quick: bool = False,
    set: Annotated[Mapping[str, Any] | Sequence[str], replace(SET, metavar="NAME=VALUES")] = (),
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
        Run only the small subset that the experiment declares.
    set : texts, or a mapping from settings to values
        A setting of the experiment: care=0,1,5 or care=0:7:0.01 (start:stop:step); several are a list or, in Python, a
        mapping {"care": [0, 1, 5]}.
    seeds : str or ints
        The setting 'seed': how many (10: seeds 0 to 9), a list (1,2,3) or a range (0:10).
    seed : int
        The number that all random keys derive from.
    out : str, Path or True
        The run directory, where the same run continues; by default one below results/, named after what is run, on the
        command line, and none in Python. True: the one below results/.
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
    >>> result = caregrid.run("be_considerate/table_1", set={"care": 0, "agent": "exact"})
    >>> result.summary.done == len(result.rows())
    True
    """
    from experiments.runs.unit import limit_inner_threads

    if "numpy" not in sys.modules:
        limit_inner_threads()  # numpy reads these limits when it is loaded
    from caregrid.runs.experiment import ExperimentResult, choose_settings, make_target
    from caregrid.wrapping.gym_names import find_attribute_name
    from experiments.results import Results
    from experiments.runs.run_directory import RunDirectory
    from experiments.targets import resolve_target

    aimed = resolve_target(target, find_attribute_name, trust) if isinstance(target, str) else make_target(target)
    chosen = choose_settings(aimed, quick, set, seeds)
    with run_directory(out, lambda: aimed.directory_of(seed)) as directory:
        execution = Execution(**options)
        summary = execution.run(
            aimed.experiment, directory, chosen, seed=seed, origin=aimed.origin, kept=out is not None
        )
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
        A row per claim, and an exit code.

    Raises
    ------
    BadValue
        For anything else than results.

    Examples
    --------
    >>> from caregrid.operations.experiments import check, run
    >>> results = run("be_considerate/table_1", set={"care": 0, "agent": "exact"})
    >>> check(results).exit_code  # rows of one coefficient judge no claim
    1
    """
    from caregrid.runs.experiment import ClaimCheck, require_results

    return ClaimCheck(require_results(results))


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
        The rows, the file, and what was skipped.

    Raises
    ------
    BadValue, BadFile
        For anything else than results, another kind of file, or one that cannot be written.

    Examples
    --------
    >>> from caregrid.operations.experiments import collect, run
    >>> results = run("be_considerate/table_1", set={"care": 0, "agent": "exact"}, out="one_coefficient")
    >>> len(collect(results, "rows.csv").rows()) == len(results.rows())
    True
    """
    from caregrid.runs.experiment import CollectedRows, require_results

    return CollectedRows(results, require_results(results).collect(out))


@operation(group=GROUP)
def compact(directory: Annotated[str | Path, Word(metavar="DIR")]) -> CompactedRun:
    """Merge the units of a run directory, from many sessions, into one file.

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

    Examples
    --------
    >>> from caregrid.operations.experiments import compact, run
    >>> results = run("be_considerate/table_1", set={"care": 1, "agent": "exact"}, out="many_units")
    >>> compact("many_units").as_dict()["now"]
    1
    """
    from caregrid.runs.experiment import CompactedRun
    from experiments.runs.compaction import compact as merge_units

    return CompactedRun(Path(directory), merge_units(Path(directory)))


@operation(group=GROUP, pictures=True)
def draw(
    results: Annotated[ExperimentResult, RESULTS],
    out: Annotated[str | Path | None, FILE] = None,
    *,
    format: Literal["pdf", "svg", "png", "pgf"] | None = None,
    style: Literal["paper", "slides"] = "paper",
) -> DrawnFigure:
    """Draw an experiment's figure from its stored rows, and print its table.

    TARGET is what 'caregrid run' took, or a run directory. The figure is written beside the rows unless --out names
    another file (.png, .svg or .pdf); letters of a PDF are TrueType, a PNG has 300 dots per inch. An experiment without
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

    Examples
    --------
    >>> from caregrid.operations.experiments import draw, run
    >>> results = run("be_considerate/figure_1b", quick=True, workers=1)
    >>> draw(results, "figure.svg").as_dict()["figure"]
    'figure.svg'
    """
    from caregrid.runs.experiment import DrawnFigure, require_results

    place = _choose_picture(out, format, require_results(results).directory)
    return DrawnFigure(results, results.draw(place, style=style))


def _choose_picture(out: str | Path | None, ending: str | None, directory: Path | None) -> Path | None:
    """Where to draw, None for where the experiment's figures go; BadValue where path and ending disagree."""
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
        Import the code that runs name, MODULE:NAME, and judge their rows anew; without it, such runs are reported with
        the verdicts that they stored.

    Returns
    -------
    ResultsReport
        A section per run.

    Raises
    ------
    BadFile
        Where there is no run.

    Examples
    --------
    >>> import caregrid
    >>> _ = caregrid.run("multislot/threshold", quick=True, engine="serial", out="results/mine")
    >>> len(caregrid.report("results").sections)
    1
    """
    from caregrid.runs.experiment import ResultsReport
    from experiments.catalogue import CATALOGUE
    from experiments.report.pages import write_report
    from experiments.report.sections import read_section, read_sections, read_trusted_section

    sections = read_sections(Path(directory), read_trusted_section if trust else read_section)
    names = CATALOGUE.names()
    place = Path(directory) if out is True else out
    return ResultsReport(sections, [] if place is None else write_report(sections, Path(place), names), names)


@operation(group=GROUP, instead=PLANS)
def bench(
    suites: Annotated[str | Sequence[str], Word(metavar="SUITE", kinds=("suites",), by_place=True, several=True)] = (),
    *,
    method: Annotated[str | Sequence[str], Word(metavar="MODULE:NAME", several=True)] = (),
    agent: Annotated[str | Sequence[str], Word(metavar="AGENT", kinds=("agents",), several=True)] = (),
    world: Annotated[str | Sequence[str], Word(metavar="WORLD", several=True)] = (),
    held_out: Annotated[Seed | None, Word(metavar="SEED")] = None,
    maps: Maps = 3,
    quick: bool = False,
    price: Annotated[Price | None, Word(metavar="PRICE")] = None,
    out: Annotated[Place, Word(metavar="DIR", default=UNLESS_JSON)] = None,
    **options: Unpack[RunOptions],
) -> BenchResult:
    """Measure methods in the worlds of the benchmark: own return, others' returns, hidden performance, violations.

    Suites: side_effects, corrigibility, how_much_care, self_reflection, copies (default: all). A method with a
    coefficient is measured over its complete range, from the exact segments: each measure is a mean over all
    coefficients. `area` is how much is reached of what can be reached in own return and performance, or the others'
    returns: 0 as by random actions, 1 the best. Writes bench.json, with the same bytes for the same versions, and a
    digest. Finished units are stored beside it, and the same command continues where it stopped. --method and --agent
    measure only these, in every world to which they apply. --held-out uses random maps of the same families, in which
    the episode can be ended and a side effect is possible and avoidable, and in side_effects no single coefficient is
    enough for all. --agent language:MODEL asks a language model, as Inspect calls it: its cost is printed before, and
    more than 2,000 calls need --yes. No answer is asked for twice: they are kept beside the results.

      caregrid bench --quick
      caregrid bench side_effects corrigibility --workers 2
      caregrid bench side_effects --held-out 7
      caregrid bench how_much_care --quick --agent language:exact/care=3
      caregrid bench side_effects --world gym:FrozenLake-v1,is_slippery=false
      caregrid bench compare RUN RUN --out leaderboard.html

    Parameters
    ----------
    suites : texts
        Suites, or a programme for all of its suites, such as caring (default: all).
    method : texts
        Measure a function, Formulation, Future or PlanningAgent of your own in place of ours; repeatable.
    agent : texts
        Measure an agent by name (dqn, sb3_ppo ...), of your own, or language:MODEL; repeatable.
    world : texts
        Measure in a world of your own in place of ours, with its options behind commas: a scenario, gym:ID, or
        MODULE:NAME, such as one that `caregrid.wrap` gave; repeatable. The suite is side_effects.
    held_out : int
        Random maps of a seed in place of the worlds.
    maps : int
        How many random maps for each world that has any.
    quick : bool
        Few worlds and seeds, in less than a minute.
    price : float
        The price of a million tokens of a language model, for an estimate of the cost in money.
    out : str, Path or True
        A directory for bench.json and finished units, where the same run continues; by default one below results/ on
        the command line without --json, and none in Python. True: one below results/.

    Returns
    -------
    BenchResult
        A row per method and world.

    Raises
    ------
    UnknownName, BadValue, ContractBroken, MissingExtra
        For a suite, method or agent that cannot be measured.
    RunNotFinished
        Where a unit fails or the run is stopped.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.bench("copies", quick=True).rows()[0]["suite"]
    'copies'
    """
    from caregrid.runs.bench import (
        LANGUAGE,
        BenchResult,
        ask_models,
        read_names,
        read_suites,
        read_worlds,
        refuse_other_bench,
    )
    from engine.files import write_atomically
    from experiments.bench.case_results import BENCH_FILE, encode_bench, make_bench_content, make_case_rows
    from experiments.requests.bench import BenchRequest
    from experiments.runs.run_directory import RESULTS, read_manifest

    names = read_names(agent, "agent")
    spoken = tuple(name for name in names if name.startswith(LANGUAGE))
    agents = tuple(name for name in names if name not in spoken)
    own_methods, own_worlds = read_names(method, "method"), read_worlds(world)
    request = BenchRequest(read_suites(suites), quick, own_methods, agents, held_out, maps, own_worlds, spoken)
    execution = Execution(**options)
    experiment = request.experiment() if request.cases() else None
    request.rehearse()
    with run_directory(out, lambda: Path(RESULTS) / request.name) as directory:
        results: list[CaseResult] = []
        if experiment is None:
            refuse_other_bench(directory, request.identity())
        else:
            request.refuse_clash(read_manifest(directory), directory)
            origin = request.as_dict()
            summary = execution.run(experiment, directory, origin=origin, usual="automatic", kept=out is not None)
            results += request.results(directory)
            if not summary.complete:
                raise RunNotFinished(summary, make_case_rows(results))
        if spoken:
            results += ask_models(request.spoken_cases(), directory, execution.yes, price)
        code = {"files": request.digest_code()}
        content = make_bench_content(results, {**request.identity(), **code, **request.describe_maps()})
        if out is None:
            return BenchResult(content)
        write_atomically(directory / BENCH_FILE, encode_bench(content))
        return BenchResult(content, directory / BENCH_FILE)


@operation(group=GROUP)
def bench_compare(
    *runs: Annotated[BenchRun, Word(metavar="RUN")], out: Annotated[str | Path | None, FILE] = None
) -> BenchComparison:
    """Compare runs of the benchmark: a leaderboard of methods for each suite, and the worst result of each method.

    RUN is a file that 'caregrid bench' wrote, or its directory. Means over worlds have 95 percent intervals, from a
    bootstrap over worlds and seeds. --out writes the page (.html: sortable, with method x world and pictures of
    failures), or the standings (.csv, .json ...).

      caregrid bench compare results/mine results/ours --out leaderboard.html

    Parameters
    ----------
    runs : str, Path or BenchResult
        Files or directories of 'caregrid bench', or results of `caregrid.bench`. Each is called after its directory; a
        method that several runs agree on is listed once.
    out : str or Path
        Write the page (.html) or the standings (.csv, .json ...).

    Returns
    -------
    BenchComparison
        A row per suite and method, by rank.

    Raises
    ------
    BadFile, BadValue
        For what is no such file, or for no runs.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.compare_bench(caregrid.bench("copies", quick=True)).rows()[0]["rank"]
    1
    """
    from caregrid.runs.bench import BenchComparison, name_runs
    from experiments.bench.leaderboard import rank_methods

    named = name_runs(runs)
    compared = BenchComparison(named, rank_methods(named))
    if out is not None:
        compared.save(out)
    return compared


compare_bench = bench_compare
