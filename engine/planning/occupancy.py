"""The occupancy of a policy: how often it is expected to be in each state.

    d(s) = E sum_t gamma^t [s_t = s],   d = start + gamma P_pi' d

A terminal state counts once, when it is entered. A state to which the policy comes back for ever has d = inf without a
discount. The return is sum_s d(s) r_pi(s). Reference: M. Puterman, "Markov Decision Processes", 1994, section 6.9.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.policy_chain import PolicyChain


def compute_occupancy(table: TabularMDP, policy: Policy, start: Floats) -> Floats:
    """Return f64[S], the expected discounted visits of a policy, int32[S], from a start distribution, f64[S]."""
    chain = PolicyChain(table, policy)
    forward = chain.transitions.T.tocsr()
    kept = table.terminal.copy()
    classes = chain.endless_classes() if table.discount == 1.0 else []
    for members in classes:
        kept[members] = True
    passing = np.flatnonzero(~kept)
    visits = np.where(kept, 0.0, start)
    if len(passing):
        system = sparse.identity(len(passing), format="csc") - table.discount * forward[passing][:, passing]
        visits[passing] = splu(system.tocsc()).solve(start[passing])
    entered = start + table.discount * (forward @ visits)
    visits[kept] = entered[kept]
    for members in classes:
        visits[members] = np.inf if visits[members].any() else 0.0
    return visits
