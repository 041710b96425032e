"""Relative reachability of every step against a past without any action: - sum_i F(i) d_i(s'; b)."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import reachability_lost
from craftworld.others.inaction_baseline import TasksSinceStart, inaction
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=TasksSinceStart)
def relative_reachability_inaction(tasks: TasksSinceStart, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the reachability of states that a step loses."""
    return -tasks.deviation(mdp, reachability_lost, inaction(tasks))
