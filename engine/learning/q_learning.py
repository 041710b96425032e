"""Tabular Q-learning on a table, from experience alone.

    Q(s, a) <- Q(s, a) + eta (r + gamma max_a' Q(s', a') - Q(s, a)),   epsilon-greedy, ties to the first action

The protocol is that of "Be Considerate", appendix C: exploration epsilon, learning rate eta, a number of steps,
episodes cut by a time limit, which bootstraps like any other step and does not terminate.

Initial action values. They must be optimistic, or an undiscounted learner stays with the first way out it finds: that
is why such a learner misses the optimum at larger caring coefficients. But a value far above the truth is slow to
fall: round a cycle it falls by one step's cost a visit. So the learner starts from the tightest bound known before
learning: a return of 0 before the last step, plus the best reward of that step (`optimistic_initial_value`).

Planning steps. In a deterministic world a step once seen is known for good, so after every real step up to
`planning_steps` remembered ones are updated again where the values they lead to have changed (a queue of changed
states, as in prioritised sweeping: A. Moore, C. Atkeson, 1993; J. Peng, R. Williams, 1993; Sutton and Barto, section
8.4). The update is the same, and no step of the world is taken for it. `planning_steps=0` is Q-learning as published;
stochastic tables have none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.errors import BadValue
from engine.learning.q_learning_kernel import learn
from engine.mdp.mdp import Floats, Policy, TabularMDP

PLANNING_STEPS = 64


@dataclass(frozen=True)
class QLearningSettings:
    """Hyper-parameters, those of the paper's appendix C by default.

    steps: of the world. episode_steps: the time limit. epsilon: probability of a random action. learning_rate: eta.
    planning_steps: remembered steps updated again after each real one, at most (rounded up to whole states).
    """

    steps: int = 700_000
    episode_steps: int = 1_000
    epsilon: float = 0.5
    learning_rate: float = 1.0
    planning_steps: int = PLANNING_STEPS

    def __post_init__(self) -> None:
        for name in ("steps", "episode_steps"):
            if getattr(self, name) < 1:
                raise BadValue(f"{name} = {getattr(self, name)}", place="Q-learning", remedy="take at least one step")
        if not 0.0 <= self.epsilon <= 1.0:
            raise BadValue(f"epsilon {self.epsilon}", place="Q-learning", remedy="choose one in [0, 1]")
        if not 0.0 < self.learning_rate <= 1.0:
            raise BadValue(f"learning rate {self.learning_rate}", place="Q-learning", remedy="choose one in (0, 1]")
        if self.planning_steps < 0:
            raise BadValue(f"planning_steps = {self.planning_steps}", place="Q-learning", remedy="choose 0 or more")


def q_learning(
    mdp: TabularMDP, key: int, settings: QLearningSettings | None = None, initial: float | None = None
) -> Floats:
    """Action values f64[S, A] learned by Q-learning from steps in the table, -inf for actions that are not available.

    mdp: the table, read one step at a time. key: of exploration and chance. settings: the hyper-parameters.
    initial: initial action values, `optimistic_initial_value(mdp)` by default. Raises BadValue where it is not finite.
    """
    chosen = settings or QLearningSettings()
    value = optimistic_initial_value(mdp) if initial is None else initial
    if not math.isfinite(value):
        raise BadValue(f"initial action value {value}", place="Q-learning", remedy="choose a finite number")
    starts = mdp.start_states()
    action_value = learn(
        mdp.next_state,
        mdp.probability,
        np.ascontiguousarray(mdp.reward),
        mdp.terminal,
        mdp.discount,
        starts,
        mdp.start[starts],
        chosen.steps,
        chosen.episode_steps,
        chosen.epsilon,
        chosen.learning_rate,
        float(value),
        chosen.planning_steps if mdp.is_deterministic else 0,
        np.uint64(key),
        np.empty((0, len(mdp.actions)), dtype=np.bool_) if mdp.available is None else mdp.available,
    )
    return np.asarray(action_value)


def optimistic_initial_value(mdp: TabularMDP) -> float:
    """An upper bound of the value of every state: the best reward of a last step, if other steps have none above 0.

    Otherwise the bound adds what the best of them could bring for ever (discounted) or once a state (undiscounted).
    """
    possible = (mdp.probability > 0) & ~mdp.terminal[:, None, None]
    ending = possible & mdp.terminal[mdp.next_state]
    on_the_way = possible & ~ending
    best_end = float(mdp.reward.max(where=ending, initial=-math.inf)) if ending.any() else 0.0
    best_step = float(mdp.reward.max(where=on_the_way, initial=-math.inf)) if on_the_way.any() else 0.0
    horizon = len(mdp.terminal) if mdp.discount == 1.0 else 1.0 / (1.0 - mdp.discount)
    if best_step > 0:
        return max(best_end, 0.0) + best_step * horizon
    return best_end if mdp.discount == 1.0 else max(best_end, best_step * horizon)


def greedy_policy(action_value: Floats) -> Policy:
    """int32[S]: the first action of largest value."""
    policy: Policy = action_value.argmax(axis=1).astype(np.int32)
    return policy
