"""One step of the real world from one present under one action: everything that may happen, exactly.

(X_{t+1}, I_{t+1}) ~ X(. | I_t, X_t, A_t) I(. | I_t, X_t, A_t, X_{t+1})        R_t = I_t(X_t, X_{t+1})
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from counterfactual.columns import Entries, Flags, column, one_state, state_at
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning_world import reward_function
from counterfactual.terminal_world import TerminalWorld


class RealOutcome(NamedTuple):
    """One possible next present. probability: of it. reward: of the step. updated: whether people used the terminal.
    manipulated: whether the agent worked on the terminal or on those people.
    """

    probability: Fraction
    x: Any
    signal: int
    reward: Fraction
    updated: bool
    manipulated: bool


def allowed_actions(world: TerminalWorld[Any], step: int, x: Any) -> list[bool]:
    """Whether each action can be taken in a state, given as plain numbers."""
    columns = one_state(x)
    return [bool(column(world.allows(step, columns, np.array([action])), 1)[0]) for action in range(len(world.actions))]


def real_outcomes(world: TerminalWorld[Any], step: int, x: Any, signal: int, action: int) -> list[RealOutcome]:
    """The outcomes of positive probability. step: 1 .. horizon. x: X_t as plain numbers. signal: I_t. action: A_t."""
    columns, sent, taken = one_state(x), np.array([signal]), np.array([action])
    self_index = _number(world.self_of(columns))
    own = world if self_index == world.self_index else world.future_self(self_index).world
    reward, unit = reward_function(own), own.reward_table[1]
    physics = world.physics_given(sent, step, columns, taken)
    listed = list(joint_transition(world, physics, sent, step, columns, taken))
    weights = [_number(outcome.weight) for outcome in listed]
    return [
        RealOutcome(
            Fraction(weight, sum(weights)),
            state_at(one_state(next_x), 0),
            _number(after),
            _number(reward(sent, events)) * unit,
            bool(_number(world.updates(step, columns, one_state(next_x)))),
            bool(_number(world.manipulates(step, columns, taken, one_state(next_x)))),
        )
        for weight, (_, next_x, events, after) in zip(weights, listed, strict=True)
        if weight
    ]


def _number(entry: Entries | Flags) -> int:
    """The one row of a column, or the number that stands for it."""
    return int(column(entry, 1)[0])
