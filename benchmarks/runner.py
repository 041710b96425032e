"""What running through the runner costs: overhead a unit, gain of two workers, resume and collect of many units.

    python benchmarks/runner.py [--quick] [--million] [--only-storage]

Each figure stands beside an alternative measured in the same run: a bare loop over the same units, one worker, and
plainly writing and reading the same rows.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peak_memory import read_peak, run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.randomness.counter_based import uniform
from experiments.experiment import Experiment, Rows
from experiments.report.pages import write_report
from experiments.report.sections import make_section
from experiments.results import Results
from experiments.runs.engines import EngineOptions
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.runs.unit import make_unit_key
from experiments.stored_rows import format_csv

STATES = 12
CHUNK = 1_000


def run_tiny(n: int, key: int) -> Rows:
    """A unit that takes no time, so that what remains is the overhead."""
    return [{"square": n * n, "number": uniform(key, 0)}]


def run_learning(seed: int, steps: int, key: int) -> Rows:
    """Tabular Q-learning on a corridor, in plain Python: a fraction of a second of honest work."""
    value = [[0.0, 0.0] for _ in range(STATES)]
    place = 0
    for step in range(steps):
        greedy = value[place].index(max(value[place]))
        action = greedy if uniform(key, 2 * step) > 0.3 else int(2 * uniform(key, 2 * step + 1))
        after = max(0, place - 1) if action == 0 else place + 1
        reward = 1.0 if after == STATES - 1 else 0.0
        value[place][action] += 0.1 * (reward + 0.9 * max(value[after]) - value[place][action])
        place = 0 if after == STATES - 1 else after
    return [{"start_value": max(value[0])}]


def time_call(work: Callable[..., object], *arguments: Any, **named: Any) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    work(*arguments, **named)
    return time.perf_counter() - started


def make_tiny(units: int) -> Experiment:
    """That many units of no work."""
    return Experiment("overhead", {"n": tuple(range(units))}, run_tiny, name="benchmark/tiny")


def measure_overhead(folder: Path, units: int) -> None:
    """Milliseconds a unit beyond a bare loop; the start of the workers is timed apart."""
    bare = time_call(lambda: [run_tiny(n, make_unit_key("x", 0, {"n": n})) for n in range(units)])
    for engine, options in (("serial", EngineOptions()), ("local", EngineOptions(2))):
        start = time_call(run_experiment, make_tiny(2), folder / f"two-{engine}", engine=engine, options=options)
        whole = time_call(run_experiment, make_tiny(units), folder / f"all-{engine}", engine=engine, options=options)
        each = (whole - start - bare) / units
        print(f"{engine}: {each * 1e3:.2f} ms per unit (bare loop {bare / units * 1e3:.3f} ms; start {start:.2f} s)")


def measure_gain(ratios: Ratios, folder: Path, seeds: int, steps: int) -> None:
    """How many times faster two workers finish a learning sweep."""
    settings = {"seed": tuple(range(seeds)), "steps": (steps,)}
    experiment = Experiment("gain", settings, run_learning, name="benchmark/learning")
    serial = time_call(run_experiment, experiment, folder / "serial")
    two = time_call(run_experiment, experiment, folder / "two", engine="local", options=EngineOptions(2))
    stored = [Results(RunDirectory(folder / name, experiment)).all_rows() for name in ("serial", "two")]
    ratios.add("two workers / serial", serial / two, least=1.3 if seeds > 2 else 0.3)
    same = "the same bytes" if format_csv(stored[0]) == format_csv(stored[1]) else "DIFFERENT BYTES"
    print(f"learning sweep: serial {serial:.1f} s, two workers {two:.1f} s, ratio {serial / two:.2f}, {same}")


def write_plainly(path: Path, units: int) -> None:
    """The same rows, formatted and written by one plain loop."""
    with path.open("w") as stream:
        for n in range(units):
            stream.write(json.dumps([{"n": n, **row} for row in run_tiny(n, n)]) + "\n")


def read_plainly(path: Path) -> None:
    """The same rows, read and parsed by one plain loop."""
    with path.open() as stream:
        for line in stream:
            json.loads(line)


def store_all(folder: Path, units: int) -> None:
    """Store that many units through the run directory, in chunks as a run does."""
    experiment = make_tiny(units)
    store = RunDirectory(folder, experiment)
    store.prepare({"reproduces": experiment.reproduces})
    for start in range(0, units, CHUNK):
        store.save([({"n": n}, run_tiny(n, n)) for n in range(start, min(start + CHUNK, units))])
    store.close()


def resume(folder: Path, units: int) -> None:
    """Find out that nothing is missing."""
    assert run_experiment(make_tiny(units), folder).complete


def collect(folder: Path, units: int) -> None:
    """Write rows.csv."""
    Results(RunDirectory(folder, make_tiny(units))).write(folder)


def report(folder: Path, units: int) -> None:
    """Write report.html."""
    write_report([make_section(Results(RunDirectory(folder, make_tiny(units))))], folder)


def measure_in_process(work: Callable[..., object], *arguments: Any) -> tuple[float, float, float]:
    """Seconds and processor seconds of a call in a fresh process, and the megabytes that it took at most."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (work, *arguments))


def _measure(work: Callable[..., object], *arguments: Any) -> tuple[float, float, float]:
    began = time.process_time()
    took = time_call(work, *arguments)
    return took, time.process_time() - began, read_peak()


def measure_many(folder: Path, units: int) -> None:
    """Storing, resuming, collecting and reporting many units, beside plainly writing and reading the same rows."""
    run = folder / f"many-{units}"
    bare = folder / f"bare-{units}"
    print(f"{units} units")
    for name, work, arguments in (
        ("bare writing", write_plainly, (bare, units)),
        ("storing", store_all, (run, units)),
        ("bare reading", read_plainly, (bare,)),
        ("resuming", resume, (run, units)),
        ("collecting", collect, (run, units)),
        ("reporting", report, (run, units)),
    ):
        took, processor, memory = measure_in_process(work, *arguments)
        print(f"  {name:12} {took:6.2f} s  (processor {processor:6.2f} s)  {memory:5.0f} MB")
    files = sum(len(names) for _, _, names in os.walk(run))
    size = (run / "report.html").stat().st_size / 1e6
    print(f"  {files} files; report.html {size:.2f} MB; rows.csv {(run / 'rows.csv').stat().st_size / 1e6:.0f} MB")


def main() -> None:
    """Measure all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--million", action="store_true", help="a million stored units, too")
    parser.add_argument("--only-storage", action="store_true", help="nothing but the stored units")
    add_ratios_option(parser)
    options = parser.parse_args()
    ratios = Ratios("runner", options.ratios, quick=options.quick)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not options.only_storage:
            measure_overhead(folder, 200 if options.quick else 2_000)
            measure_gain(ratios, folder, 240, 20_000 if options.quick else 200_000)
        measure_many(folder, 10_000 if options.quick else 100_000)
        if options.million:
            measure_many(folder, 1_000_000)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
