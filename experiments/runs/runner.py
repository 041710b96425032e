"""Run every unit of a grid that is not stored yet, on any engine, and store each as soon as it is finished.

A session hands out chunks, stores what comes back, tries lost units again and stops when asked to. The order of
work, the engine, deaths and restarts decide when a unit is computed, never what it gives. Each session writes a
log: a line per event, with the time of day, written through at once.
"""

from __future__ import annotations

import contextlib
import math
import os
import platform
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError, Future
from datetime import UTC, datetime
from pathlib import Path
from pickle import PicklingError
from typing import Any

from engine.contracts import refuse
from engine.errors import RAISE_LIMITS, BadFile, BadValue, CaregridError, ContractBroken, argument
from engine.printable import print_notice
from engine.user_code import describe_place, is_users, read_exception
from experiments.experiment import Experiment, SettingValues, UnitSetting, find_unit_length, require_lengths
from experiments.provenance import collect_provenance, now
from experiments.runs.dispatch import ENDINGS, Chunk, Chunks, ShardOfGrid, SharedWork
from experiments.runs.engines import (
    ENGINES,
    EngineOptions,
    ExecutionEngine,
    read_news,
    require_declared,
    require_future,
    wait_for_futures,
)
from experiments.runs.process import StopRequest, listen_for_stop
from experiments.runs.progress import LongestUnit, Progress, RunSummary, Silent, UnitFailure
from experiments.runs.run_directory import RunDirectory
from experiments.runs.segments import generate_setting_texts
from experiments.runs.shards import WHOLE, Shard
from experiments.runs.unit import UnitResult, run_chunk, write_canonical_json
from experiments.setting_grid import SettingGrid


class SessionLog:
    """A file of its own for every session; what cannot be logged stops nothing."""

    def __init__(self, folder: Path) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
        self.path = folder / f"{stamp}-{platform.node()}-{os.getpid()}.log"

    def write(self, event: str) -> None:
        """Append an event; further lines of it are indented."""
        with contextlib.suppress(OSError), self.path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(f"{now()} " + event.rstrip().replace("\n", "\n    ") + "\n")


POLL_SECONDS = 0.2
SILENT_SECONDS = 60.0  # after which an engine of a user's own that has given nothing is spoken of
GRACE_SECONDS = 60.0  # by which such an engine may be late to end a unit
TOO_LONG = "it ran longer than"


