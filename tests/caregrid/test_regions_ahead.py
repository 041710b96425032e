"""Regions whose plans other processes find before they are asked for: the same bytes, however many there are."""

import copy
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.main import main
from caregrid.programmes.caring.regions_ahead import RegionQuestion, plan_ahead
from craftworld.regions import CaringRegions, solve_regions
from engine.errors import BadValue
from engine.planning.reward_regions import BestPlans
from experiments.runs.engines import EngineOptions
from experiments.runs.engines.serial import SerialEngine

ROOT = Path(__file__).resolve().parents[2]
AXES = ("carbs", "fats", "water")
TREE: dict[str, Any] = {"scenario": "gym:fruit-tree-v0", "set": {"depth": 5}, "discount": 0.9}
WORDS = ["regions", "gym:fruit-tree-v0", "--set=depth=5", "--discount=0.9", f"--axes={','.join(AXES)}", "--json"]


class SeveralHere(SerialEngine):
    """Several workers that are this process; what is sent is copied, and what was sent last is done first."""

    def __init__(self, workers: int) -> None:
        super().__init__(EngineOptions())
        self.workers, self.sent, self.closed = workers, 0, False

    @property
    def capacity(self) -> int:
        return self.workers

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        self.sent += 1
        future = super().submit(*copy.deepcopy((function, *arguments)))
        self._queue.rotate(1)
        return future

    def close(self, abandon: bool) -> None:
        self.closed = True
        super().close(abandon)


class Broken(SeveralHere):
    """Its workers fail after the first chunk."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return super().submit(function if not self.sent else pow, *arguments)


@pytest.fixture(scope="module")
def question() -> RegionQuestion:
    return RegionQuestion(caregrid.problem(**TREE).source, AXES, (), (-2.0, math.inf), 1.0)


def solve(question: RegionQuestion, engine: SerialEngine) -> CaringRegions:
    plan_with = partial(plan_ahead, question=question, engine=(engine, 0.0))
    return solve_regions(question.make_axes(), plan_with=plan_with)


def read_bytes(solved: CaringRegions) -> list[Any]:
    found: list[Any] = [solved.cover.solves, solved.cover.limits.tobytes()]
    for region in solved.cover.regions:
        found += [each.tobytes() for each in (region.returns, region.interior, region.halfspaces, region.corners)]
        found += [(segment.path, segment.actions) for segment in region.behaviour.values()]
    return found


@pytest.fixture(scope="module")
def here(question: RegionQuestion) -> list[Any]:
    solved = solve_regions(question.make_axes())
    assert len(solved.regions) > 8
    return read_bytes(solved)


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers_finds_the_same_regions(
    question: RegionQuestion, here: list[Any], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_here = []
    find = BestPlans.solve
    monkeypatch.setattr(BestPlans, "solve", lambda plans, asked: asked_here.append(asked) or find(plans, asked))
    engine = SeveralHere(workers)
    assert read_bytes(solve(question, engine)) == here
    assert engine.sent > 2
    assert engine.closed
    assert len(asked_here) == 1  # the first one, with which all others begin


ON_A_CLUSTER = """
import json
import sys

import caregrid
from engine.planning.reward_regions import BestPlans

find, asked_here = BestPlans.solve, []
BestPlans.solve = lambda plans, asked: asked_here.append(asked) or find(plans, asked)
if __name__ == "__main__":
    tree, axes = json.loads(sys.argv[1])
    found = []
    for engine in ("serial", "dask"):
        found.append(caregrid.problem(**tree).regions(axes, engine=engine, workers=1).as_dict())
        print(found[-1] == found[0], len(asked_here))
        asked_here.clear()
"""


@pytest.mark.slow
def test_a_cluster_finds_the_same_regions(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="engine 'dask' needs the extra 'cluster'")
    script = tmp_path / "regions_on_a_cluster.py"
    script.write_text(ON_A_CLUSTER)
    line = [sys.executable, str(script), json.dumps([TREE, AXES])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    (_, asked_by_one), (is_same, asked_beside) = map(str.split, done.stdout.splitlines())
    assert is_same == "True"
    assert int(asked_by_one) > 8
    assert int(asked_beside) == 1  # the first one, with which the cluster begins


def test_what_fails_elsewhere_is_found_here(question: RegionQuestion, here: list[Any]) -> None:
    engine = Broken(2)
    assert read_bytes(solve(question, engine)) == here
    assert engine.closed


def test_the_workers_end_with_a_search_that_is_refused(question: RegionQuestion) -> None:
    engine = SeveralHere(2)
    plan_with = partial(plan_ahead, question=question, engine=(engine, 0.0))

    def stop(done: int, expected: float) -> None:
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_regions(question.make_axes(), show=stop, plan_with=plan_with)
    assert engine.closed


@pytest.mark.slow
def test_processes_print_what_this_one_prints(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for engine in (["--engine=serial"], ["--engine=local", "--workers=2"]):
        assert main([*WORDS, "--quiet", *engine]) == 0
        printed.append(json.loads(capsys.readouterr().out))
    assert printed[0] == printed[1]


def test_options_of_workers_are_checked_before_anything_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "caregrid.programmes.caring.regions.solve_regions", lambda *_: pytest.fail("solved all the same")
    )
    garden = caregrid.problem("garden")
    with pytest.raises(BadValue, match="does not use 2 workers"):
        garden.regions(engine="serial", workers=2)
    with pytest.raises(BadValue, match="has no cluster"):
        garden.regions(engine="local", scheduler="tcp://localhost:1")
