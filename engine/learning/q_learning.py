"""Tabular Q-learning on a table, from experience alone.

    Q(s, a) <- Q(s, a) + eta (r + gamma max_a' Q(s', a') - Q(s, a)),   epsilon-greedy, ties to the first action

The protocol is that of "Be Considerate", appendix C: exploration epsilon, learning rate eta, a number of steps,
episodes cut by a time limit, which bootstraps like any other step and does not terminate.

Initial action values. They must be optimistic, or an undiscounted learner stays with the first way out it finds: that
is why such a learner misses the optimum at larger caring coefficients. But a value far above the truth is slow to
mend: round a loop it falls by one step's cost a visit. So the learner starts from the tightest bound known before
learning: no more than nothing on the way, plus the best that ending can bring (`optimism`).

Remembered steps. In a deterministic world a step once seen is known for good, so after every real step up to
`replays` remembered ones are lived again where the values they lead to have moved (a queue of changed states, as in
prioritised sweeping: A. Moore, C. Atkeson, 1993; J. Peng, R. Williams, 1993). The update is the same, and no step of
the world is taken for it. `replays=0` is Q-learning as published; stochastic tables are never replayed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.errors import BadValue
from engine.learning.q_learning_kernel import learn
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import Policy

REPLAYS = 64


@dataclass(frozen=True)
class QLearning:
    """Hyper-parameters, those of the paper's appendix C by default.

    steps: of the world. episode_steps: the time limit. exploration: epsilon. learning_rate: eta. replays: remembered
    steps lived again after each real one, at most (rounded up to whole states).
    """

    steps: int = 700_000
    episode_steps: int = 1_000
    exploration: float = 0.5
    learning_rate: float = 1.0
    replays: int = REPLAYS

    def __post_init__(self) -> None:
        for name in ("steps", "episode_steps"):
            if getattr(self, name) < 1:
                raise BadValue(f"{name} = {getattr(self, name)}", place="Q-learning", remedy="take at least one step")
        if not 0.0 <= self.exploration <= 1.0:
            raise BadValue(f"exploration {self.exploration}", place="Q-learning", remedy="choose one in [0, 1]")
        if not 0.0 < self.learning_rate <= 1.0:
            raise BadValue(f"learning rate {self.learning_rate}", place="Q-learning", remedy="choose one in (0, 1]")
        if self.replays < 0:
            raise BadValue(f"replays = {self.replays}", place="Q-learning", remedy="choose 0 or more")


def q_learning(mdp: TabularMDP, key: int, settings: QLearning | None = None, initial: float | None = None) -> Floats:
    """Learn action values from steps in the table: f64[S, A].

    initial: initial action values, `optimism(mdp)` by default.
    """
    chosen = settings or QLearning()
    value = optimism(mdp) if initial is None else initial
    if not math.isfinite(value):
        raise BadValue(f"initial action value {value}", place="Q-learning", remedy="choose a finite number")
    starts = mdp.start_numbers()
    answer = learn(
        mdp.next_state,
        mdp.probability,
        np.ascontiguousarray(mdp.reward),
        mdp.terminal,
        mdp.discount,
        starts,
        np.cumsum(mdp.start[starts]),
        chosen.steps,
        chosen.episode_steps,
        chosen.exploration,
        chosen.learning_rate,
        float(value),
        chosen.replays if mdp.is_deterministic else 0,
        np.uint64(key),
    )
    return np.asarray(answer)


def optimism(mdp: TabularMDP) -> float:
    """The best that ending can pay beyond the dearest step, if steps on the way pay nothing or less; an upper bound.

    Where steps on the way may pay, the bound is what they could pay for ever (discounted) or over all states.
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
    return action_value.argmax(axis=1).astype(np.int32)
