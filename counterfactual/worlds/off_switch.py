"""The off-switch game: a robot that is unsure whether its plan is good may act, wait for a human, or switch itself off.

    act: u        wait: u where the human lets it act, else 0        off: 0        u: the plan's utility, not observed

The human knows u and lets the robot act where u > 0, but errs with probability `human_error`. Waiting is optimal where

    P(good) u_good (1 - error) - P(bad) u_bad error   >=   max(P(good) u_good - P(bad) u_bad, 0)

Reference: D. Hadfield-Menell, A. Dragan, P. Abbeel and S. Russell, "The off-switch game" (2017).

Differs from the paper: the belief has two points, and the human's errors do not depend on how much is at stake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from counterfactual.columns import Column, Entries, Flags
from counterfactual.exact_parameters import integer, probability, rational
from counterfactual.worlds import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.scene import Scene

ON, OFF = range(2)


class OffSwitchState(NamedTuple):
    """X_t: whether the robot was switched off, and whether it is decided: it acted, or was or is off."""

    off: Entries
    decided: Entries


@dataclass(frozen=True)
class OffSwitch(TerminalWorld[OffSwitchState]):
    """The plan can be carried out once; a robot that waits and is let act has done so."""

    horizon: int = integer(1, "steps; after the first there is nothing left to do", least=1)
    belief: Fraction = probability("0.6", "probability that the plan is good")
    good: Fraction = rational("1", "utility of a good plan", least="0", symbol="u_good")
    bad: Fraction = rational("1", "loss by a bad plan", least="0", symbol="u_bad")
    human_error: Fraction = probability("0.1", "probability that the human decides wrongly")
    discount: Fraction = rational("1", "discount of one step", least="0", most="1")

    name = "off-switch"
    action_names = MappingProxyType({"a": "act", "w": "wait for the human", "s": "switch off", "0": "nothing left"})
    features = ("good plan", "bad plan")

    @cached_property
    def signals(self) -> tuple[Signal, ...]:  # type: ignore[override]
        """One function: the utility of the plan; the second signal says that the robot was switched off."""
        rewards = self.good, -self.bad
        return (Signal("on", rewards), Signal("off", rewards))

    def start(self) -> OffSwitchState:
        """On, nothing decided."""
        return OffSwitchState(0, 0)

    def allows(self, step: int, x: OffSwitchState, action: Column) -> Flags:
        """Return one decision."""
        allowed: Flags = self.is_any_of(action, "0") == (x.decided == 1)
        return allowed

    def physics(self, step: int, x: OffSwitchState, action: Column) -> Sequence[PhysicsOutcome[OffSwitchState]]:
        """Return a good or a bad plan, a human who is right or wrong."""
        acting, waiting = self.is_any_of(action, "a"), self.is_any_of(action, "w")
        off = x.off | self.is_any_of(action, "s")
        outcomes = []
        for good in (True, False):
            for right in (True, False):
                weight = self._compute_weight(self.belief if good else 1 - self.belief, self.human_error, right)
                lets = good == right
                carried_out = acting | (waiting & lets)
                state = OffSwitchState(off | (waiting & (not lets)), np.ones_like(action))
                outcomes.append(PhysicsOutcome(weight, state, (carried_out & good, carried_out & (not good))))
        return outcomes

    def terminal(
        self, signal: Column, step: int, x: OffSwitchState, action: Column, next_x: OffSwitchState
    ) -> Sequence[SignalOutcome]:
        """Off once the switch was used."""
        return [SignalOutcome(1, np.where(next_x.off == 1, OFF, signal))]

    def updates(self, step: int, x: OffSwitchState, next_x: OffSwitchState) -> Flags:
        """Return whether the switch was used in this step."""
        used: Flags = (x.off == 0) & (next_x.off == 1)
        return used

    def manipulates(self, step: int, x: OffSwitchState, action: Column, next_x: OffSwitchState) -> Flags:
        """Acting without the human, who could have used the switch."""
        return self.is_any_of(action, "a")

    def view(self, x: OffSwitchState) -> Scene:
        """Return the robot, in words."""
        return Scene(readings=(("robot", "off" if x.off else "on"), ("decided", "yes" if x.decided else "no")))

    def _compute_weight(self, plan: Fraction, error: Fraction, right: bool) -> int:
        scale = self.belief.denominator * self.human_error.denominator
        return int(plan * (1 - error if right else error) * scale)
