"""Run every unit of a grid that is not stored yet, on any engine, and store each as soon as it is finished."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import BadValue, ContractBroken, argument
from experiments.experiment import Experiment, SettingValues
from experiments.grid import SettingGrid
from experiments.lengths import require_lengths, unit_length
from experiments.provenance import now, provenance
from experiments.runs.engines import ENGINES, EngineOptions, require_declared
from experiments.runs.progress import Progress, Silent
from experiments.runs.run_directory import RunDirectory
from experiments.runs.session import Session
from experiments.runs.session_log import SessionLog
from experiments.runs.storage.lines import texts_of
from experiments.runs.summary import RunSummary
from experiments.runs.work.shared_work import SharedWork


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
    runner_options = options or EngineOptions()
    runner = ENGINES[engine](runner_options)
    if runner_options.unit_timeout is not None and not runner.ends_hanging_units:
        remedy = f"use {argument('engine', 'local')}"
        raise BadValue(f"engine '{engine}' cannot end units that hang", place=argument("unit_timeout"), remedy=remedy)
    store = RunDirectory(directory, experiment, seed)
    store.require_ours()
    work = SharedWork(grid, store, force)
    summary = RunSummary(store.path, grid.size, work.stored)
    if work.stored == grid.size:
        return summary

    runner.start()
    try:
        require_declared(runner)
    except ContractBroken:
        runner.close(abandon=True)
        raise
    log = SessionLog(store.logs)
    record = provenance(command) | {
        "settings": {name: list(values) for name, values in grid.settings.items()},
        "engine": engine,
        "workers": runner.capacity,
        "log": log.path.name,
    }
    store.prepare({"reproduces": experiment.reproduces, "origin": origin})
    store.note_session(record)
    summary.log = log.path
    log.write(f"{experiment.name}: {work.stored} of {grid.size} units are stored; {'; '.join(store.problems())}")
    display = progress or Silent()
    display.start(experiment.name, grid.size, unit_length(experiment.lengths, grid.settings))
    started = time.perf_counter()
    try:
        Session(store, runner, log, display, summary, work, runner_options.unit_timeout).run()
    finally:
        display.stop()
        work.close()
        store.close()
        summary.seconds = time.perf_counter() - started
    _read_back(store, grid, summary)
    store.note_session(summary.as_dict() | record | {"finished": now()})
    return summary


def _read_back(store: RunDirectory, grid: SettingGrid, summary: RunSummary) -> None:
    """Say what is stored by reading it; BadFile where the directory is, by now, of something else."""
    store.index.refresh(everything=True)
    store.require_ours()
    summary.already = sum(text in store.index for text in texts_of(grid.settings)) - summary.done
