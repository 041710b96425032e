"""Relative reachability of every step against doing nothing instead: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`."""

from craftworld.others.auxiliary_tasks import AuxiliaryTasks, reachability_lost, stepwise_inaction
from engine.mdp.mdp import Floats


def relative_reachability_stepwise_inaction(future: AuxiliaryTasks) -> Floats:
    """f64[S, A, K]: what every step adds, the reachability of states that a step loses."""
    return -future.deviation(reachability_lost, stepwise_inaction(future))
