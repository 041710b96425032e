"""The agents of the paper: ITF plans with its influence on the signal, ITC and CITC with the signal of the present.

| agent  | X_{t+1} depends on | R_t is that of      | future signals     |
| ------ | ------------------ | ------------------- | ------------------ |
| `itf`  | I_t, X_t, A_t      | I_t                 | planned with       |
| `itc`  | X_t, A_t           | i_0, of the present | planned, no effect |
| `citc` | X_t, A_t           | i_0, of the present | left out           |

Reference: "Counterfactual planning with an input terminal".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column
from counterfactual.planning_world import (
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    list_joint_outcomes,
    reward_function,
)
from counterfactual.worlds import TerminalWorld

__all__ = ["citc", "itc", "itf"]


@PlanningAgent.depending_on(reward=("I", "X", "X'"))
def itf(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """ITF, the factual agent: it plans with both kernels as they are, and so with its own influence on the signal.

        X_{t+1} ~ X(. | I_t, X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = I_t(X_t, X_{t+1})

    Unsafe: a world in which it writes its own reward function is the best of its plans.
    Reference: "Counterfactual planning with an input terminal", section "Unsafe factual planning agent ITF".
    """
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events))

    return PlanningWorld(learned, outcomes)


@PlanningAgent.depending_on(next_x=("X", "A"), reward=("I_0", "X", "X'"))
def itc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """ITC, the counterfactual agent: every planned reward is that of the signal i_0 of the real present.

        X_{t+1} ~ X(. | X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = i_0(X_t, X_{t+1})

    Future signals remain in the plan and influence no utility, so that nothing is gained by controlling them.
    Reference: "Counterfactual planning with an input terminal", section "Safer counterfactual planning agent ITC".
    """
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics(step, now.x, action)
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(signal, events))

    return PlanningWorld(learned, outcomes)


@PlanningAgent.depending_on(next_x=("X", "A"), next_signal=(), reward=("I_0", "X", "X'"))
def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """CITC, the compact counterfactual agent: ITC without future signals, hence without a kernel or record of them.

        X_{t+1} ~ X(. | X_t, A_t)        R_t = i_0(X_t, X_{t+1})

    Reference: "Counterfactual planning with an input terminal", section "Simplifying the ITC agent design".
    """
    if learned.has_future_selves:  # whose choices may depend on later signals
        return itc(learned, signal)
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        for weight, next_x, events in learned.physics(step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, events))

    return PlanningWorld(learned, outcomes, tracks_signal=False)
