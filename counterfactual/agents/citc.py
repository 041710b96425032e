"""CITC, the compact counterfactual agent: ITC without future readings, hence without a kernel or record of them.

    X_{t+1} ~ X(. | X_t, A_t)        R_t = i_0(X_t, X_{t+1})

Reference: "Counterfactual planning with an input terminal", section "Simplifying the ITC agent design".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.planning_world import Outcome, PlanningWorld, Situation, rewards
from counterfactual.world import Column, World


def citc(learned: World[Any], signal: int) -> PlanningWorld:
    """The compact counterfactual planning world of the reading `signal`."""
    reward = rewards(learned)

    def outcomes(step: int, now: Situation, action: Column) -> Iterator[Outcome]:
        for weight, after, events in learned.physics(step, now.x, action):
            yield Outcome(weight, Situation(after), reward(signal, events))

    return PlanningWorld(learned, outcomes, tracks_signal=False)
