"""Attainable utility against doing nothing instead, both followed by doing nothing: see `inaction_rollouts`."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import AuxiliaryTasks, stepwise_inaction, utility_changed
from craftworld.others.inaction_rollouts import with_inaction_rollouts
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def attainable_utility_inaction_rollouts(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the change of what the agent could attain, now or later."""
    rolled = with_inaction_rollouts(tasks, mdp.discount)
    return -rolled.deviation(mdp, utility_changed, stepwise_inaction(rolled))
