"""Tabular Q-learning as textbooks and many published scripts have it: one update a step, nothing remembered.

    Q(s, a) <- Q(s, a) + eta (r + gamma max_a' Q(s', a') - Q(s, a)),   epsilon-greedy, ties at random

All action values start at one number. Below the returns that can be earned it is pessimistic: once a way to an end is
known, an action that was never tried is not preferred to it, and only exploration leads to a better one. The learner
that results are made with is `engine.learning.q_learning`. Reference: C. Watkins, "Learning from delayed rewards",
1989; R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, section 6.5.
"""

from __future__ import annotations

import math

import numpy as np

from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.learning.q_learning import QLearningSettings
from engine.learning.q_learning_kernels import list_choices
from engine.mdp.mdp import Floats, TabularMDP
from engine.randomness.compiled import inverse_cdf, uniform_2

EXPLORES, EXPLORED, TIE, SUCCESSOR, START = range(5)


def textbook_q_learning(mdp: TabularMDP, key: int, settings: QLearningSettings, initial: float) -> Floats:
    """Action values f64[S, A] after `settings.steps` steps, -inf for actions that are not available.

    key: of exploration, ties and chance. initial: every action value at first; 0 in terminal states. The planning
    steps of the settings are not taken. Raises BadValue for an initial value that is not finite.
    """
    if not math.isfinite(initial):
        raise BadValue(f"initial action value {initial}", place="Q-learning", remedy="choose a finite number")
    action_value = np.full((len(mdp.terminal), len(mdp.actions)), float(initial))
    action_value[mdp.terminal] = 0.0
    if mdp.available is not None:
        action_value[~mdp.available] = -np.inf
    starts = mdp.start_states()
    _learn(
        mdp.next_state,
        mdp.probability,
        np.ascontiguousarray(mdp.reward),
        mdp.terminal,
        mdp.discount,
        starts,
        mdp.start[starts] / mdp.start[starts].sum(),
        settings.steps,
        settings.episode_steps,
        settings.epsilon,
        settings.learning_rate,
        np.uint64(key),
        *list_choices(mdp),
        action_value,
    )
    return action_value


@kernel
def _learn(  # type: ignore[no-untyped-def]
    next_state,
    probability,
    reward,
    terminal,
    discount,
    starts,
    chances,
    steps,
    episode_steps,
    epsilon,
    learning_rate,
    key,
    choices,
    widths,
    q,
):
    """Update q, f64[S, A], in place. Each decision of a step draws its own number."""
    actions = q.shape[1]
    state, age = starts[inverse_cdf(chances, uniform_2(key, 0, START))], 0
    for step in range(steps):
        if uniform_2(key, step, EXPLORES) < epsilon:
            number = uniform_2(key, step, EXPLORED)
            if len(choices) > 0:
                action = choices[state, np.int64(number * widths[state])]
            else:
                action = np.int64(number * actions)
        else:
            best = q[state].max()
            ties = 0
            for other in range(actions):
                ties += q[state, other] == best
            left = np.int64(uniform_2(key, step, TIE) * ties)
            action = 0
            while q[state, action] != best or left > 0:
                left -= q[state, action] == best
                action += 1
        slot = inverse_cdf(probability[state, action], uniform_2(key, step, SUCCESSOR))
        target = next_state[state, action, slot]
        value = reward[state, action, slot] + discount * q[target].max()
        q[state, action] += learning_rate * (value - q[state, action])
        state = target
        age += 1
        if terminal[state] or age == episode_steps:
            state, age = starts[inverse_cdf(chances, uniform_2(key, step + 1, START))], 0
