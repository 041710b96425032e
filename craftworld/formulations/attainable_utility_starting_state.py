"""Attainable utility of every step against the start state: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, starting_state, utility_changed
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def attainable_utility_starting_state(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the change of what the agent could attain."""
    return -tasks.deviation(mdp, utility_changed, starting_state(tasks))
