"""The benchmark: every method in every world of some suites; a unit is one method in one world.

The unit's rows are those of `experiments.bench.suite`, or one row that says why the method does not fit the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadValue, NoPlan
from experiments.bench.suite import BenchCase, parse_case, require_measured
from experiments.bench.suites import SUITES
from experiments.bench.summary import CaseResult, summarised
from experiments.experiment import Experiment, Rows
from experiments.provenance import code_digests
from experiments.requests import ExperimentRequest
from experiments.runs.run_directory import RunDirectory

VERSION = 1


@dataclass(frozen=True)
class BenchRequest(ExperimentRequest):
    """suites: names. quick: the few worlds and seeds of a quick run."""

    suites: tuple[str, ...]
    quick: bool = False
    sort = "bench"

    def identity(self) -> Mapping[str, Any]:
        """Suites, extent, and the user's own files."""
        return {"suites": list(self.suites), "quick": self.quick, "files": code_digests(*self.suites)}

    def slug(self) -> str:
        """The suites, and whether it is quick."""
        return "-".join([*self.suites, *(["quick"] if self.quick else [])])

    def cases(self) -> tuple[str, ...]:
        """Every case, suite by suite, world by world."""
        listed = []
        for name in self.suites:
            suite = SUITES[name]
            for world in suite.quick if self.quick else suite.worlds:
                listed += [BenchCase(name, world, *method).text for method in suite.methods(world, self.quick)]
        return tuple(listed)

    def experiment(self) -> Experiment:
        """A unit for each case."""
        return Experiment(
            reproduces="Benchmark of caregrid",
            settings={"case": self.cases()},
            run=run_case,
            version=VERSION,
            name=self.name,
        )

    def results(self, directory: Path) -> list[CaseResult]:
        """What is stored, in the order of the cases."""
        experiment = self.experiment()
        stored = {unit.setting["case"]: unit.rows for unit in RunDirectory(directory, experiment).finished()}
        return [summarised(case, stored[case]) for case in map(str, experiment.settings["case"]) if case in stored]


def run_case(case: str, key: int) -> Rows:
    """One method in one world."""
    parsed = parse_case(case)
    try:
        return require_measured(SUITES[parsed.suite].measure(parsed))
    except (BadValue, NoPlan) as error:
        return [{"refused": error.problem}]
