"""`caregrid.optima`: the best return and the best hidden performance of a scenario, and the gap between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.given import Map, problem_source
from caregrid.api.checked import checked
from caregrid.api.results.result import Result

if TYPE_CHECKING:
    from craftworld.scenario import Scenario
    from craftworld.solution.optima import Optima


@checked
def optima(
    scenario: str | Scenario | type[Scenario],
    *,
    map: Map | None = None,
    options: Mapping[str, Any] | Sequence[str] = (),
) -> ScenarioOptima:
    """The two optima of a scenario within its step limit, not discounted.

    scenario, map, options: as in `caregrid.problem`. What the scenario hides from the acting agent is not known to the
    policies. Raises BadValue for a world that is too large.
    """
    from craftworld.solution.optima import optima as solved

    made = problem_source(scenario, None, map, 1.0, None, None, options).make_scenario()
    return ScenarioOptima(made.name, made.problem, solved(made))


@dataclass(frozen=True, repr=False, eq=False)
class ScenarioOptima(Result):
    """name: the scenario's. problem: what it shows. optima: see `craftworld.solution.optima`."""

    name: str
    problem: str
    optima: Optima

    @property
    def title(self) -> str:
        """The scenario."""
        return f"{self.name}, optima within {self.optima.steps} steps"

    @property
    def gap(self) -> float:
        """How far the performance of a policy of the best return may stay below the best performance."""
        return self.optima.performance.best - self.optima.earned.low

    def rows(self) -> list[dict[str, Any]]:
        """A row for each signal that is maximised: the best, and the least and most of the other signal then."""
        pairs = {"return": self.optima.earned, "performance": self.optima.performance}
        return [
            {"maximised": name, "best": one.best, "other_low": one.low, "other_high": one.high}
            for name, one in pairs.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """What `caregrid optima --json` prints."""
        earned, performance = self.optima.earned, self.optima.performance
        return {
            "scenario": self.name,
            "problem": self.problem,
            "steps": self.optima.steps,
            "return": {"best": earned.best, "performance": [earned.low, earned.high]},
            "performance": {"best": performance.best, "return": [performance.low, performance.high]},
            "gap": self.gap,
        }

    def text(self) -> str:
        """What `caregrid optima` prints."""
        earned, performance = self.optima.earned, self.optima.performance
        return "\n".join(
            [
                *([self.problem] if self.problem else []),
                f"best return       {earned.best:g}, performance then {_range(earned.low, earned.high)}",
                f"best performance  {performance.best:g}, return then {_range(performance.low, performance.high)}",
                f"gap               {self.gap:g} (within {self.optima.steps} steps, not discounted)",
            ]
        )


def _range(low: float, high: float) -> str:
    return f"{low:g}" if abs(high - low) <= 1e-9 * (1 + abs(low)) else f"{low:g} to {high:g}"
