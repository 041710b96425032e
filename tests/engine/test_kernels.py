"""Kernels: plain while little is asked, compiled then, with the same bytes; and never the code of another version."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.compiling import kernel as kernels
from engine.compiling.kernel import Kernel, kernel

ROOT = Path(__file__).resolve().parents[2]
STEPS = """
from engine.compiling.kernel import kernel

@kernel
def step(x):
    return x + {}
"""
WALK = """
import numpy as np
from engine.compiling.kernel import kernel
from steps import step

@kernel
def walk(n):
    x = 0
    for _ in range(n):
        x = step(x)
    return x

print(walk(5), *walk.compiled.stats.cache_hits.values())
"""
LEARN = """
from engine.learning.stacks.compiled.networks import entry, kernel
from steps import step

def twice(called):
    @kernel
    def both(x):
        return called(called(x))

    return both

_twice = twice(step)

@entry
def learn(x):
    return _twice(x)

print(learn(0), *learn.stats.cache_hits.values())
"""


def _sums(numbers, total):  # type: ignore[no-untyped-def]
    for row in range(len(numbers)):
        for number in numbers[row]:
            total[row] += number


def test_a_kernel_runs_plainly_until_much_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "handled", 0)
    monkeypatch.setattr(kernels, "MOST_PLAIN", 50)
    sums = Kernel(_sums, fills=1)
    numbers = np.arange(12.0).reshape(4, 3)
    for asked in range(1, 5):
        total = np.zeros(4)
        sums(numbers, total)
        np.testing.assert_array_equal(total, numbers.sum(axis=1))
        assert ("compiled" in vars(sums)) == (16 * asked > 50)
    assert Kernel.handled == 64


def test_the_arrays_that_a_kernel_reads_stay_as_they_are() -> None:
    numbers = np.broadcast_to(np.float64(2.0), (3, 4))  # read-only, and one number in memory
    total = np.zeros(3)
    kernel(fills=1)(_sums).run_plainly(numbers, total)
    np.testing.assert_array_equal(total, 8.0)


def _walk(folder: Path, **environment: str) -> list[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    line = [sys.executable, "walk.py"]
    done = subprocess.run(line, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_a_kernel_is_compiled_again_where_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    (tmp_path / "walk.py").write_text(WALK)
    for number, expected in ((1, ["5"]), (1, ["5", "1"]), (2, ["10"])):
        (tmp_path / "steps.py").write_text(STEPS.format(number))
        assert _walk(tmp_path) == expected


@pytest.mark.slow
def test_a_kernel_is_compiled_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(STEPS.format(3))
    (tmp_path / "walk.py").write_text(WALK)
    (tmp_path / "__pycache__").write_text("no folder")
    assert _walk(tmp_path, HOME=str(tmp_path / "steps.py"), XDG_CACHE_HOME=str(tmp_path / "steps.py")) == ["15"]


@pytest.mark.slow
def test_training_is_compiled_again_where_a_part_handed_to_it_has_changed(tmp_path: Path) -> None:
    steps = STEPS.replace("engine.compiling.kernel", "engine.learning.stacks.compiled.networks")
    (tmp_path / "walk.py").write_text(LEARN)
    for number, expected in ((1, ["2"]), (1, ["2", "1"]), (2, ["4"])):
        (tmp_path / "steps.py").write_text(steps.format(number))
        assert _walk(tmp_path) == expected
