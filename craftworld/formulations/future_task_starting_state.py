"""Future tasks with the starting-state baseline (appendix B.1): V_i*(s', s0) = min(V_i*(s'), V_i*(s0)).

Holds in deterministic worlds; else as `future_task`. At discount 1 it is Eq 3 over the agent's own value functions.
"""

import numpy as np

from craftworld.formulation import at_every_step
from craftworld.formulations.future_task import task_reward
from craftworld.others.auxiliary_tasks import AuxiliaryTasks
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def future_task_starting_state(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds."""
    return task_reward(mdp, tasks.expected_value(lambda value, start: np.minimum(value, value[start])))
