"""Relative reachability against doing nothing instead, both followed by doing nothing: see `inaction_rollouts`."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, reachability_lost, stepwise_inaction
from craftworld.others.inaction_rollouts import with_inaction_rollouts
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def relative_reachability_inaction_rollouts(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the reachability of states that a step loses, now or later."""
    rolled = with_inaction_rollouts(tasks, mdp.discount)
    return -rolled.deviation(mdp, reachability_lost, stepwise_inaction(rolled))
