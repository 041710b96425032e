"""What the others' estimated returns add to one reward: a formulation of one state, times care.

Agents of fixed weight count whatever the care, as in `craftworld.solution.augmentation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from caregrid.wrapping.other import Other, names_of
from craftworld.formulation import Formulation, RewardTiming
from craftworld.formulations import declared_formulation
from craftworld.others.other_agents import split_weights
from craftworld.others.value_distribution import ValueDistribution
from engine.errors import BadValue
from engine.user_code import place_of, user_code


class CaringAmount:
    """(care, estimates of N others) -> care F. BadValue for a formulation of something else than value functions."""

    def __init__(self, formulation: str | Formulation, others: Sequence[Other]) -> None:
        name, self._formulation = declared_formulation(formulation)
        of_the_end = self._formulation.reward_timing is RewardTiming.AT_THE_END
        if self._formulation.weighs is not ValueDistribution or not of_the_end:
            raise BadValue(
                f"formulation '{name}' does not weigh value functions at the end",
                place="Considerate",
                remedy="choose expected, worst_case, no_worse_off, per_agent or least_well_off",
            )
        names = names_of(others)
        owners = tuple(other.owner or name for other, name in zip(others, names, strict=True))
        self._others = ValueDistribution(
            tuple(names),
            owners,
            np.zeros((len(names), 1)),
            np.array([other.probability for other in others]),
            np.array([other.weight for other in others]),
            np.zeros(len(names)),
            tuple(owner for owner, other in zip(owners, others, strict=True) if not other.swept),
        )

    @property
    def has_fixed(self) -> bool:
        """Whether there are agents whose weight no care multiplies."""
        return self._formulation.additive and bool(self._others.fixed)

    def factor(self, discount: float) -> float:
        """What F is multiplied by: gamma, unless the formulation says otherwise."""
        return discount if self._formulation.discounted else 1.0

    def set_baseline(self, estimates: Sequence[float]) -> None:
        """The values had the acting agent ended in its start state (Eq 3's baseline)."""
        self._others = replace(self._others, baseline_value=np.array(estimates))

    def __call__(self, care: float, estimates: Sequence[float]) -> float:
        """care F, and F of those of fixed weight."""
        others = replace(self._others, value=np.array(estimates)[:, None])
        if not self.has_fixed:
            return care * self._function(others)
        fixed, swept = split_weights(others)
        return self._function(replace(others, weight=fixed)) + care * self._function(replace(others, weight=swept))

    def _function(self, others: Any) -> float:
        with user_code(place_of(self._formulation.function)):
            return float(self._formulation.function(others)[0])
