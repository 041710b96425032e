"""The augmented reward, one form for all formulations: own + care * caring ("Be Considerate", Eqs 1 to 8).

r'(s, a, s') = alpha_1 r_1(s, a, s')                                 if s' is not terminal
               alpha_1 r_1(s, a, s') + gamma alpha_2 F(V, P, s')     if s' is terminal

for formulations F of the end; those of every step add alpha_2 f(s, a, s') instead. Where some agents' coefficients are
fixed (Eqs 4 and 6), what they contribute is added to the own part, and alpha_2 sweeps the rest.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import Any

from craftworld.formulations import Formulation, is_additive
from craftworld.others.other_agents import split_weights, terminal_reward
from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP


def augment(mdp: TabularMDP, others: Any, formulation: Formulation, own: float = 1.0, care: float = 1.0) -> TabularMDP:
    """The acting agent's table with the augmented reward; own is alpha_1, care is alpha_2 (negative ones are legal)."""
    for name, coefficient in (("own", own), ("care", care)):
        if not math.isfinite(coefficient):
            raise BadValue(f"{name} = {coefficient}", place="augment", remedy="choose a finite number")
    fixed, swept = caring_rewards(mdp, others, formulation)
    return mdp.with_reward(own * mdp.reward + fixed + care * swept)


def caring_rewards(mdp: TabularMDP, others: Any, formulation: Formulation) -> tuple[Floats, Floats]:
    """f64[S, A, K] twice: what is added whatever the care, and what one unit of care adds.

    others: what the formulation weighs, see `craftworld.others.applicability.distribution_of`.
    """
    if not is_additive(formulation) or not others.fixed:
        swept = _paid(mdp, others, formulation)
        return 0.0 * swept, swept
    for_fixed, for_swept = split_weights(others)
    return (
        _paid(mdp, replace(others, weight=for_fixed), formulation),
        _paid(mdp, replace(others, weight=for_swept), formulation),
    )


def _paid(mdp: TabularMDP, others: Any, formulation: Formulation) -> Floats:
    """f64[S, A, K]: what a formulation pays at each step."""
    takes_table = len(inspect.signature(formulation).parameters) > 1
    amount = formulation(others, mdp) if takes_table else formulation(others)
    return terminal_reward(mdp, mdp.discount * amount) if amount.ndim == 1 else amount
