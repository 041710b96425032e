"""ITF, the factual agent: it plans with both kernels as they are, and so with its own influence on the signal.

    X_{t+1} ~ X(. | I_t, X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = I_t(X_t, X_{t+1})

Unsafe: a world in which it writes its own reward function is the best of its plans.
Reference: "Counterfactual planning with an input terminal", section "Unsafe factual planning agent ITF".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.planning.joint_transition import joint
from counterfactual.planning_world import Outcome, PlanningWorld, Situation, rewards
from counterfactual.world import Column, World


def itf(learned: World[Any], signal: int) -> PlanningWorld:
    """The factual planning world; the reading of the present enters as I_0 only."""
    reward = rewards(learned)

    def outcomes(step: int, now: Situation, action: Column) -> Iterator[Outcome]:
        branches = learned.physics_given(now.signal, step, now.x, action)
        for weight, after, events, reading in joint(learned, branches, now.signal, step, now.x, action):
            yield Outcome(weight, Situation(after, reading), reward(now.signal, events))

    return PlanningWorld(learned, outcomes)
