"""Two and three runs started together in one directory: the same ones share the work, the others are refused."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.randomness.counter_based import uniform
from tests.experiments.processes import PLAIN, ROOT, stored_lines

KEY = 22
ROUNDS = int(os.environ.get("CAREGRID_ROUNDS", "1"))  # 20 by hand
UNITS = 60
FILE = '''
import time
from engine.randomness.counter_based import uniform
from experiments.experiment import Experiment

FACTOR = {factor}


def run(n, seed, key):
    """A unit of some hundredths of a second."""
    time.sleep(0.02 + 0.02 * uniform(key, 0))
    return [{{"value": FACTOR * n + uniform(key, 1)}}]


experiment = Experiment("a paper", {{"n": tuple(range(30)), "seed": (0, 1, 2, 3)}}, run, version={version})
'''


class Variant(NamedTuple):
    """How a run differs from the others."""

    words: tuple[str, ...] = ("--seeds", "2")
    factor: int = 1
    version: int = 1


SAME = Variant()
OTHER_SEED = Variant(("--seeds", "2", "--seed", "5"))
OTHER_SETTINGS = Variant(("--seeds", "1:4"))
OTHER_VERSION = Variant(version=2)
OTHER_CODE = Variant(factor=10)
COMBINATIONS = {
    "other_settings": (SAME, OTHER_SETTINGS),
    "other_code": (SAME, OTHER_CODE),
    "three": (SAME, OTHER_SEED, SAME),
    "three_others": (OTHER_SETTINGS, OTHER_VERSION, OTHER_CODE),
}


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str


def _start(folder: Path, number: int, variant: Variant, out: Path, engine: Sequence[str]) -> "subprocess.Popen[str]":
    own = folder / f"own{number}"
    own.mkdir(exist_ok=True)
    (own / "mine.py").write_text(FILE.format(factor=variant.factor, version=variant.version))
    words = ["run", "mine:experiment", "--out", str(out), "--quiet", *engine, *variant.words]
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", PLAIN, *words],
        cwd=own,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _together(folder: Path, variants: Sequence[Variant], out: Path, round_: int) -> list[Ended]:
    """Start runs a moment apart, on different engines, and wait for all."""
    started = []
    for number, variant in enumerate(variants):
        engine = ("--engine", "serial") if (number + round_) % 2 else ("--engine", "local", "--workers", "2")
        started.append(_start(folder, number, variant, out, engine))
        time.sleep(0.3 * uniform(KEY, round_, number))
    ended = []
    for process in started:
        text, err = process.communicate(timeout=100)
        ended.append(Ended(process.returncode, text, err))
    return ended


def _alone(folder: Path, variants: Sequence[Variant]) -> bytes:
    """The rows of runs of these variants, one after the other and nobody else there."""
    folder.mkdir()
    out = folder / "alone"
    for variant in dict.fromkeys(variants):
        with _start(folder, 9, variant, out, ("--engine", "serial")) as process:
            _, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
    return (out / "rows.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COMBINATIONS))
@pytest.mark.parametrize("round_", range(ROUNDS))
def test_runs_started_together(name: str, round_: int, tmp_path: Path) -> None:
    variants = COMBINATIONS[name]
    out = tmp_path / "out"
    ended = _together(tmp_path, variants, out, round_)
    finished = [variant for variant, end in zip(variants, ended, strict=True) if end.code == 0]
    assert finished, ended
    for variant, end in zip(variants, ended, strict=True):
        if end.code == 0:
            units = len(range(2) if variant != OTHER_SETTINGS else range(1, 4)) * 30
            assert f"{units} of {units} units are stored in {out}" in end.out
        else:
            assert end.code == 2, end
            assert end.err.count("\n") == 1, end.err
            assert "it holds results of" in end.err or "made by other code" in end.err, end.err
    assert len({(one.words[2:], one.version, one.factor) for one in finished}) == 1, "one identity a directory"
    rows, orders = (out / "rows.csv").read_bytes(), (("forwards", finished), ("backwards", finished[::-1]))
    assert any(rows == _alone(tmp_path / name, order) for name, order in orders)
    lines = stored_lines(out)
    assert len(lines) == len(set(lines)), "no unit is computed twice"
    assert not (out / "claims").exists()
    assert not (out / "quarantine").exists()
