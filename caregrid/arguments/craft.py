"""The arguments that name a craftworld problem, and `caregrid.problem` called with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option, positional
from engine.bounds import Seed
from engine.errors import BadValue

if TYPE_CHECKING:
    from caregrid.programmes.caring.problem import CaringProblem


@dataclass(frozen=True, kw_only=True)
class MapArguments:
    """--map and --set."""

    map: str | None = option(None, "your own map, drawn with the scenario's legend", metavar="FILE")
    set: tuple[str, ...] = option(
        (), "an option of the scenario (see 'caregrid show'); repeatable", metavar="NAME=VALUE"
    )

    def options(self) -> dict[str, Any]:
        """What --set says, numbers as numbers."""
        from experiments.caring_problem import parse_options

        return parse_options(self.set)


@dataclass(frozen=True, kw_only=True)
class ScenarioArguments(MapArguments):
    """A scenario that must be named."""

    scenario: str = positional(
        "a scenario (see 'caregrid list scenarios'), MODULE:NAME of your own, or gym:ID",
        metavar="SCENARIO",
        kinds=("scenarios",),
    )

    def problem(self) -> CaringProblem:
        """The problem on that scenario, its map and options."""
        return _problem(self)


@dataclass(frozen=True, kw_only=True)
class WorkshopArguments(MapArguments):
    """A scenario, the workshop where none is named."""

    scenario: str = positional(
        "a scenario, MODULE:NAME of your own, or gym:ID (default: workshop)",
        metavar="SCENARIO",
        default="workshop",
        kinds=("scenarios",),
    )

    def problem(self) -> CaringProblem:
        """The problem on that scenario, its map and options."""
        return _problem(self)


@dataclass(frozen=True, kw_only=True)
class FormulationArguments:
    """--formulation, --own, --discount and --values."""

    formulation: str | None = option(
        None, "how others count (default: the scenario's)", metavar="F", kinds=("formulations",)
    )
    own: float = option(1.0, "weight of the own reward (default 1)", metavar="Y")
    discount: float | None = option(None, "gamma (default: the scenario's)", metavar="G")
    values: str | None = option(None, "others' values, made by 'caregrid precompute'", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class CareArgument:
    """--care, one coefficient."""

    care: float = option(1.0, "the caring coefficient (default 1)", metavar="X")


@dataclass(frozen=True, kw_only=True)
class ChanceArgument:
    """--seed, of what is shown."""

    seed: Seed = option(0, "where chance decides: which sample of it is shown (default 0)", metavar="N")


@dataclass(frozen=True, kw_only=True)
class CertifyArgument:
    """--certify."""

    certify: bool = option(
        False, "prove every number: in fractions, or within 1e-9 of its scale; what is not, is marked"
    )


@dataclass(frozen=True, kw_only=True)
class PolicyArguments:
    """--policy, repeatable."""

    policy: tuple[str, ...] = option(
        (), "a learned policy, kept by 'caregrid train', beside the optimal one; repeatable", metavar="DIR"
    )


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


PROBLEM = ("formulation", "own", "discount", "values", "map")


def _problem(arguments: ScenarioArguments | WorkshopArguments) -> CaringProblem:
    """`caregrid.problem` of what these arguments say, those among them that the command takes."""
    from caregrid.operations.makers import problem

    given = {name: getattr(arguments, name) for name in PROBLEM if hasattr(arguments, name)}
    return problem(arguments.scenario, options=arguments.set, **given)
