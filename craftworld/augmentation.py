"""The augmented reward, one form for all formulations F ("Be Considerate", Eqs 1 to 3 and their kin).

r'(s, a, s') = alpha_1 r_1(s, a, s')                                 if s' is not terminal
               alpha_1 r_1(s, a, s') + gamma alpha_2 F(V, P, s')     if s' is terminal
"""

from __future__ import annotations

import math

import numpy as np

from craftworld.formulations import Formulation
from craftworld.value_distribution import ValueDistribution
from engine.errors import BadValue
from engine.mdp import Floats, TabularMDP


def augment(
    mdp: TabularMDP, others: ValueDistribution, formulation: Formulation, own: float = 1.0, care: float = 1.0
) -> TabularMDP:
    """The acting agent's table with the augmented reward; own is alpha_1, care is alpha_2 (negative ones are legal)."""
    for name, coefficient in (("own", own), ("care", care)):
        if not math.isfinite(coefficient):
            raise BadValue(f"{name} = {coefficient}", place="augment", remedy="choose a finite number")
    return mdp.with_reward(own * mdp.reward + care * caring_reward(mdp, others, formulation))


def caring_reward(mdp: TabularMDP, others: ValueDistribution, formulation: Formulation) -> Floats:
    """f64[S, A, K]: what one unit of care adds: gamma F(s') on entering a terminal state, 0 elsewhere."""
    bonus = np.where(mdp.terminal, mdp.discount * formulation(others), 0.0)
    bonus_on_entering = bonus[mdp.next_state]
    bonus_on_entering[mdp.terminal] = 0.0
    return bonus_on_entering
