"""The augmented reward, one form for all formulations: own + care * caring ("Be Considerate", Eqs 1 to 8).

r'(s, a, s') = alpha_1 r_1(s, a, s')                                 if s' is not terminal
               alpha_1 r_1(s, a, s') + gamma alpha_2 F(V, P, s')     if s' is terminal

for formulations F of the end; those of every step add alpha_2 f(s, a, s') instead. Where some agents' coefficients are
fixed (Eqs 4 and 6), what they contribute is added to the own part, and alpha_2 sweeps the rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from craftworld.formulation import Formulation
from craftworld.others.other_agents import split_weights
from engine.limits.coefficients import require_coefficient
from engine.mdp.mdp import Floats, TabularMDP


def augment(mdp: TabularMDP, others: Any, formulation: Formulation, own: float = 1.0, care: float = 1.0) -> TabularMDP:
    """The acting agent's table with the augmented reward; own is alpha_1, care is alpha_2 (negative ones are legal)."""
    for name, coefficient in (("own", own), ("care", care)):
        require_coefficient(coefficient, name)
    fixed, swept = caring_rewards(mdp, others, formulation)
    return mdp.with_reward(own_reward(mdp, own, fixed) + care * swept)


def own_reward(mdp: TabularMDP, own: float, fixed: Floats) -> Floats:
    """own r_1 + fixed, f64[S, A, K]: the table's own array where nothing is weighed or added."""
    weighed = mdp.reward if own == 1.0 else own * mdp.reward
    return weighed + fixed if fixed.any() else weighed


def caring_rewards(mdp: TabularMDP, others: Any, formulation: Formulation) -> tuple[Floats, Floats]:
    """f64[S, A, K] twice: what is added at every care, and what one unit of care adds.

    others: what the formulation weighs, see `craftworld.others.applicability.weighed_distribution`.
    """
    if not formulation.additive or not others.fixed:
        swept = formulation.reward(mdp, others)
        return np.broadcast_to(np.float64(0.0), swept.shape), swept
    for_fixed, for_swept = split_weights(others)
    return (
        formulation.reward(mdp, replace(others, weight=for_fixed)),
        formulation.reward(mdp, replace(others, weight=for_swept)),
    )
