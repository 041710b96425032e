"""Attainable utility of every step against a past without any action: - sum_i F(i) d_i(s'; b)."""

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import utility_changed
from craftworld.others.inaction_baseline import TasksSinceStart, inaction
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=TasksSinceStart)
def attainable_utility_inaction(tasks: TasksSinceStart, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds, the change of what the agent could attain."""
    return -tasks.deviation(mdp, utility_changed, inaction(tasks))
