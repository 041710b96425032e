"""Relative reachability of every step against doing nothing instead: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, reachability_lost, stepwise_inaction
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def relative_reachability_stepwise_inaction(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the reachability of states that a step loses."""
    return -tasks.deviation(mdp, reachability_lost, stepwise_inaction(tasks))
