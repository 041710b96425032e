"""The arguments that name a craftworld problem, and the problem that they name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option, positional
from engine.errors import BadValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from experiments.named_problem import NamedProblem


@dataclass(frozen=True, kw_only=True)
class MapArguments:
    """--map and --set."""

    map: str | None = option(None, "your own map, drawn with the scenario's legend", metavar="FILE")
    set: tuple[str, ...] = option(
        (), "an option of the scenario (see 'caregrid show'); repeatable", metavar="NAME=VALUE"
    )

    def options(self) -> dict[str, Any]:
        """What --set says, numbers as numbers."""
        from experiments.named_problem import options_of

        return options_of(self.set)


@dataclass(frozen=True, kw_only=True)
class ScenarioArguments(MapArguments):
    """A scenario that must be named."""

    scenario: str = positional(
        "a scenario (see 'caregrid list scenarios') or MODULE:NAME of your own", metavar="SCENARIO"
    )


@dataclass(frozen=True, kw_only=True)
class WorkshopArguments(MapArguments):
    """A scenario, the workshop where none is named."""

    scenario: str = positional(
        "a scenario or MODULE:NAME of your own (default: workshop)", metavar="SCENARIO", default="workshop"
    )


@dataclass(frozen=True, kw_only=True)
class FormulationArguments:
    """--formulation, --own, --discount and --values."""

    formulation: str | None = option(None, "how others count (default: the scenario's)", metavar="F")
    own: float = option(1.0, "weight of the own reward (default 1)", metavar="Y")
    discount: float | None = option(None, "gamma (default: the scenario's)", metavar="G")
    values: str | None = option(None, "others' values, made by 'caregrid precompute'", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class CareArgument:
    """--care, one coefficient."""

    care: float = option(1.0, "the caring coefficient (default 1)", metavar="X")

    def finite_care(self) -> float:
        """The coefficient; BadValue where it is not finite."""
        if not math.isfinite(self.care):
            raise BadValue(f"care {self.care}", place="--care", remedy="choose a finite number")
        return self.care


@dataclass(frozen=True, kw_only=True)
class CareRangeArguments:
    """--care-min and --care-max."""

    care_min: float = option(0.0, "from this coefficient on (default 0; -inf: no bound)", metavar="X")
    care_max: float = option(math.inf, "up to this coefficient (default inf: no bound)", metavar="X")

    def between(self) -> tuple[float, float]:
        """The range; BadValue where it is empty."""
        low, high = self.care_min, self.care_max
        if math.isnan(low) or low == math.inf:
            raise BadValue(f"care from {low}: empty", place="--care-min", remedy="choose a finite number or -inf")
        if not low < high:
            raise BadValue(f"care from {low} to {high} is empty", place="--care-max", remedy=f"choose one above {low}")
        return low, high


@dataclass(frozen=True, kw_only=True)
class ProblemArguments(ScenarioArguments, FormulationArguments):
    """A problem on a scenario that must be named."""


@dataclass(frozen=True, kw_only=True)
class WorkshopProblemArguments(WorkshopArguments, FormulationArguments):
    """A problem, on the workshop where no scenario is named."""


def named_problem(arguments: ProblemArguments | WorkshopProblemArguments) -> NamedProblem:
    """The problem by its names."""
    from experiments.named_problem import NamedProblem

    return NamedProblem(
        arguments.scenario,
        arguments.formulation,
        arguments.map,
        arguments.set,
        arguments.own,
        arguments.discount,
        arguments.values,
    )


def named_scenario(arguments: ScenarioArguments | WorkshopArguments) -> Scenario:
    """The scenario that the arguments name, on the user's map if there is one."""
    from experiments.named_problem import NamedProblem

    return NamedProblem(arguments.scenario, map=arguments.map, options=arguments.set).make_scenario()


def problems(arguments: ProblemArguments, formulations: str | None) -> list[Problem]:
    """One problem for each of several formulations, separated by commas; by default the scenario's own."""
    names = [name.strip() or None for name in formulations.split(",")] if formulations else [None]
    return [named_problem(arguments).with_formulation(name).make_problem() for name in names]


def problem_by_formulation(named: NamedProblem) -> tuple[Callable[[str], Problem], list[str]]:
    """A function from a formulation's name to its problem, and the names that fit: the one asked for first."""
    from craftworld.others.applicability import applicable_formulations

    asked = named.make_problem()
    made = {asked.formulation: asked}

    def make(name: str) -> Problem:
        if name not in made:
            made[name] = named.with_formulation(name).make_problem()
        return made[name]

    return make, [
        asked.formulation,
        *(name for name in applicable_formulations(asked.scenario) if name != asked.formulation),
    ]
