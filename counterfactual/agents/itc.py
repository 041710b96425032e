"""ITC, the counterfactual agent: every planned reward is that of the signal i_0 of the real present.

    X_{t+1} ~ X(. | X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = i_0(X_t, X_{t+1})

Future signals remain in the plan and influence no utility, so that nothing is gained by controlling them.
Reference: "Counterfactual planning with an input terminal", section "Safer counterfactual planning agent ITC".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.columns import Column
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld, reward_function
from counterfactual.terminal_world import TerminalWorld


@PlanningAgent.depending_on(next_x=("X", "A"), reward=("I_0", "X", "X'"))
def itc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The counterfactual planning world of the present signal."""
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics(step, now.x, action)
        for weight, next_x, events, sent in joint_transition(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(signal, events))

    return PlanningWorld(learned, outcomes)
