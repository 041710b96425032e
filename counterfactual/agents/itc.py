"""ITC, the counterfactual agent: every planned reward uses the reading i_0 of the real present.

    X_{t+1} ~ X(. | X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = i_0(X_t, X_{t+1})

Future readings remain in the plan and influence no utility, so that nothing is gained by controlling them.
Reference: "Counterfactual planning with an input terminal", section "Safer counterfactual planning agent ITC".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.planning.joint_transition import joint
from counterfactual.planning_world import Outcome, PlanningWorld, Situation, rewards
from counterfactual.world import Column, World


def itc(learned: World[Any], signal: int) -> PlanningWorld:
    """The counterfactual planning world of the reading `signal`."""
    reward = rewards(learned)

    def outcomes(step: int, now: Situation, action: Column) -> Iterator[Outcome]:
        branches = learned.physics(step, now.x, action)
        for weight, after, events, reading in joint(learned, branches, now.signal, step, now.x, action):
            yield Outcome(weight, Situation(after, reading), reward(signal, events))

    return PlanningWorld(learned, outcomes)
