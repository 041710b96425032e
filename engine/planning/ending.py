"""How likely a policy is to end, however long that takes.

    h(s) = sum_k P(k | s) h(s_k);   h = 1 where it surely ends, h = 0 where it cannot end

Reference: J. Kemeny, J. Snell, "Finite Markov Chains", 1960, theorem 3.3.7 (absorption probabilities).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Policy, TabularMDP
from engine.mdp.termination import lost_states, proper_states
from engine.planning.dynamic_programming import evaluate_policy


def ending_probability(mdp: TabularMDP, policy: Policy, start: int) -> float:
    """The probability with which a policy, int32[S], ever reaches a terminal state from a state.

    Exactly 1 or 0 where it surely does or does not; nan where that takes too long to evaluate.
    """
    surely, never = proper_states(mdp, policy), lost_states(mdp, policy)
    if surely[start] or never[start]:
        return float(surely[start])
    reward = surely[mdp.next_state].astype(np.float64)
    table = replace(mdp, terminal=surely | never, reward=reward, discount=1.0)
    try:
        return min(1.0, float(evaluate_policy(table, policy)[start]))
    except NoPlan:
        return math.nan


def ending_text(probability: float) -> str:
    """What is said of a policy that may go on for ever; "" for one that surely ends."""
    if probability == 1.0:
        return ""
    return f"ends with probability {probability:.3g}" if probability else "never ends"
