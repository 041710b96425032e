"""Q-learning on what an agent observes of a table in which states look alike.

    Q(o, a) <- Q(o, a) + eta_n (r + gamma max_a' Q(o', a') - Q(o, a)),   eta_n = n^-0.7 at the nth update of (o, a)

o is the observation of the state (`TabularMDP.observation`), so that the learner cannot tell apart states that look
alike. Where one observation stands for several states there is no model of single steps to remember, so that nothing
is replayed: this is Q-learning as published (C. Watkins, 1989), epsilon-greedy, ties to the first action. The policy
that is found has no memory; the best that an observer with memory can do is the optimum over beliefs
(`engine.mdp.beliefs`).

Choices: the polynomial learning rate with exponent 0.7 (E. Even-Dar, Y. Mansour, "Learning rates for Q-learning", 2003,
find exponents between 1/2 and 1 to be far faster than 1/n). A rate eta below 1 in the settings is kept as it is.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.learning.q_learning import NOISE, QLearningSettings, TableLearner, find_optimistic_value
from engine.learning.q_learning_kernels import draw_episode_start
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.finite_horizon import compute_limited_return
from engine.randomness.compiled import bits_1, inverse_cdf, uniform_2

EXPONENT = 0.7
STEP, EPISODE, AGE, STATE = range(4)


class ObservedLearner:
    """Learns the action values of observations from steps in a table, and can go on learning; as `TableLearner`.

    mdp: the table, read one step at a time. key: of exploration and chance. settings: the hyper-parameters, without
    planning steps. initial: initial action values, `find_optimistic_value(mdp)` by default. Raises BadValue where it
    is not finite.
    """

    def __init__(
        self, mdp: TabularMDP, key: int, settings: QLearningSettings | None = None, initial: float | None = None
    ) -> None:
        self.mdp = mdp
        self.settings = settings or QLearningSettings()
        start = float(find_optimistic_value(mdp) if initial is None else initial)
        if not math.isfinite(start):
            raise BadValue(f"initial action value {start}", place="Q-learning", remedy="choose a finite number")
        self._key = np.uint64(key)
        self._q = np.full((mdp.count_observations(), len(mdp.actions)), start)
        self._tried = np.zeros(self._q.shape, dtype=np.int64)
        self._counters = np.array([0, 0, 0, -1])

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        return int(self._counters[STEP])

    @property
    def action_value(self) -> Floats:
        """Q, f64[S, A]: the values of each state's observation; -inf where an action is not available."""
        return np.where(_find_available(self.mdp), self._q[self.mdp.observations], -np.inf)

    @property
    def policy(self) -> Policy:
        """int32[S]: the greedy policy, one action per observation where it is available in all its states."""
        policy: Policy = self.action_value.argmax(axis=1).astype(np.int32)
        return policy

    def learn(self, until: int, episode_steps: int | None = None) -> None:
        """Go on until so many steps have been taken in all. episode_steps: another time limit from now on."""
        self.settings = replace(self.settings, episode_steps=episode_steps or self.settings.episode_steps)
        mdp = self.mdp
        starts = mdp.start_states()
        learn_observed(
            (mdp.next_state, np.ascontiguousarray(mdp.probability), np.ascontiguousarray(mdp.reward), mdp.terminal),
            (mdp.observations, _find_available(mdp)),
            (starts, mdp.start[starts] / mdp.start[starts].sum(), self.settings.episode_steps),
            (mdp.discount, self.settings.epsilon, self.settings.learning_rate),
            until,
            self._key,
            (self._q, self._tried, self._counters),
        )

    def is_settled(self) -> bool:
        """Return whether the greedy policy earns what the values promise, within a hundredth."""
        return self.residual(NOISE) == 0.0

    def residual(self, relative: float = 0.0) -> float:
        """Return how far the greedy policy's return is from what the values promise, the mean over the start states.

        relative: differences that count as 0, as a share of the value.
        """
        chance = self.mdp.start
        starts = self.mdp.start_states()
        policy = self.policy
        earned = evaluate_policy(self.mdp, policy)
        earned = np.where(
            np.isfinite(earned), earned, compute_limited_return(self.mdp, policy, self.settings.episode_steps)
        )
        promised = self.action_value.max(axis=1)
        gap = abs(float(chance[starts] @ (promised - earned)[starts]))
        return gap if gap > relative * max(1.0, abs(float(chance[starts] @ earned[starts]))) else 0.0


def make_learner(mdp: TabularMDP, key: int, settings: QLearningSettings) -> TableLearner | ObservedLearner:
    """Make the Q-learner of a table: of its observations where states look alike, else of its states."""
    return (TableLearner if mdp.observation is None else ObservedLearner)(mdp, key, settings)


def _find_available(mdp: TabularMDP) -> Booleans:
    """bool[S, A]: the available actions."""
    everywhere: Booleans = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    return everywhere if mdp.available is None else mdp.available


@kernel
def learn_observed(table, seen, episodes, rule, until, key, memory):  # type: ignore[no-untyped-def]
    """Go on learning up to step number `until`.

    table: next_state, probability, reward, terminal of a TabularMDP. seen: its observations int64[S] and available
    actions bool[S, A]. episodes: start states, their probabilities, the time limit. rule: discount, epsilon, learning
    rate. memory: Q f64[O, A], how often each was updated, and the counters STEP to STATE.
    """
    next_state, probability, reward, terminal = table
    observation, available = seen
    start_states, start_chances, episode_steps = episodes
    discount, epsilon, learning_rate = rule
    q, tried, counters = memory
    actions = q.shape[1]
    threshold = np.uint64(epsilon * 4294967296.0)
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    episode, age, state = counters[EPISODE], counters[AGE], counters[STATE]
    if state < 0:
        state = draw_episode_start(start_states, start_chances, key, episode)
    step = counters[STEP]
    while step < until:
        draw = bits_1(key, step)
        o = observation[state]
        action = -1
        if (draw >> half) < threshold:
            possible = np.uint64(available[state].sum())
            left = np.int64(((draw & low) * possible) >> half)
            for other in range(actions):
                if available[state, other]:
                    if left == 0:
                        action = other
                    left -= 1
        else:
            for other in range(actions):
                if available[state, other] and (action < 0 or q[o, other] > q[o, action]):
                    action = other
        slot = inverse_cdf(probability[state, action], uniform_2(key, step, 1))
        target = np.int64(next_state[state, action, slot])
        promised = 0.0
        if not terminal[target]:
            promised = -np.inf
            for other in range(actions):
                if available[target, other]:
                    promised = max(promised, q[observation[target], other])
        tried[o, action] += 1
        rate = learning_rate if learning_rate < 1.0 else tried[o, action] ** -EXPONENT
        q[o, action] += rate * (reward[state, action, slot] + discount * promised - q[o, action])
        state = target
        age += 1
        if terminal[state] or age == episode_steps:
            episode += 1
            age = 0
            state = draw_episode_start(start_states, start_chances, key, episode)
        step += 1
    counters[STEP], counters[EPISODE], counters[AGE], counters[STATE] = step, episode, age, state
