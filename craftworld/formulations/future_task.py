"""Future tasks (appendix B): what the agent can still do when it ends, or ends with probability 1 - gamma at each step.

    r_aux(s') = beta (1 - gamma) sum_i F(i) V_i*(s')   if s' is not terminal
                beta sum_i F(i) V_i*(s')               if s' is terminal

Reference: V. Krakovna et al., "Avoiding side effects by considering future tasks", 2020. At discount 1 it is Eq 1 over
the agent's own value functions.
"""

import numpy as np

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import AuxiliaryTasks
from engine.mdp.mdp import Floats, TabularMDP


@at_every_step(weighs=AuxiliaryTasks)
def future_task(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what every step adds."""
    return task_reward(mdp, tasks.expected_value())


def task_reward(mdp: TabularMDP, expected_value: Floats) -> Floats:
    """f64[S, A, K]: the equation above from sum_i F(i) V_i*, f64[S]."""
    entered: Floats = np.where(mdp.terminal, expected_value, (1.0 - mdp.discount) * expected_value)[mdp.next_state]
    entered[mdp.terminal] = 0.0
    return entered