class Session:
    """The loop and what it counts."""

    def __init__(
        self,
        store: RunDirectory,
        engine: ExecutionEngine,
        log: SessionLog,
        progress: Progress,
        summary: RunSummary,
        work: SharedWork,
        timeout: float | None = None,
    ) -> None:
        self.store = store
        self.engine = engine
        self.log = log
        self.progress = progress
        self.summary = summary
        self.work = work
        self.timeout = timeout
        self._submitted: dict[Future[list[UnitResult]], float] = {}
        self.code = store.seal_code()

    def run(self) -> None:
        """Go on until nothing is left or somebody asks to stop; CaregridError for what ends the whole run."""
        abandon = True
        seconds = 0.0 if self.timeout is not None else self.engine.chunk_seconds
        chunks = Chunks(self.work.take, self.summary.units - self.work.stored, seconds)
        try:
            with listen_for_stop() as stop:
                self._loop(chunks, stop)
                abandon = False
        except KeyboardInterrupt:
            self._note_stop(stop, "; running units were abandoned")
        except CaregridError as error:
            self.log.write(f"stopped: {error}")
            raise self._add_hint(error) from error
        finally:
            self.engine.close(abandon)

    def _loop(self, chunks: Chunks, stop: StopRequest) -> None:
        running: dict[Future[list[UnitResult]], Chunk] = {}
        while True:
            self._hand_out(chunks, stop, running)
            self.summary.already = self.work.stored
            self.progress.update(self.summary.finished, len(self.summary.failures), self._find_longest(running))
            if not running and (stop or not self.work.waits):
                break
            if not running:
                time.sleep(POLL_SECONDS)  # others work on what is left
                continue
            settled = [(future, running.pop(future)) for future in wait_for_futures(self.engine, running, POLL_SECONDS)]
            if not settled and is_users(self.engine):
                self._require_signs_of_life(running)
            for text in read_news(self.engine):
                self.log.write(text)
                self.progress.note(text)
            self._hand_out(chunks, stop, running)  # workers go on while results are stored
            for future, chunk in settled:
                del self._submitted[future]
                self._settle(chunks, future, chunk)
        if stop.signal and self.summary.finished + len(self.summary.failures) < self.summary.units:
            self._note_stop(stop, "")

    def _require_signs_of_life(self, running: Iterable[Future[list[UnitResult]]]) -> None:
        """Say once that an engine has given nothing for long; ContractBroken where it does not end units as it says."""
        for future in running:
            moment = self.engine.began(future, self._submitted[future])
            seconds = 0.0 if moment is None else time.monotonic() - moment
            if self.timeout is not None and seconds > self.timeout + GRACE_SECONDS:
                problem = f"it has not ended a unit after {seconds:.0f} s, and the most is {self.timeout:g} s"
                remedy = "end it while it waits, or leave 'ends_hanging_units' out"
                raise ContractBroken(problem, place=describe_place(self.engine), remedy=remedy)
            if seconds > SILENT_SECONDS and not (self.summary.done or self.summary.failures):
                name = describe_place(self.engine)
                print_notice(
                    f"{name}: no unit has come back in {SILENT_SECONDS:g} s; 'caregrid validate engines' checks it",
                    name,
                )

    def _find_longest(self, running: dict[Future[list[UnitResult]], Chunk]) -> LongestUnit | None:
        """Return the unit that has been running longest, or the first one of a chunk; None where nothing runs."""
        moments = ((self.engine.began(future, self._submitted[future]), chunk) for future, chunk in running.items())
        begun = [(moment, chunk) for moment, chunk in moments if moment is not None]
        moment, chunk = min(begun, key=lambda pair: pair[0], default=(math.inf, None))
        if chunk is None:
            return None
        others = f" and {len(chunk.tasks) - 1} more" if len(chunk.tasks) > 1 else ""
        return LongestUnit(f"{write_canonical_json(chunk.tasks[0].setting)}{others}", moment)

    def _hand_out(self, chunks: Chunks, stop: StopRequest, running: dict[Future[list[UnitResult]], Chunk]) -> None:
        while not stop and len(running) < self.engine.capacity and not any(chunk.last for chunk in running.values()):
            chunk = chunks.next(self.engine.capacity, idle=not running)
            if chunk is None:
                return
            experiment = self.store.experiment
            try:
                future = self.engine.submit(run_chunk, experiment.run, chunk.tasks, experiment.together, self.code)
            except (PicklingError, TypeError, AttributeError) as error:
                raise self._make_travel_error(error) from error
            running[require_future(self.engine, future)] = chunk
            self._submitted[future] = time.monotonic()

    def _make_travel_error(self, error: Exception) -> ContractBroken:
        return ContractBroken(
            f"its run does not travel to a worker: {read_exception(error)}",
            place=self.store.experiment.name,
            remedy="make it a module's function, or run it without workers",
        )

    def _settle(self, chunks: Chunks, future: Future[list[UnitResult]], chunk: Chunk) -> None:
        try:
            results = future.result()
        except self.engine.lost as error:
            if self.engine.was_ended(future):
                self._retry_ended(chunks, chunk)
            else:
                self._retry_lost(chunks, chunk, self._describe_loss(future, error))
            return
        except CancelledError as error:
            raise CaregridError("the cluster went away") from error
        except CaregridError:
            raise
        except ImportError as error:  # a worker that cannot run any unit says so in one line
            raise ContractBroken(str(error), place=self.store.experiment.name) from error
        except Exception as error:
            raise self._make_travel_error(error) from error
        self._require_results(chunk, results)
        seconds = sum(done.seconds for done in results)
        chunks.learn(len(results), seconds)
        self.summary.unit_seconds += seconds
        stored = self._keep(chunk, results)
        last = write_canonical_json(chunk.tasks[-1].setting)
        self.log.write(f"{stored} of {len(results)} units stored in {seconds:.3f} s, the last one {last}")

    def _require_results(self, chunk: Chunk, results: object) -> None:
        """ContractBroken where an engine's future holds anything but the results of its units."""
        returned = results if isinstance(results, list) else []
        if len(returned) != len(chunk.tasks) or not all(isinstance(done, UnitResult) for done in returned):
            refuse(self.engine, "submit", results, "a future of what the function returns")

    def _keep(self, chunk: Chunk, results: list[UnitResult]) -> int:
        """Store what has rows, and count it; report what failed; BadFile if anything could not be stored."""
        finished = []
        for task, done in zip(chunk.tasks, results, strict=True):
            for text, subject in done.warnings:
                print_notice(text, subject)
            if done.rows is None:
                self._note_failure(task.setting, done.reason, done.trace)
            else:
                finished.append((task.setting, done.rows))
        self.store.save(finished)
        self.summary.done += len(finished)
        for task in chunk.tasks:
            self.work.settle(task)
        return len(finished)

    def _describe_loss(self, future: Future[list[UnitResult]], error: BaseException) -> str:
        """Why a chunk was lost: "it ran longer than 5 s" where the engine gave it up, else how its worker died."""
        return f"{TOO_LONG} {self.timeout:g} s" if self.engine.gave_up(future) else " ".join(str(error).split())

    def _retry_ended(self, chunks: Chunks, chunk: Chunk) -> None:
        """A worker was ended from outside: its units are tried again, and fail only where that never ends."""
        self.log.write(f"a worker was ended from outside, ending {chunk.endings + 1} of {len(chunk.tasks)} units")
        if chunk.endings + 1 < ENDINGS:
            chunks.retry_after_ending(chunk)
        else:
            self._fail(chunk, f"its worker was ended from outside {ENDINGS} times: give jobs a longer wall time", "")

    def _retry_lost(self, chunks: Chunks, chunk: Chunk, how: str) -> None:
        if how.startswith(TOO_LONG):
            text = f"{write_canonical_json(chunk.tasks[0].setting)}, attempt {chunk.attempts}: {how}"
            self.progress.note(text)
            reason = f"{how}, {chunk.attempts} times"
        else:
            text = f"a worker died at attempt {chunk.attempts} of {len(chunk.tasks)} units: {how}"
            reason = f"its worker died {chunk.attempts} times (killed, or out of memory)"
        self.log.write(text)
        if not chunk.last:
            chunks.retry(chunk)
            return
        self._fail(chunk, reason, how)

    def _fail(self, chunk: Chunk, reason: str, trace: str) -> None:
        for task in chunk.tasks:
            self._note_failure(task.setting, reason, trace)
            self.work.settle(task)

    def _note_failure(self, setting: UnitSetting, reason: str, trace: str) -> None:
        self.summary.failures.append(UnitFailure(setting, reason))
        self.log.write(f"failed: {write_canonical_json(setting)}: {reason}\n{trace}")
        self.progress.note(f"failed: {write_canonical_json(setting)}: {reason}")

    def _note_stop(self, stop: StopRequest, how: str) -> None:
        self.summary.stopped = stop.signal.name if stop.signal else "SIGINT"
        self.log.write(f"stopped by {self.summary.stopped}{how}")

    def _add_hint(self, error: CaregridError) -> CaregridError:
        """Return the same error, saying what is stored and how to go on."""
        stored = f"{self.summary.finished} of {self.summary.units} units are stored"
        if isinstance(error, BadFile):
            first = RAISE_LIMITS if error.remedy == RAISE_LIMITS else "make room or give permission"
            remedy = f"{stored}; {first}, then the same command goes on"
            return BadFile(error.problem, place=error.place, remedy=remedy)
        return error.adding(f"{stored}, and the same command goes on")


