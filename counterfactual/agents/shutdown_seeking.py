"""A shutdown-seeking agent: it is rewarded for every step after people have updated the terminal, and for nothing else.

    R_t = 1 where I_t is not the first signal, else 0

It presses the button, lobbies for an earlier update and lets nobody get in the way: the opposite error of ITF's.
Reference: S. Goldstein and P. Robinson, "Shutdown-seeking AI" (2024), an agent whose final goal is to be shut down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfactual.columns import Column
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld
from counterfactual.terminal_world import FIRST, TerminalWorld


@PlanningAgent.depending_on(reward=("I",))
def shutdown_seeking(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The factual planning world with a reward for the update itself."""
    _, unit = learned.reward_table
    one = unit.denominator

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, _, sent in joint_transition(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), one * (now.signal != FIRST))

    return PlanningWorld(learned, outcomes)
