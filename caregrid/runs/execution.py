"""How something long is run: engine, workers, what is shown; and where its results go."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from caregrid.command_line.operation import Word, check_arguments
from caregrid.command_line.words import QUIET
from engine.errors import BadValue, CaregridError, argument
from engine.plain_values import make_json_value
from engine.value_types import Seconds, Seed, Workers, pair_set
from experiments.runs.shards import WHOLE, ShardText, read_shard

if TYPE_CHECKING:
    from experiments.experiment import Experiment, Rows, SettingValues
    from experiments.runs.engines import EngineOptions, ExecutionEngine
    from experiments.runs.progress import RunSummary

Usual = Literal["local", "automatic", "serial"]
PROCESSES: Usual = "local"
Place = str | Path | Literal[True] | None
PLANS = ("dry_run", "array_script")
"""What the command line prints of a run instead of running it (`caregrid.operations`, MAKERS)."""


class RunOptions(TypedDict, total=False):
    """The options of everything that runs experiments; none of them changes a result.

    Parameters
    ----------
    engine : str
        serial, local, dask, automatic or MODULE:NAME (default: local; of a command that may be short automatic: here at
        first, in processes after three seconds).
    workers : int
        Worker processes (default: one per core).
    scheduler : str
        Of dask: a running scheduler's address or file.
    slurm : texts NAME=VALUE
        Of dask: start SLURM jobs; repeatable.
    without_tls : bool
        Of dask: no TLS; whoever reaches a port of the cluster then runs code as you.
    shard : str
        Compute shard I of N alone, such as 3/8; shards of one directory may run at the same time, on any machines.
    unit_timeout : float
        End a unit that runs for more seconds, try it again, name it.
    force : bool
        Run stored units again.
    keep_old : bool
        Keep units that other code has made, and run those that are missing.
    yes : bool
        Run a sweep, and units, of any size.
    quiet : bool
        No progress (by default in Python).
    """

    engine: Annotated[str | None, Word(metavar="E", kinds=("engines",))]
    workers: Workers | None
    scheduler: Annotated[str | None, Word(metavar="ADDRESS")]
    slurm: Annotated[tuple[str, ...], Word(metavar="NAME=VALUE")]
    without_tls: bool
    shard: Annotated[ShardText | None, Word(metavar="I/N")]
    unit_timeout: Annotated[Seconds | None, Word(metavar="SECONDS")]
    force: bool
    keep_old: bool
    yes: bool
    quiet: Annotated[bool, QUIET]


WHERE = Word(only=("engine", "workers", "scheduler", "slurm", "without_tls", "quiet"))
"""Of `RunOptions` those that say where something runs: `Unpack[Annotated[RunOptions, WHERE]]`."""


class RunNotFinished(CaregridError):
    """A run that ends before everything is done: a unit failed, somebody asked, or units of other shards are missing.

    summary: what was done, and where it lies. rows: those of the units that were finished, none for a shard.
    experiment: its name, where the command prints that in place of the rows. The command prints it as it prints
    results: a shard that has all of its units is done, whatever others do.
    """

    schema = "run_unfinished"
    as_wide_as_terminal = False

    def __init__(self, summary: RunSummary, rows: Sequence[Mapping[str, Any]], experiment: str = "") -> None:
        self.summary = summary
        self.rows = [dict(row) for row in rows]
        self.experiment = experiment
        failures = [f"{dict(failure.setting)}: {failure.reason}" for failure in summary.failures[:1]]
        super().__init__("; ".join([*failures, summary.sentence()]), place="run")

    def as_dict(self) -> dict[str, Any]:
        """Return {"rows"} and what the run did, for programs."""
        return {"rows": make_json_value(self.rows), **self.summary.as_dict()}

    def output(self) -> dict[str, Any]:
        """Return what the command prints with --json."""
        return {"experiment": self.experiment, **self.summary.as_dict()} if self.experiment else self.as_dict()

    def output_text(self) -> str:
        """Return what a shard has done; nothing else, for without --json a command prints no unfinished rows."""
        return "" if self.exit_code else self.summary.sentence()

    @property
    def warning(self) -> str:
        """Why the run is not complete, and how to go on."""
        if not self.exit_code:
            return ""
        failures = [f"failed: {dict(failure.setting)}: {failure.reason}" for failure in self.summary.failures[:1]]
        kept = self.summary.kept
        remedy = "the same command goes on" if kept else "with --out DIR the same command would go on"
        return "\n".join([*failures, f"{self.summary.sentence()}; {remedy}"])

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return self.summary.exit_code


class Execution:
    """Where units run, what is run again, what is shown: the options of `RunOptions`."""

    def __init__(self, **options: Unpack[RunOptions]) -> None:
        self.options = options

    @property
    def yes(self) -> bool:
        """Whether any amount of work is confirmed."""
        return self.options.get("yes", False)

    def plan(self) -> str:
        """Return what the engine would start, as text."""
        from experiments.runs.engines import ENGINES

        return ENGINES[self._choose_engine(PROCESSES)](self._engine_options()).plan()

    def _choose_engine(self, usual: Usual) -> str:
        """Return the engine that was asked for; without one the usual one, or what the other options ask for."""
        workers = self.options.get("workers")
        if usual == PROCESSES or self.options.get("unit_timeout") is not None or (workers or 1) > 1:
            usual = PROCESSES
        elif workers == 1:
            usual = "serial"
        return self.options.get("engine") or usual

    def choose_engine_ahead(self) -> tuple[ExecutionEngine, float] | None:
        """The engine of work that is done before it is asked for, and after how many seconds; None for here alone."""
        from engine.printable import in_worker
        from experiments.runs.engines import ENGINES
        from experiments.runs.engines.automatic import SECONDS_HERE

        name, options = self._choose_engine("automatic"), self._engine_options()
        is_automatic = name == "automatic"
        chosen = ENGINES["local" if is_automatic else name](options)
        if name == "serial" or in_worker() or (is_automatic and chosen.capacity == 1):
            return None
        return chosen, SECONDS_HERE if is_automatic else 0.0

    def _engine_options(self) -> EngineOptions:
        from experiments.runs.engines import EngineOptions

        asked: dict[str, Any] = {**self.options}
        asked["slurm"] = pair_set(asked.get("slurm", ()), argument("slurm"))
        return EngineOptions(**{one.name: asked[one.name] for one in fields(EngineOptions) if one.name in asked})

    @check_arguments
    def run(
        self,
        experiment: Experiment,
        directory: str | Path,
        settings: SettingValues | None = None,
        *,
        seed: Seed = 0,
        origin: Mapping[str, Any] | None = None,
        usual: Usual = PROCESSES,
        kept: bool = True,
    ) -> RunSummary:
        """Run what is missing and store it; RunNotFinished where units of other shards are missing afterwards.

        usual: the engine, unless options say otherwise. kept: whether the directory stays.
        """
        from caregrid.citations import cite_run
        from engine.files import write_atomically
        from experiments.provenance import read_command
        from experiments.runs.progress import choose_progress
        from experiments.runs.runner import run_experiment

        shard = self.options.get("shard")
        if shard is not None and not kept:
            remedy = f"name a directory of all shards with {argument('out')}"
            raise BadValue("a shard of which nothing is kept", place=argument("shard"), remedy=remedy)
        summary = run_experiment(
            experiment,
            directory,
            settings,
            seed=seed,
            shard=WHOLE if shard is None else read_shard(shard),
            engine=self._choose_engine(usual),
            options=self._engine_options(),
            force=self.options.get("force", False),
            keep_old=self.options.get("keep_old", False),
            yes=self.yes,
            kept=kept,
            progress=choose_progress(sys.stderr, self.options.get("quiet", True)),
            command=read_command(),
            origin=dict(origin) if origin else None,
        )
        if kept:
            for name, text in cite_run(summary.directory, experiment.name, [origin, settings]).items():
                write_atomically(summary.directory / name, text)
        if summary.missing:
            raise RunNotFinished(summary, ())
        return summary

    def compute_rows(self, experiment: Experiment, out: Path | None = None) -> list[Rows]:
        """Return the rows of each unit of an experiment, in the order of its settings. out: where units are kept.

        Raises RunNotFinished where a unit fails, or somebody asks to stop.
        """
        from experiments.runs.run_directory import RunDirectory
        from experiments.runs.segments import generate_setting_texts, write_setting_text

        with run_directory(out, Path) as directory:
            summary = self.run(experiment, directory, usual="automatic", kept=out is not None)
            if not summary.complete:
                raise RunNotFinished(summary, (), experiment.name)
            units = RunDirectory(directory, experiment).read_finished()
            stored = {write_setting_text(unit.setting): unit.rows for unit in units}
            return [stored[text] for text in generate_setting_texts(experiment.settings)]


@contextlib.contextmanager
def run_directory(out: Place, default: Callable[[], Path]) -> Iterator[Path]:
    """Where results go: `out`; `default()` for True; for None a directory that is gone after the block.

    A RunNotFinished that leaves the block names no directory that is gone.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="caregrid-") as folder:
            try:
                yield Path(folder)
            except RunNotFinished as error:
                raise RunNotFinished(replace(error.summary, kept=False), error.rows, error.experiment) from None
    else:
        try:
            yield default() if out is True else Path(out)
        except KeyboardInterrupt:  # while workers start, or while rows are written
            raise KeyboardInterrupt("; what was finished is stored, and the same command goes on") from None
