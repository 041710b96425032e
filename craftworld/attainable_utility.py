"""Attainable utility preservation: a step costs what it changes of the utilities that the agent could still attain.

    R_AUP(s, a) = R(s, a) - lambda d(s, a; b)
    d(s, a; b)  = sum_u f(Q_u(b) - Q_u(s, a)) / sum_u |Q_u(b)|
    Q_u(s, a)   = u(s') + g V_u(s'),   V_u(s) = max_a Q_u(s, a),   V_u = 0 after the end

f is the absolute value in AUP(a), and max(0, .) in AUP(t), the paper's ablation that counts decreases only. Q_u(b),
what could be attained otherwise, is by baseline

    stepwise_inaction   Q_u(s, noop)
    inaction            Q_u(b(t - 1), noop), b(t) the state after t steps of doing nothing
    starting_state      V_u(s(0))

The sum of Q_u(b) is the paper's SCALE, so that lambda has no unit. Episodes end: to be switched off, or to reach the
goal, loses nearly all that the agent could still attain, which is why lambda must be below 1 for a goal that pays 1.

Reference: A. Turner, D. Hadfield-Menell, P. Tadepalli, "Conservative agency via attainable utility preservation",
2020, section 3 (Eqs 1 and 2) and section 4.

Differs from the paper
- Q_u is exact, by policy iteration; the paper learns it, or plans with a model

Choices: the state in which an episode ends still pays its utility, once. Where all Q_u(b) are 0, nothing is divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from craftworld.others.episode_baselines import STARTING_STATE, EpisodeBaselines
from craftworld.others.inaction_baselines import add_inaction_past
from craftworld.scenario import Scenario
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import policy_iteration


@dataclass(frozen=True)
class AttainableUtilities(EpisodeBaselines):
    """What could be attained after each step and after doing nothing, in a world whose episodes end."""

    stops: ClassVar[bool] = False

    def tabulate(self, mdp: TabularMDP, baseline: str, utilities: Sequence[Floats], losses_only: bool) -> Floats:
        """f64[S, A, K]: d(s, a; b) of every step. utilities: f64[E] each. losses_only: AUP(t) in place of AUP(a)."""
        origin = self.list_baselines(baseline)
        arrived = self.number[mdp.next_state[:, :, 0]]
        change, scale = np.zeros(arrived.shape), np.zeros(len(origin))
        for utility in utilities:
            value = _attain(self.world, utility)
            after = utility + self.world.discount * value
            otherwise = (value if baseline == STARTING_STATE else after)[origin]
            lost = otherwise[:, None] - after[arrived]
            change += np.maximum(lost, 0.0) if losses_only else np.abs(lost)
            scale += np.abs(otherwise)
        deviation: Floats = change / np.where(scale > 0.0, scale, 1.0)[:, None]
        deviation[mdp.terminal] = 0.0
        return deviation[:, :, None]


class UtilitiesSinceStart(AttainableUtilities):
    """The same, with the state after inaction since the start as a field of the state."""

    @classmethod
    def plan_in(cls, scenario: Scenario) -> Scenario:
        return add_inaction_past(scenario, cls.stops)


def _attain(world: TabularMDP, utility: Floats) -> Floats:
    """V_u, f64[E]: the most that can be attained from each state on, 0 after an episode's end."""
    reward = utility[world.next_state]
    reward[world.terminal] = 0.0
    return policy_iteration(replace(world, reward=reward)).value
