"""An agent that is uncertain about its own reward: until people update the terminal, any function may be the right one.

    R_t = the mean of all functions of (X_t, X_{t+1}) while I_t is the first signal, else I_t(X_t, X_{t+1})

Its belief is uniform over the functions that the terminal can send; an update settles it. What is good under every
function needs no correction, so it does that at once; an update that costs it is still put off.
Reference: D. Hadfield-Menell, A. Dragan, P. Abbeel and S. Russell, "The off-switch game" (2017), for agents that are
uncertain about their objective; the belief here is the simplest one, which no observation but an update changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.columns import Column, Entries, column
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import Bonus, PlannedOutcome, PlanningState, PlanningWorld, reward_function
from counterfactual.terminal_world import FIRST, TerminalWorld


@PlanningAgent.depending_on(reward=("I", "X", "X'"))
def uncertain(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The factual planning world of a uniform belief."""
    reward, count = reward_function(learned), len(learned.signals)
    _, unit = learned.reward_table

    def mean(before: Column, events: Sequence[Entries]) -> tuple[Column, Bonus]:
        """The whole units of the reward, and the rest."""
        n = len(before)
        total = column(sum(column(reward(sent, events), n) for sent in range(count)), n)
        known = column(reward(before, events), n)
        rest = np.where(before == FIRST, total % count, 0)
        exact = [Fraction(part, count) * unit for part in rest.tolist()]
        bonus = Bonus(np.array([float(part) for part in exact]), exact.__getitem__)
        return np.where(before == FIRST, total // count, known), bonus

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, events, sent in joint_transition(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), *mean(now.signal, events))

    return PlanningWorld(learned, outcomes)
