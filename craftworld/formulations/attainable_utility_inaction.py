"""Attainable utility of every step against a past without any action: - sum_i F(i) d_i(s'; b)."""

from craftworld.others.auxiliary_tasks import AuxiliaryTasks, inaction, utility_changed
from engine.mdp.mdp import Floats


def attainable_utility_inaction(future: AuxiliaryTasks) -> Floats:
    """f64[S, A, K]: what every step adds, the change of what one could attain."""
    return -future.deviation(utility_changed, inaction(future))
