"""Attainable utility of every step against the start state: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`."""

from craftworld.others.auxiliary_tasks import AuxiliaryTasks, starting_state, utility_changed
from engine.mdp.mdp import Floats


def attainable_utility_starting_state(future: AuxiliaryTasks) -> Floats:
    """f64[S, A, K]: what every step adds, the change of what one could attain."""
    return -future.deviation(utility_changed, starting_state(future))