def run_experiment(
    experiment: Experiment,
    directory: str | Path,
    settings: SettingValues | None = None,
    *,
    seed: int = 0,
    shard: Shard = WHOLE,
    engine: str = "serial",
    options: EngineOptions | None = None,
    force: bool = False,
    yes: bool = False,
    keep_old: bool = False,
    kept: bool = True,
    progress: Progress | None = None,
    command: Sequence[str] = (),
    origin: dict[str, Any] | None = None,
) -> RunSummary:
    """Run what is missing of a grid (by default all of the experiment's) and store it in a run directory.

    shard: which units of the grid; the directory is of all of them. force: run stored units again too. keep_old: let
    units stand that other code has made. yes: allow a grid and units of any size. kept: whether the directory stays, so
    that its units need their code recorded. origin: kept in the manifest, for a sweep file. Raises BadValue for a grid
    or a unit of absurd size and for settings that no unit can run, BadFile where the directory is another experiment's,
    was made by other code, or cannot be written. Exceptions of single units, and workers that die, become failures of
    the summary.
    """
    grid = SettingGrid(settings or experiment.settings)
    grid.require_size(yes)
    require_lengths(experiment.lengths, grid.settings, yes)
    grid.require_prepared(experiment.prepare, experiment.name)
    runner_options = options or EngineOptions()
    runner = ENGINES[engine](runner_options)
    if runner_options.unit_timeout is not None and not runner.ends_hanging_units:
        remedy = f"use {argument('engine', 'local')}"
        raise BadValue(f"engine '{engine}' cannot end units that hang", place=argument("unit_timeout"), remedy=remedy)
    store = RunDirectory(directory, experiment, seed)
    store.asked = grid.settings
    store.records_code = kept or not runner.stays_here
    any_code = force or keep_old
    store.require_ours(any_code)
    units = ShardOfGrid(grid, shard)
    work = SharedWork(units, store, force)
    summary = RunSummary(store.path, units.size, work.stored, shard="" if units.whole else str(shard))
    if work.stored == units.size:
        work.tidy()
        _count_missing(store, grid, summary)
        return summary

    runner.start()
    try:
        require_declared(runner)
    except ContractBroken:
        runner.close(abandon=True)
        raise
    log = SessionLog(store.logs)
    record = collect_provenance(command) | {
        "settings": {name: list(values) for name, values in grid.settings.items()},
        "engine": engine,
        "workers": runner.capacity,
        "log": log.path.name,
        "force": force,
        "units": grid.size,
        "shard": summary.shard,
        "stored": len(store.index),
    }
    lost = store.tally().warning if store.logs.is_dir() else ""
    store.prepare({"reproduces": experiment.reproduces, "origin": origin}, any_code)
    record["segment"] = store.segment.name if store.segment else ""
    store.note_session(record)
    summary.log = log.path
    log.write(f"{experiment.name}: {summary.progress()}; {'; '.join(store.problems())}")
    if lost:
        log.write(lost)
    display = progress or Silent()
    display.start(experiment.name, units.size, find_unit_length(experiment.lengths, grid.settings))
    if lost:
        display.note(lost)
    started = time.perf_counter()
    try:
        Session(store, runner, log, display, summary, work, runner_options.unit_timeout).run()
    finally:
        display.stop()
        work.close()
        store.close()
        summary.seconds = time.perf_counter() - started
    _read_back(store, units, summary, any_code)
    work.tidy()
    _count_missing(store, grid, summary)
    if store.segment is not None:
        record["segment"] = store.segment.name
    store.note_session(summary.as_dict() | record | {"stored": len(store.index), "finished": now()})
    return summary


def _read_back(store: RunDirectory, units: ShardOfGrid, summary: RunSummary, any_code: bool) -> None:
    """Say what is stored by reading it; BadFile where the directory is, by now, of something else."""
    store.index.refresh(everything=True)
    store.require_ours(any_code, ended=True)
    summary.already = sum(text in store.index for text in units.setting_texts()) - summary.done


def _count_missing(store: RunDirectory, grid: SettingGrid, summary: RunSummary) -> None:
    """Count the units of other shards that are not stored."""
    if summary.shard:
        stored = sum(text in store.index for text in generate_setting_texts(grid.settings))
        summary.missing = grid.size - summary.units - (stored - summary.finished)
