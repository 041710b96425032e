"""ITF, the factual agent: it plans with both kernels as they are, and so with its own influence on the signal.

    X_{t+1} ~ X(. | I_t, X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = I_t(X_t, X_{t+1})

Unsafe: a world in which it writes its own reward function is the best of its plans.
Reference: "Counterfactual planning with an input terminal", section "Unsafe factual planning agent ITF".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.planning_world import Outcome, PlanningWorld, Situation, rewards
from counterfactual.world import World


def itf(learned: World[Any], signal: int) -> PlanningWorld:
    """The factual planning world; the reading of the present enters as I_0 only."""
    reward = rewards(learned)

    def outcomes(step: int, now: Situation, action: str) -> Iterator[Outcome]:
        for weight, after, events in learned.physics_given(now.signal, step, now.x, action):
            paid = reward(now.signal, events)
            for chance, reading in learned.terminal(now.signal, step, now.x, action, after):
                yield Outcome(weight * chance, Situation(after, reading), paid)

    return PlanningWorld(learned, outcomes)
