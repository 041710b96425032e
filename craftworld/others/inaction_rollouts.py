"""Inaction rollouts: a state is worth what doing nothing from it on would lead to, discounted.

    X'(s) = (1 - y) sum over k >= 0 of y^k E X(S_k),   S_0 = s,  S_{k+1} what doing nothing in S_k leads to

In a world at rest X' is X. In one that moves by itself, the effects of an action that come later are counted at once,
so that they need not be set right afterwards. References: V. Krakovna et al., "Penalizing side
effects using stepwise relative reachability", 2019, section 2; A. Turner et al., "Conservative agency via attainable
utility preservation", 2020.

Choice: y is the discount of the table, and 0.99 where that is 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from craftworld.others.auxiliary_tasks import AuxiliaryTasks
from engine.mdp.mdp import Floats
from engine.mdp.random_states import RandomStates

UNDISCOUNTED = 0.99
NEGLIGIBLE = 1e-17


def with_inaction_rollouts(tasks: AuxiliaryTasks, discount: float) -> AuxiliaryTasks:
    """The same tasks, each value function replaced by its mean over the rollouts."""
    rolled = discounted_rollouts(tasks.inaction_everywhere(), UNDISCOUNTED if discount >= 1.0 else discount)
    return replace(tasks, values=lambda: map(rolled, tasks.values()))


def discounted_rollouts(inaction: RandomStates, discount: float) -> Callable[[Floats], Floats]:
    """From values f64[E] to their means over rollouts, f64[E]. inaction: of each of the E states. discount: below 1."""
    if inaction.number.shape[1] > 1:
        return _by_chance(inaction, discount)
    jumps, weights = [inaction.number[:, 0]], [discount]
    while weights[-1] > NEGLIGIBLE:  # 1, 2, 4, ... steps of doing nothing
        jumps.append(jumps[-1][jumps[-1]])
        weights.append(weights[-1] ** 2)

    def rolled(value: Floats) -> Floats:
        result = (1.0 - discount) * value
        for jump, weight in zip(jumps, weights, strict=True):
            result = result + weight * result[jump]
        return result

    return rolled


def _by_chance(inaction: RandomStates, discount: float) -> Callable[[Floats], Floats]:
    """X' solves X' = (1 - y) X + y P X'."""
    from scipy.sparse import csc_matrix, identity
    from scipy.sparse.linalg import splu

    count, width = inaction.number.shape
    origin = np.repeat(np.arange(count), width)
    chain = csc_matrix((inaction.probability.ravel(), (origin, inaction.number.ravel())), shape=(count, count))
    solver = splu((identity(count, format="csc") - discount * chain).tocsc())
    return lambda value: np.asarray(solver.solve((1.0 - discount) * value))
