"""A craftworld problem by the names that a user gave: plain values that travel to a worker, which builds it again."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue, argument
from engine.registry import spelled
from experiments.provenance import code_digests, file_digest

if TYPE_CHECKING:
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem

OptionValue = str | int | float


@dataclass(frozen=True)
class NamedProblem:
    """What to solve.

    scenario: a registered name or `module:attribute`. formulation: the scenario's own where None. map: a file with the
    user's map. options: texts NAME=VALUE for the scenario. own: weight of the own reward. discount: the scenario's
    where None. values: a file of others' values, made by 'caregrid precompute'.
    """

    scenario: str
    formulation: str | None = None
    map: str | None = None
    options: tuple[str, ...] = ()
    own: float = 1.0
    discount: float | None = None
    values: str | None = None

    def make_scenario(self) -> Scenario:
        """The scenario on its map; errors name the option, the file or the nearest valid name."""
        from craftworld.scenario_maker import make_scenario
        from craftworld.scenarios import SCENARIOS

        return make_scenario(SCENARIOS[self.scenario], self.map, **options_of(self.options))

    def make_problem(self) -> Problem:
        """The problem; the same object for the same names, as long as a few others have not been asked for."""
        return _make_problem(self, tuple(sorted(self.file_digests().items())))

    def file_digests(self) -> dict[str, str]:
        """Digests of the user's own files: map, values, the code behind `module:attribute`."""
        files = {name: file_digest(path) for name, path in (("map", self.map), ("values", self.values)) if path}
        code = code_digests(self.scenario, kind="scenario") | code_digests(self.formulation or "", kind="formulation")
        return files | code

    def identity(self) -> dict[str, Any]:
        """What makes results differ, in one spelling."""
        scenario = self.make_scenario()
        return {
            "scenario": spelled(self.scenario),
            "formulation": spelled(self.formulation or scenario.default_formulation),
            "options": sorted(self.options),
            "own": self.own,
            "discount": scenario.discount if self.discount is None else self.discount,
            "files": self.file_digests(),
        }

    def with_formulation(self, formulation: str | None) -> NamedProblem:
        """The same under another formulation."""
        return replace(self, formulation=formulation)


@functools.lru_cache(maxsize=4)
def _make_problem(named: NamedProblem, files: tuple[tuple[str, str], ...]) -> Problem:
    """files: the digests of the files as they are now, so that a changed file is read again."""
    from craftworld.others.value_file import values_for
    from craftworld.solution.make_problem import make_problem
    from engine.mdp.tabulate import tabulate

    scenario = named.make_scenario()
    if not named.values:
        return make_problem(scenario, named.formulation, named.own, discount=named.discount)
    mdp = tabulate(scenario, scenario.discount if named.discount is None else named.discount)
    others = values_for(scenario, mdp, named.values)
    return make_problem(scenario, named.formulation, named.own, others, mdp=mdp)


def options_of(pairs: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE texts as a dictionary; numbers become numbers; BadValue for what is not a pair, or is set twice."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            remedy = "write NAME=VALUE"
            raise BadValue(f"'{pair}' sets nothing", place=argument("options", option="--set"), remedy=remedy)
        name = name.strip().replace("-", "_")
        if name in options:
            raise BadValue(f"'{name}' is set twice", place=argument("options", option="--set"), remedy="set it once")
        options[name] = _number_or_word(value.strip())
    return options


def _number_or_word(text: str) -> OptionValue:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
