"""Run every unit of a grid that is not stored yet, on any engine, and store each as soon as it is finished."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment, Scalar, SettingValues
from experiments.grid import SettingGrid
from experiments.lengths import require_lengths
from experiments.provenance import now, provenance
from experiments.runs.chunks import Chunks
from experiments.runs.engines import ENGINES, EngineOptions
from experiments.runs.keys import unit_key
from experiments.runs.progress import Progress, Silent
from experiments.runs.run_directory import RunDirectory
from experiments.runs.session import Session
from experiments.runs.session_log import SessionLog
from experiments.runs.summary import RunSummary
from experiments.runs.worker import UnitTask

GridPoint = tuple[Scalar, ...]


def run_experiment(
    experiment: Experiment,
    directory: str | Path,
    settings: SettingValues | None = None,
    *,
    seed: int = 0,
    engine: str = "serial",
    options: EngineOptions | None = None,
    force: bool = False,
    confirmed: bool = False,
    progress: Progress | None = None,
    command: Sequence[str] = (),
    origin: dict[str, Any] | None = None,
) -> RunSummary:
    """Run what is missing of a grid (by default all of the experiment's) and store it in a run directory.

    force: run stored units again too. confirmed: allow a grid and units of any size. origin: kept in the manifest, for
    a sweep file. Raises BadValue for a grid or a unit of absurd size and for settings that no unit can run, BadFile
    where the directory is another experiment's or cannot be written. Exceptions of single units, and workers that die,
    become failures of the summary.
    """
    grid = SettingGrid(settings or experiment.settings)
    grid.require_size(confirmed)
    require_lengths(experiment.lengths, grid.settings, confirmed)
    grid.require_prepared(experiment.prepare, experiment.name)
    runner = ENGINES[engine](options or EngineOptions())
    store = RunDirectory(directory, experiment, seed)
    stored = set() if force else {tuple(unit.setting[name] for name in grid.names) for unit in store.finished()}
    already = sum(point in stored for point in grid.points()) if stored else 0
    summary = RunSummary(store.path, grid.size, already)
    if already == grid.size:
        return summary

    runner.start()
    log = SessionLog(store.logs)
    record = provenance(command) | {
        "settings": {name: list(values) for name, values in grid.settings.items()},
        "engine": engine,
        "workers": runner.capacity,
        "log": log.path.name,
    }
    store.prepare({"reproduces": experiment.reproduces, "origin": origin}, record)
    summary.log = log.path
    log.write(f"{experiment.name}: {already} of {grid.size} units are stored; in quarantine: {store.set_aside()}")
    display = progress or Silent()
    display.start(experiment.name, grid.size)
    started = time.perf_counter()
    try:
        tasks = _missing(grid, store, stored, summary, force)
        Session(store, runner, log, display, summary).work(Chunks(tasks, grid.size - already, runner.chunk_seconds))
    finally:
        display.stop()
        summary.seconds = time.perf_counter() - started
    store.note_session(summary.as_dict() | record | {"finished": now()})
    return summary


def _missing(
    grid: SettingGrid, store: RunDirectory, stored: set[GridPoint], summary: RunSummary, force: bool
) -> Iterator[UnitTask]:
    """Tasks for units that nobody has stored, looked up once more at the last moment, for others may work here too."""
    for point in grid.points():
        if point in stored:
            continue
        setting = grid.setting(point)
        if not force and store.has(store.id_of(setting)):
            summary.already += 1
        else:
            yield UnitTask(setting, unit_key(store.experiment.name, store.seed, setting))
