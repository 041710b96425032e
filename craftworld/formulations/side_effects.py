"""Methods for avoiding side effects: what the acting agent itself could still attain enters its reward at every step.

    deviation measures      f(s, a, s') = - sum_i F(i) d_i(s'; b)
        relative reachability     d_i(s'; b) = max(R(b; i) - R(s'; i), 0)      what can no longer be attained
        attainable utility        d_i(s'; b) = |V_i*(s') - V_i*(b)|            losing and gaining count alike
    future tasks            f(s, a, s') = (1 - gamma) sum_i F(i) V_i*(s')   if s' is not terminal
                                          sum_i F(i) V_i*(s')               if s' is terminal
      with a baseline b     min(V_i*(s'), V_i*(b)) in the place of V_i*(s')

| baseline b, the end of an entry's name | what a step is compared with                                       |
| -------------------------------------- | ------------------------------------------------------------------ |
| `starting_state`                       | the state in which the episode began                               |
| `inaction`                             | the state of the world, had the agent done nothing since the start |
| `stepwise_inaction`                    | what doing nothing instead of this action leads to                 |
| `inaction_rollouts`                    | the same, both followed by doing nothing                           |

The tasks i, their chances F(i) and values V_i* are those of `craftworld.others.auxiliary_tasks`, the baselines those
of that file and of `craftworld.others.inaction_baselines`.

References: "Be Considerate", section 5 and appendix B; V. Krakovna, L. Orseau, M. Martic, S. Legg, "Penalizing side
effects using stepwise relative reachability", 2019; A. Turner, D. Hadfield-Menell, P. Tadepalli, "Conservative
agency via attainable utility preservation", 2020; V. Krakovna et al., "Avoiding side effects by considering future
tasks", 2020.
"""

import numpy as np

from craftworld.formulation import at_every_step
from craftworld.others.auxiliary_tasks import (
    AuxiliaryTasks,
    reachability_loss,
    starting_state,
    stepwise_inaction,
    utility_change,
)
from craftworld.others.inaction_baselines import TasksSinceStart, inaction, roll_out_inaction
from engine.mdp.mdp import Floats, TabularMDP

__all__ = [
    "attainable_utility_inaction",
    "attainable_utility_inaction_rollouts",
    "attainable_utility_starting_state",
    "attainable_utility_stepwise_inaction",
    "future_task",
    "future_task_inaction",
    "future_task_starting_state",
    "relative_reachability_inaction",
    "relative_reachability_inaction_rollouts",
    "relative_reachability_starting_state",
    "relative_reachability_stepwise_inaction",
]


