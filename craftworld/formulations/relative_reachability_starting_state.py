"""Relative reachability of every step against the start state: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, reachability_lost, starting_state
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def relative_reachability_starting_state(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the reachability of states that a step loses."""
    return -tasks.deviation(mdp, reachability_lost, starting_state(tasks))
