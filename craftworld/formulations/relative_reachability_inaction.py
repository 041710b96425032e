"""Relative reachability of every step against a past without any action: - sum_i F(i) d_i(s'; b)."""

from craftworld.others.auxiliary_tasks import AuxiliaryTasks, inaction, reachability_lost
from engine.mdp.mdp import Floats


def relative_reachability_inaction(future: AuxiliaryTasks) -> Floats:
    """f64[S, A, K]: what every step adds, the reachability of states that a step loses."""
    return -future.deviation(reachability_lost, inaction(future))
