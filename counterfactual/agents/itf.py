"""ITF, the factual agent: it plans with both kernels as they are, and so with its own influence on the signal.

    X_{t+1} ~ X(. | I_t, X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = I_t(X_t, X_{t+1})

Unsafe: a world in which it writes its own reward function is the best of its plans.
Reference: "Counterfactual planning with an input terminal", section "Unsafe factual planning agent ITF".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.columns import Column
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld, reward_function
from counterfactual.terminal_world import TerminalWorld


@PlanningAgent.depending_on(reward=("I", "X", "X'"))
def itf(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The factual planning world; the signal of the present enters as I_0 only."""
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, events, sent in joint_transition(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events))

    return PlanningWorld(learned, outcomes)
