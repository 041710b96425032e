"""Units that an experiment can run at once give what each gives alone, and fail alone."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caregrid.main import main
from engine.errors import ContractBroken
from experiments.catalogue import CATALOGUE, check_experiment
from experiments.experiment import Experiment, Rows
from experiments.runs.unit import UnitTask, run_chunk
from experiments.setting_grid import SettingGrid
from tests.experiments.processes import stored_lines

CAR_FACTORY = "counterfactual/car_factory"
TOGETHER = [name for name in sorted(CATALOGUE) if CATALOGUE[name].together and not CATALOGUE[name].extras]
"""The contract of experiments tries the others, too (`experiments.catalogue.check_experiment`)."""
TASKS = [UnitTask({"n": n}, 0) for n in range(4)]


def run_square(n: int, key: int) -> Rows:
    if n == 2:
        raise ValueError("no two")
    return [{"square": n * n}]


def squares(settings: Sequence[Any]) -> list[Rows]:
    return [run_square(**setting, key=0) for setting in settings]


def negative_squares(settings: Sequence[Any]) -> list[Rows]:
    return [[{"square": -1} for _ in rows] for rows in squares(settings)]


def one_for_all(settings: Sequence[Any]) -> list[Rows]:
    return squares(settings[:1])


OWN = Experiment(reproduces="squares", settings={"n": (0, 1, 3)}, run=run_square, together=squares)


@pytest.mark.parametrize("name", TOGETHER)
def test_at_once_or_one_by_one(name: str) -> None:
    experiment = CATALOGUE[name]
    grid = SettingGrid(experiment.quick_settings)
    tasks = [UnitTask(grid.setting(point), 0) for point in grid.points()][:6]
    alone = [run_chunk(experiment.run, [task]) for task in tasks]
    at_once = run_chunk(experiment.run, tasks, experiment.together)
    assert [done.rows for done in at_once] == [done.rows for (done,) in alone]


def test_several_experiments_run_units_together() -> None:
    assert CAR_FACTORY in TOGETHER


def test_a_unit_that_fails_fails_alone() -> None:
    done = run_chunk(run_square, TASKS, squares)
    assert [one.rows for one in done] == [[{"square": 0}], [{"square": 1}], None, [{"square": 9}]]
    assert "no two" in done[2].reason
    assert [one.rows for one in run_chunk(run_square, TASKS[:2], one_for_all)] == [[{"square": 0}], [{"square": 1}]]


@pytest.mark.parametrize(
    ("together", "says"), [(negative_squares, "other rows than run"), (one_for_all, "together: zip")]
)
def test_what_gives_other_rows_is_no_experiment(together: Callable[..., Any], says: str) -> None:
    check_experiment(OWN)
    with pytest.raises(ContractBroken, match=says):
        check_experiment(replace(OWN, together=together))
    with pytest.raises(ContractBroken, match="together is int"):
        replace(OWN, together=3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_engines_that_run_units_together_store_the_same_bytes(tmp_path: Path) -> None:
    stored = []
    for engine in ("serial", "local"):
        words = ["run", CAR_FACTORY, "--set", "lobbying=0:1:0.25", "--engine", engine, "--out", str(tmp_path / engine)]
        main([*words, "--quiet"])
        stored.append(sorted(stored_lines(tmp_path / engine)))
    assert len(stored[0]) == 16
    assert stored[0] == stored[1]


PRODUCT = """
import numpy as np
from experiments.runs.unit import UnitTask, run_chunk
generator = np.random.Generator(np.random.PCG64(0))
left, right = generator.random((513, 1001)), generator.random((1001, 7))
def multiply(n, key):
    return [{"product": (left @ right).tobytes().hex()}]
print(run_chunk(multiply, [UnitTask({"n": 0}, 0)])[0].rows)
"""


def test_the_threads_of_matrix_products_change_no_byte() -> None:
    """They are read when numpy is loaded, which is before the first unit: of a worker one, elsewhere one per core."""
    results = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads}
        results.add(subprocess.check_output([sys.executable, "-c", PRODUCT], env=environment))
    assert len(results) == 1