@at_every_step(weighs=AuxiliaryTasks)
def relative_reachability_starting_state(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Relative reachability of every step against the start state: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`.

    f64[S, A, K]: what every step adds, the reachability of states that a step loses.
    """
    return -tasks.deviation(mdp, reachability_loss, starting_state(tasks))


@at_every_step(weighs=TasksSinceStart)
def relative_reachability_inaction(tasks: TasksSinceStart, mdp: TabularMDP) -> Floats:
    """Relative reachability of every step against a past without any action: - sum_i F(i) d_i(s'; b).

    f64[S, A, K]: what every step adds, the reachability of states that a step loses.
    """
    return -tasks.deviation(mdp, reachability_loss, inaction(tasks))


@at_every_step(weighs=AuxiliaryTasks)
def relative_reachability_stepwise_inaction(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Relative reachability of every step against doing nothing instead: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`.

    f64[S, A, K]: what every step adds, the reachability of states that a step loses.
    """  # noqa: E501
    return -tasks.deviation(mdp, reachability_loss, stepwise_inaction(tasks))


@at_every_step(weighs=AuxiliaryTasks)
def relative_reachability_inaction_rollouts(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Relative reachability against doing nothing instead, both followed by doing nothing: see `inaction_rollouts`.

    f64[S, A, K]: what every step adds, the reachability of states that a step loses, now or later.
    """
    rolled = roll_out_inaction(tasks, mdp.discount)
    return -rolled.deviation(mdp, reachability_loss, stepwise_inaction(rolled))


@at_every_step(weighs=AuxiliaryTasks)
def attainable_utility_starting_state(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Attainable utility of every step against the start state: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`.

    f64[S, A, K]: what every step adds, the change of what the agent could attain.
    """
    return -tasks.deviation(mdp, utility_change, starting_state(tasks))


@at_every_step(weighs=TasksSinceStart)
def attainable_utility_inaction(tasks: TasksSinceStart, mdp: TabularMDP) -> Floats:
    """Attainable utility of every step against a past without any action: - sum_i F(i) d_i(s'; b).

    f64[S, A, K]: what every step adds, the change of what the agent could attain.
    """
    return -tasks.deviation(mdp, utility_change, inaction(tasks))


@at_every_step(weighs=AuxiliaryTasks)
def attainable_utility_stepwise_inaction(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Attainable utility of every step against doing nothing instead: - sum_i F(i) d_i(s'; b), see `auxiliary_tasks`.

    f64[S, A, K]: what every step adds, the change of what the agent could attain.
    """
    return -tasks.deviation(mdp, utility_change, stepwise_inaction(tasks))


@at_every_step(weighs=AuxiliaryTasks)
def attainable_utility_inaction_rollouts(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Attainable utility against doing nothing instead, both followed by doing nothing: see `inaction_rollouts`.

    f64[S, A, K]: what every step adds, the change of what the agent could attain, now or later.
    """
    rolled = roll_out_inaction(tasks, mdp.discount)
    return -rolled.deviation(mdp, utility_change, stepwise_inaction(rolled))


@at_every_step(weighs=AuxiliaryTasks)
def future_task(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Future tasks (appendix B): what the agent can still do when it ends, or ends with probability 1 - gamma at each step.

        r_aux(s') = beta (1 - gamma) sum_i F(i) V_i*(s')   if s' is not terminal
                    beta sum_i F(i) V_i*(s')               if s' is terminal

    At discount 1 it is Eq 1 over the agent's own value functions. Reference: V. Krakovna et al., "Avoiding side effects
    by considering future tasks", 2020.

    f64[S, A, K]: what every step adds.
    """  # noqa: E501
    return reward_tasks(mdp, tasks.compute_expected_value())


def reward_tasks(mdp: TabularMDP, expected_value: Floats) -> Floats:
    """f64[S, A, K]: r_aux of `future_task` from sum_i F(i) V_i*, f64[S]."""
    entered: Floats = np.where(mdp.terminal, expected_value, (1.0 - mdp.discount) * expected_value)[mdp.next_state]
    entered[mdp.terminal] = 0.0
    return entered


@at_every_step(weighs=AuxiliaryTasks)
def future_task_starting_state(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
    """Future tasks with the starting-state baseline (appendix B.1): V_i*(s', s0) = min(V_i*(s'), V_i*(s0)).

    Holds in deterministic worlds; else as `future_task`. At discount 1 it is Eq 3 over the agent's own value functions.

    f64[S, A, K]: what every step adds.
    """
    return reward_tasks(mdp, tasks.compute_expected_value(lambda value, start: np.minimum(value, value[start])))


@at_every_step(weighs=TasksSinceStart)
def future_task_inaction(tasks: TasksSinceStart, mdp: TabularMDP) -> Floats:
    """Future tasks with the inaction baseline (appendix B.1): V_i*(s', b) = min(V_i*(s'), V_i*(b)).

    b is the state in which the world would be, had the agent done nothing since the start; in a world at rest that is
    the start state. So the agent gains nothing by keeping what would have been lost without it. Holds in deterministic
    worlds. Reference: V. Krakovna et al., "Avoiding side effects by considering future tasks", 2020.

    f64[S, A, K]: what every step adds.
    """
    both = tasks.deviation(mdp, np.minimum, inaction(tasks))
    return np.where(mdp.terminal[mdp.next_state], both, (1.0 - mdp.discount) * both)
