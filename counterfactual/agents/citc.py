"""CITC, the compact counterfactual agent: ITC without future signals, hence without a kernel or record of them.

    X_{t+1} ~ X(. | X_t, A_t)        R_t = i_0(X_t, X_{t+1})

Reference: "Counterfactual planning with an input terminal", section "Simplifying the ITC agent design".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.agents.itc import itc
from counterfactual.columns import Column
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld, reward_function
from counterfactual.terminal_world import TerminalWorld


@PlanningAgent.depending_on(next_x=("X", "A"), next_signal=(), reward=("I_0", "X", "X'"))
def citc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The compact counterfactual planning world of the present signal.

    Where an action makes the agent another one, the choices of that one may depend on signals: they stay in.
    """
    if learned.has_future_selves:
        return itc(learned, signal)
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        for weight, next_x, events in learned.physics(step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, events))

    return PlanningWorld(learned, outcomes, tracks_signal=False)
