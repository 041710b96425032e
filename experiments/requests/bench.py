"""The benchmark: every method in every world of some suites; a unit is one method in one world.

The unit's rows are those of `experiments.bench.suite`, or one row that says why the method does not fit the world.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from craftworld.random_maps import measure_difficulty
from engine.errors import BadValue, NoPlan, argument
from engine.registry import list_called_names
from engine.user_code import names_user_code
from experiments.bench.case_results import CaseResult, summarise_case
from experiments.bench.suite import (
    LEARNERS,
    BenchCase,
    Suite,
    classify_agent,
    classify_method,
    parse_case,
    require_measured,
    split_world,
)
from experiments.bench.suites import SUITES
from experiments.caring_problem import NamedProblem, list_files
from experiments.experiment import Experiment, Rows
from experiments.provenance import digest_user_files
from experiments.requests import ExperimentRequest
from experiments.runs.run_directory import RunDirectory

VERSION = 5
HELD_OUT_MAPS = 3


@dataclass(frozen=True)
class BenchRequest(ExperimentRequest):
    """suites: names. quick: the few worlds and seeds of a quick run.

    methods, agents: `module:attribute` of the user's own, which are measured in the place of ours
    (`experiments.bench.suite`). worlds: scenarios of the user's own, in the place of ours, in suites that take any
    (`Suite.takes_worlds`). held_out: a seed; each world is then replaced by random maps of its family that it
    names, `maps` of them, and worlds without any are left out. spoken: agents that are asked in words, elsewhere: they
    have cases of their own and no units here.
    """

    suites: tuple[str, ...]
    quick: bool = False
    methods: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    held_out: int | None = None
    maps: int = HELD_OUT_MAPS
    worlds: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    sort = "bench"

    def identity(self) -> Mapping[str, Any]:
        """Suites and extent."""
        agents = [*self.agents, *self.spoken]
        named = {"methods": list(self.methods), "agents": agents} if self.methods or agents else {}
        return {
            "suites": list(self.suites),
            "quick": self.quick,
            **named,
            **({} if self.held_out is None else {"held_out": self.held_out, "maps": self.maps}),
            **({"worlds": list(self.worlds)} if self.worlds else {}),
        }

    def slug(self) -> str:
        """Return the suites, and whether it is quick."""
        drawn = [] if self.held_out is None else [f"held-out-{self.held_out}"]
        return "-".join(
            [
                *drawn,
                *self.worlds,
                *self.methods,
                *self.agents,
                *self.spoken,
                *self.suites,
                *(["quick"] if self.quick else []),
            ]
        )

    def cases(self) -> tuple[str, ...]:
        """Return every case, suite by suite, world by world."""
        listed = []
        for name in self.suites:
            suite = SUITES[name]
            for world in self._worlds(suite):
                listed += [BenchCase(name, world, *method).text for method in self._methods(suite, world)]
        if not listed and not self.spoken:
            remedy = "choose other suites, or see docs/bench.md"
            if self.worlds:
                raise BadValue(f"{', '.join(self.suites)} takes no worlds of your own", place="bench", remedy=remedy)
            problem = "measures it" if self.held_out is None else "has random maps"
            raise BadValue(f"no world of {', '.join(self.suites)} {problem}", place="bench", remedy=remedy)
        return tuple(listed)

    def spoken_cases(self) -> list[BenchCase]:
        """Return every case of an agent that is asked in words, suite by suite, world by world."""
        found: list[BenchCase] = []
        for name in self.suites:
            seeds = SUITES[name].quick_seeds if self.quick else SUITES[name].seeds
            for world in self._worlds(SUITES[name]):
                found += [BenchCase(name, world, agent, seed) for agent in self.spoken for seed in seeds]
        return found

    def _worlds(self, suite: Suite) -> list[str]:
        """Return the suite's worlds, or the held-out maps of those that have any."""
        worlds = list(suite.quick if self.quick else suite.worlds)
        if self.worlds:
            worlds = list(self.worlds) if suite.takes_worlds else []
        if self.held_out is None:
            return worlds
        drawn = [world for world in worlds if suite.random_maps(world)]
        breaks = f"-{suite.break_points}" if suite.break_points else ""
        return [f"{world},held_out={self.held_out}-{n}{breaks}" for world in drawn for n in range(1, self.maps + 1)]

    def describe_maps(self) -> dict[str, dict[str, Any]]:
        """`drawings` and `difficulty` of held-out maps: world -> the rows of its map, and how hard it is, exactly."""
        if self.held_out is None:
            return {}
        cases = [*map(parse_case, self.cases()), *self.spoken_cases()]
        worlds = {case.world: split_world(case.world) for case in cases}
        made = {world: NamedProblem(name, options=given).make_scenario() for world, (name, given) in worlds.items()}
        return {
            "drawings": {world: list(scenario.grid.rows) for world, scenario in made.items()},
            "difficulty": {world: measure_difficulty(scenario)._asdict() for world, scenario in made.items()},
        }

    def _methods(self, suite: Suite, world: str) -> Sequence[tuple[str, int | None]]:
        """(method, seed) of each run in a world."""
        if not self._own and not self.spoken:
            return suite.methods(world, self.quick)
        seeds = suite.quick_seeds if self.quick else suite.seeds
        taken = {name: sort for name, sort in self._own.items() if suite.takes(world, sort)}
        return [(name, seed) for name, sort in taken.items() for seed in (seeds if sort in LEARNERS else (None,))]

    @cached_property
    def _own(self) -> Mapping[str, str]:
        """The user's own methods and agents, and the sort of each; ContractBroken for one that is neither."""
        from craftworld.formulations import FORMULATIONS

        copied = any(SUITES[name].copies_agents for name in self.suites)
        split = [name for name in self.agents if self.spoken and name in FORMULATIONS]
        if split:
            remedy = f"write a stand-in's formulation behind a colon, as in care=3:{split[0]}"
            raise BadValue(f"'{split[0]}' is a formulation; a comma separates agents", place="agent", remedy=remedy)
        agents = {name: classify_agent(name, copied) for name in self.agents}
        return {name: classify_method(name) for name in self.methods} | agents

    def rehearse(self) -> None:
        """Measure each method of the user's own once, so that what cannot work is refused before."""
        cases = [parse_case(case) for case in self.cases()] if self.methods else []
        for name in self.methods:
            first = next((case for case in cases if case.method == name), None)
            if first is None:
                problem = f"no world of {', '.join(self.suites)} measures '{name}', a {self._own[name]}"
                raise BadValue(problem, place=argument("method"), remedy="choose other suites")
            run_case(first.text, 0)

    def experiment(self) -> Experiment:
        """Return a unit for each case."""
        return Experiment(
            reproduces="Benchmark of caregrid",
            settings={"case": self.cases()},
            run=functools.partial(run_case, own=own) if (own := self._list_own_code()) else run_case,
            files=list_files(NamedProblem(name, options=given) for name, given in map(split_world, self.worlds)),
            version=VERSION,
            name=self.name,
        )

    def _list_own_code(self) -> tuple[str, ...]:
        """Return the names of the user's code, which a case spells beside other words."""
        named = (*self.suites, *self.methods, *self.agents, *(split_world(world)[0] for world in self.worlds))
        return tuple(name for name in named if any(map(names_user_code, list_called_names(name))))

    def digest_code(self) -> dict[str, str]:
        """Digests of the files of the user's code, by its names: what was submitted."""
        return digest_user_files(*self._list_own_code())

    def results(self, directory: Path) -> list[CaseResult]:
        """Return what is stored, in the order of the cases."""
        if not self.cases():
            return []
        experiment = self.experiment()
        stored = {unit.setting["case"]: unit.rows for unit in RunDirectory(directory, experiment).read_finished()}
        return [summarise_case(case, stored[case]) for case in map(str, experiment.settings["case"]) if case in stored]


def run_case(case: str, key: int, own: tuple[str, ...] = ()) -> Rows:
    """One method in one world. own: the names of the user's code in it, which counts as code that makes the rows."""
    parsed = parse_case(case)
    try:
        return require_measured(SUITES[parsed.suite].measure(parsed))
    except (BadValue, NoPlan) as error:
        return [{"refused": error.problem}]
