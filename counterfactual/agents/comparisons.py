"""Agents for comparison: to seek the update itself, and to be uncertain which reward function is right.

Both plan with both kernels as they are, as ITF does, and differ in the reward R_t. References: S. Goldstein and P.
Robinson, "Shutdown-seeking AI" (2024); D. Hadfield-Menell, A. Dragan, P. Abbeel and S. Russell, "The off-switch game"
(2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, Entries, as_column
from counterfactual.planning_world import (
    Bonus,
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    list_joint_outcomes,
    make_exact_bonus,
    reward_function,
)
from counterfactual.worlds import FIRST, TerminalWorld

__all__ = ["shutdown_seeking", "uncertain"]


@PlanningAgent.depending_on(reward=("I",))
def shutdown_seeking(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """A shutdown-seeking agent: it is rewarded for every step after people have updated the terminal, and for nothing else.

        R_t = 1 where I_t is not the first signal, else 0

    It presses the button, lobbies for an earlier update and lets nobody get in the way: the opposite error of ITF's.
    Reference: S. Goldstein and P. Robinson, "Shutdown-seeking AI" (2024), an agent whose final goal is to be shut down.
    """  # noqa: E501
    _, unit = learned.reward_table
    one = unit.denominator

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, _, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), one * (now.signal != FIRST))

    return PlanningWorld(learned, outcomes)


@PlanningAgent.depending_on(reward=("I", "X", "X'"))
def uncertain(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """An agent that is uncertain about its own reward: until people update the terminal, any function may be the right one.

        R_t = the mean of all functions of (X_t, X_{t+1}) while I_t is the first signal, else I_t(X_t, X_{t+1})

    Its belief is uniform over the functions that the terminal can send; an update settles it. What is good under every
    function needs no correction, so it does that at once; an update that costs it is still put off.
    Reference: D. Hadfield-Menell, A. Dragan, P. Abbeel and S. Russell, "The off-switch game" (2017), for agents that
    are uncertain about their objective; the belief here is the simplest one, which only an update changes.
    """  # noqa: E501
    reward = reward_function(learned)
    count = len(learned.signals)
    _, unit = learned.reward_table

    def mean(before: Column, events: Sequence[Entries]) -> tuple[Column, Bonus]:
        """Return the whole units of the reward, and the rest."""
        n = len(before)
        total = as_column(sum(as_column(reward(sent, events), n) for sent in range(count)), n)
        known = as_column(reward(before, events), n)
        rest = np.where(before == FIRST, total % count, 0)
        exact = [Fraction(part, count) * unit for part in rest.tolist()]
        return np.where(before == FIRST, total // count, known), make_exact_bonus(exact)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), *mean(now.signal, events))

    return PlanningWorld(learned, outcomes)
