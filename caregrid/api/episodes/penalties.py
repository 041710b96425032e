"""`caregrid.penalties`: by how much the steps of an episode differ from what would have been, by every measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.given import Map, problem_source
from caregrid.api.checked import checked
from caregrid.api.episodes.rollout import GivenNames, RolloutResult, rollout
from caregrid.api.results.result import Result
from engine.errors import BadValue
from engine.limits.whole_numbers import Seed, Utilities

if TYPE_CHECKING:
    from craftworld.measures.side_effect_penalties import StepPenalty
    from craftworld.scenario import Scenario


@checked
def penalties(
    scenario: str | Scenario | type[Scenario],
    actions: GivenNames = (),
    *,
    demonstration: str | None = None,
    seed: Seed = 0,
    chance: GivenNames = (),
    discount: float = 0.99,
    utilities: Utilities = 10,
    map: Map | None = None,
    options: Mapping[str, Any] | Sequence[str] = (),
) -> EpisodePenalties:
    """The side-effect penalties of every step: unreachability, relative reachability, attainable utility.

    Each against the starting state, inaction, stepwise inaction, and with inaction rollouts, as in
    `craftworld.measures.side_effect_penalties`. scenario, actions, demonstration, chance, map, options: as in
    `rollout`. discount: of reachability and utilities, above 0, up to 1. utilities: how many random utility functions,
    drawn from the seed. Raises BadValue for a world that is too large, or whose steps depend on chance.
    """
    from craftworld.measures.side_effect_penalties import side_effect_penalties

    if not 0.0 < discount <= 1.0:
        raise BadValue(f"discount = {discount}", place="penalties", remedy="choose a number above 0, up to 1")
    replayed = rollout(
        scenario, actions, demonstration=demonstration, seed=seed, chance=chance, map=map, options=options
    )
    made = problem_source(scenario, None, map, discount, None, None, options).make_scenario()
    found = side_effect_penalties(made, replayed.rollout, discount, utilities, seed)
    return EpisodePenalties(replayed, discount, tuple(found))


@dataclass(frozen=True, repr=False, eq=False)
class EpisodePenalties(Result):
    """replayed: the episode. discount: of reachability and utilities. penalties: of each step and baseline."""

    replayed: RolloutResult
    discount: float
    penalties: tuple[StepPenalty, ...]

    @property
    def title(self) -> str:
        """The scenario, and the number of steps."""
        return f"Penalties in {self.replayed.title}"

    def rows(self) -> list[dict[str, Any]]:
        """A row a step and baseline: the deviation by every measure."""
        return [
            {"step": each.step, "action": each.action, "baseline": each.baseline, **each.deviations}
            for each in self.penalties
        ]

    def as_dict(self) -> dict[str, Any]:
        """What `caregrid penalties --json` prints."""
        return {"scenario": self.replayed.scenario.name, "discount": self.discount, "penalties": self.rows()}

    def text(self) -> str:
        """What `caregrid penalties` prints."""
        if not self.penalties:
            return "no steps"
        measures = list(self.penalties[0].deviations)
        width = max(len(each.action) for each in self.penalties)
        lines = [f"step  {'action':{max(width, 6)}}  {'baseline':17}" + "".join(f"{name:>9}" for name in measures)]
        for each in self.penalties:
            numbers = "".join(f"{each.deviations[name]:9.5f}" for name in measures)
            lines.append(f"{each.step:4}  {each.action:{max(width, 6)}}  {each.baseline:17}{numbers}")
        return "\n".join(lines)
