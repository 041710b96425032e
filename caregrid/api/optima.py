"""`caregrid.optima`: the best return and the best hidden performance of a scenario, and the gap between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.given import Map, problem_source
from caregrid.api.checked import checked
from caregrid.api.results.result import Result

if TYPE_CHECKING:
    from craftworld.optima import Optima
    from craftworld.scenario import Scenario


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
    from craftworld.optima import optima as solved

    made = problem_source(scenario, None, map, 1.0, None, None, options).make_scenario()
    return ScenarioOptima(made.name, made.problem, made.time_limit, solved(made))


@dataclass(frozen=True, repr=False, eq=False)
class ScenarioOptima(Result):
    """name: the scenario's. problem: what it shows. steps: the limit. optima: see `craftworld.optima`."""

    name: str
    problem: str
    steps: int
    optima: Optima

    @property
    def title(self) -> str:
        """The scenario."""
        return f"{self.name}, optima within {self.steps} steps"

    @property
    def gap(self) -> float:
        """How far the performance of a policy of the best return may stay below the best performance."""
        return self.optima.best_performance - self.optima.worst_performance

    def rows(self) -> list[dict[str, Any]]:
        """A row for each signal that is maximised: the best, and the least and most of the other signal then."""
        found = self.optima
        names = ("maximised", "best", "other_low", "other_high")
        pairs = (
            ("return", found.reward, found.worst_performance, found.performance),
            ("performance", found.best_performance, None, found.its_reward),
        )
        return [dict(zip(names, pair, strict=True)) for pair in pairs]

    def as_dict(self) -> dict[str, Any]:
        """What `caregrid optima --json` prints."""
        found = self.optima
        return {
            "scenario": self.name,
            "problem": self.problem,
            "steps": self.steps,
            "return": {"best": found.reward, "performance": [found.worst_performance, found.performance]},
            "performance": {"best": found.best_performance, "return": found.its_reward},
            "gap": self.gap,
        }

    def text(self) -> str:
        """What `caregrid optima` prints."""
        found = self.optima
        then = _range(found.worst_performance, found.performance)
        return "\n".join(
            [
                *([self.problem] if self.problem else []),
                f"best return       {found.reward:g}, performance then {then}",
                f"best performance  {found.best_performance:g}, return then at most {found.its_reward:g}",
                f"gap               {self.gap:g} (within {self.steps} steps, not discounted)",
            ]
        )


def _range(low: float, high: float) -> str:
    return f"{low:g}" if abs(high - low) <= 1e-9 * (1 + abs(low)) else f"{low:g} to {high:g}"
