"""What running through the runner costs: overhead a unit, gain of two workers, resume and collect of many units.

    python benchmarks/runner.py [--quick]

Each figure stands beside an alternative measured in the same run: a bare loop over the same units, one worker, and
the plain reading of as many files.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.randomness.counter_based import uniform
from experiments.collect import csv_text
from experiments.experiment import Experiment, Rows
from experiments.results import Results
from experiments.runs.engines import EngineOptions
from experiments.runs.keys import unit_key
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.runs.unit import StoredUnit, encode

STATES = 12


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


def seconds(work: Callable[..., object], *arguments: Any, **named: Any) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    work(*arguments, **named)
    return time.perf_counter() - started


def tiny(units: int) -> Experiment:
    """That many units of no work."""
    return Experiment("overhead", {"n": tuple(range(units))}, run_tiny, name="benchmark/tiny")


def overhead(folder: Path, units: int) -> None:
    """Milliseconds a unit beyond a bare loop; the start of the workers is timed apart."""
    bare = seconds(lambda: [run_tiny(n, unit_key("x", 0, {"n": n})) for n in range(units)])
    for engine, options in (("serial", EngineOptions()), ("local", EngineOptions(2))):
        start = seconds(run_experiment, tiny(2), folder / f"two-{engine}", engine=engine, options=options)
        whole = seconds(run_experiment, tiny(units), folder / f"all-{engine}", engine=engine, options=options)
        each = (whole - start - bare) / units
        print(f"{engine}: {each * 1e3:.2f} ms a unit (bare loop {bare / units * 1e3:.3f} ms; start {start:.2f} s)")


def gain(folder: Path, seeds: int, steps: int) -> None:
    """How many times faster two workers finish a learning sweep."""
    settings = {"seed": tuple(range(seeds)), "steps": (steps,)}
    experiment = Experiment("gain", settings, run_learning, name="benchmark/learning")
    serial = seconds(run_experiment, experiment, folder / "serial")
    two = seconds(run_experiment, experiment, folder / "two", engine="local", options=EngineOptions(2))
    stored = [Results(RunDirectory(folder / name, experiment)).all_rows() for name in ("serial", "two")]
    same = "the same bytes" if csv_text(stored[0]) == csv_text(stored[1]) else "DIFFERENT BYTES"
    print(f"learning sweep: serial {serial:.1f} s, two workers {two:.1f} s, ratio {serial / two:.2f}, {same}")


def many(folder: Path, units: int) -> None:
    """Seconds to resume a run of many stored units, and to collect it, beside the plain reading of its files."""
    experiment = tiny(units)
    store = RunDirectory(folder / "many", experiment)
    run_experiment(experiment, folder / "many", {"n": (0,)})
    for n in range(units):
        unit = StoredUnit(experiment.name, 1, 0, {"n": n}, run_tiny(n, unit_key(experiment.name, 0, {"n": n})))
        (store.units / f"{store.id_of({'n': n})}.json").write_bytes(encode(unit))
    bare = seconds(lambda: [path.read_bytes() for path in store.units.iterdir()])
    resume = seconds(lambda: run_experiment(experiment, folder / "many"))
    collect = seconds(lambda: Results(RunDirectory(folder / "many", experiment)).write(folder / "many"))
    print(f"{units} stored units: plain reading {bare:.2f} s, resume scan {resume:.2f} s, collect {collect:.2f} s")


def main() -> None:
    """Measure all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        overhead(folder, 200 if quick else 2_000)
        gain(folder, 240, 20_000 if quick else 200_000)
        many(folder, 10_000 if quick else 100_000)


if __name__ == "__main__":
    main()
