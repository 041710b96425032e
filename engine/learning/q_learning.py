"""Tabular Q-learning on a table, from experience alone.

    Q(s, a) <- Q(s, a) + eta (r + gamma max_a' Q(s', a') - Q(s, a)),   epsilon-greedy, ties to the first action

The protocol is that of "Be Considerate", appendix C: exploration epsilon, learning rate eta, a number of steps,
episodes cut by a time limit, which bootstraps like any other step and does not terminate.

Initial action values. They must be optimistic, or an undiscounted learner stays with the first way out it finds: that
is why such a learner misses the optimum at larger caring coefficients. But a value far above the truth is slow to
fall: round a cycle it falls by one step's cost a visit. So the learner starts from the tightest bound known before
learning: a return of 0 before the last step, plus the best reward of that step (`find_optimistic_value`).

Planning steps. In a deterministic world a step once seen is known for good, so after every real step up to
`planning_steps` remembered ones are updated again where the values they lead to have changed (a queue of changed
states, as in prioritised sweeping: A. Moore, C. Atkeson, 1993; J. Peng, R. Williams, 1993; Sutton and Barto, section
8.4). The update is the same, and no step of the world is taken for it. When nothing new has been seen for a while, now
and then, values that still change are solved as a whole for all remembered steps, and in the end all of them are
(`engine.learning.remembered_model`).

Q-learning as published. `planning_steps=0` takes one update a step and remembers nothing. With `ties="random"` and a
low initial value it is that of textbooks and many scripts. Below the returns that can be earned an initial value is
pessimistic: once a way to an end is known, an action that was never tried is not preferred to it, and only
exploration leads to a better one. References: C. Watkins, "Learning from delayed rewards", 1989; R. Sutton, A. Barto,
"Reinforcement Learning", 2nd edition, section 6.5.

In a stochastic world how often each step led where is remembered, and no update is repeated; a learning rate of 1 means
the average, 1 / n at the nth step from a state by an action (a rate of 1 would forget all but the last).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from engine.errors import BadValue, NoPlan
from engine.learning.q_learning_kernels import (
    FIRST,
    KNOWN_AFTER,
    NEVER,
    NEWEST,
    SETTLED,
    STEP,
    WAITING,
    learn,
    learn_by_chance,
    learn_remembering,
    list_choices,
    make_memory,
    make_step_table,
)
from engine.learning.remembered_model import (
    has_shortest_paths,
    solve_by_shortest_paths,
    solve_optimistically,
    take_over,
)
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.reachability import find_zero_cost_cycle_states, has_proper_policy
from engine.planning.dynamic_programming import TIE, Solution, evaluate_policy, has_no_positive_step
from engine.printable import show_value
from engine.value_types import STEPS

PLANNING_STEPS = 64
PATIENT_EPISODES = 4
MOST_STEPS = STEPS.most
STEPS_A_PAIR, EPISODES_A_START = 6, 10
ROUNDING, NOISE, IDLING = 1e-9, 0.01, 10.0


@dataclass(frozen=True)
class QLearningSettings:
    """Hyper-parameters, those of the paper's appendix C by default.

    Parameters
    ----------
    steps : steps of the world.
    episode_steps : the time limit of an episode.
    epsilon : probability of a random action.
    learning_rate : eta, from above 0 to 1.
    planning_steps : remembered steps updated again after each real one, at most (rounded up to whole states).
    ties : which of several best actions is taken, the first or any at random; at random only without planning steps.

    Raises
    ------
    BadValue : for a number outside its domain.
    """

    steps: int = 700_000
    episode_steps: int = 1_000
    epsilon: float = 0.5
    learning_rate: float = 1.0
    planning_steps: int = PLANNING_STEPS
    ties: Literal["first", "random"] = "first"

    def __post_init__(self) -> None:
        for name in ("steps", "episode_steps"):
            if not 1 <= getattr(self, name) <= MOST_STEPS:
                remedy = "take at least one step" if getattr(self, name) < 1 else f"take at most {MOST_STEPS:,}"
                raise BadValue(f"{name} = {getattr(self, name)}", place="Q-learning", remedy=remedy)
        if not 0.0 <= self.epsilon <= 1.0:
            raise BadValue(f"epsilon {self.epsilon}", place="Q-learning", remedy="choose one in [0, 1]")
        if not 0.0 < self.learning_rate <= 1.0:
            raise BadValue(f"learning rate {self.learning_rate}", place="Q-learning", remedy="choose one in (0, 1]")
        if self.planning_steps < 0:
            raise BadValue(f"planning_steps = {self.planning_steps}", place="Q-learning", remedy="choose 0 or more")
        if self.ties not in ("first", "random"):
            raise BadValue(f"ties = {show_value(self.ties)}", place="Q-learning", remedy="choose 'first' or 'random'")
        if self.ties == "random" and self.planning_steps:
            problem = f"ties = 'random' with {self.planning_steps} planning steps"
            raise BadValue(problem, place="Q-learning", remedy="choose planning_steps = 0")


class TableLearner:
    """Learns the action values of a table from steps in it, and can go on learning.

    Parameters
    ----------
    mdp : the table, read one step at a time.
    key : of exploration and chance; the same key learns the same bits.
    settings : the hyper-parameters.
    initial : every action value at first, by default `find_optimistic_value(mdp)`; 0 in terminal states.

    Raises
    ------
    BadValue : where `initial` is not finite.
    """

    def __init__(
        self, mdp: TabularMDP, key: int, settings: QLearningSettings | None = None, initial: float | None = None
    ) -> None:
        self.mdp, self.settings = mdp, settings or QLearningSettings()
        self.initial = float(find_optimistic_value(mdp) if initial is None else initial)
        if not math.isfinite(self.initial):
            raise BadValue(f"initial action value {self.initial}", place="Q-learning", remedy="choose a finite number")
        self._key = np.uint64(key)
        self._remembers = self.settings.planning_steps > 0
        self._memory = make_memory(mdp, self.initial, self._remembers)
        self._values = self._memory.action_value[:, : len(mdp.actions)]
        self._steps_cost = self._remembers and has_shortest_paths(mdp, SETTLED)
        self._explored = _charge_idling(mdp, self.initial) if self._remembers and not self._steps_cost else mdp
        self._has_paths = self._steps_cost or (self._remembers and has_shortest_paths(self._explored))
        self._by_chance = not mdp.is_deterministic or self.settings.ties == "random"
        self._table = self._prepare_table()
        self._starts = mdp.start_states()
        tries = count_pairs(mdp)
        self._patience = self._least_patience = max(PATIENT_EPISODES * self.settings.episode_steps, tries // 16)
        self._longest = STEPS_A_PAIR * tries + self._least_patience
        self._solution: Solution | None = None
        self._solved, self._solved_once = -1, mdp.is_deterministic and mdp.discount == 1.0 and has_no_positive_step(mdp)

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        return int(self._memory.counters[STEP])

    @property
    def action_value(self) -> Floats:
        """Q, f64[S, A]; -inf where the remembered steps hold no way to an end, and where an action is not available."""
        return self._values.copy() if self._solution is None else self._solution.action_value

    @property
    def policy(self) -> Policy:
        """int32[S]: the greedy policy; of equally good actions one that leads to an end, else the first."""
        return find_greedy_policy(self._values) if self._solution is None else self._solution.policy

    def learn(self, until: int, episode_steps: int | None = None) -> None:
        """Go on until so many steps have been taken in all, or a cycle is known that gains for ever.

        episode_steps: another time limit from now on.
        """
        mdp, memory = self.mdp, self._memory
        chosen = self.settings = replace(self.settings, episode_steps=episode_steps or self.settings.episode_steps)
        while self.steps < until:
            chances = mdp.start[self._starts]
            episodes = (self._starts, chances / chances.sum(), chosen.episode_steps)
            rule = (mdp.discount, chosen.epsilon, chosen.learning_rate)
            at_most = min(until, self.steps + self._longest) if self._remembers else until
            patience = self._patience if self._remembers else until
            given = (self._table, episodes, rule, at_most, self._key)
            if self._by_chance:
                learn_by_chance(*given, tuple(memory), patience, chosen.ties == "random")
            elif self._remembers:
                learn_remembering(*given, memory.in_rows(), len(mdp.actions), chosen.planning_steps, patience)
            else:
                learn(*given, memory.in_rows())
            if self._remembers:
                self._patience = max(self._least_patience, 2 * (self.steps - int(memory.counters[NEWEST])))
                self._longest *= 1 if mdp.is_deterministic else 2
                if self.steps >= until or not self._is_consistent():
                    self._solve_remembered()
            if self._solution is not None and np.isposinf(self._solution.value[self._starts]).all():
                break  # a cycle gains for ever: nothing is better
        if self._explored is not mdp:  # of equally good ways those that are known to end, not those that were not tried
            self._solution = solve_optimistically(mdp, memory, self.initial, self.policy)

    def _prepare_table(self) -> tuple[Any, ...]:
        """Return the table as the loop that fits it reads it."""
        mdp = self._explored
        if not self._by_chance:
            return tuple(make_step_table(mdp, self._memory.action_value.shape[1]))
        reward = np.ascontiguousarray(mdp.reward)
        return (mdp.next_state, mdp.probability, reward, mdp.terminal, *list_choices(mdp))

    def _solve_remembered(self) -> None:
        """Take over the values that all remembered steps allow; begin no more where no way leads to an end."""
        memory, newest = self._memory, int(self._memory.counters[NEWEST])
        solution = self._solution if self._solved_once and newest == self._solved else None
        if solution is None:
            try:
                solution = self._solution = self._best_remembered()
            except NoPlan:  # stochastic and undiscounted, with steps that may gain for ever
                return
        self._solved = newest
        if not self._is_consistent():
            held = (memory.action_value, memory.value, memory.greedy)
            take_over(solution.action_value, self.mdp.is_deterministic, *held)
            memory.queued[:] = False
            memory.counters[[FIRST, WAITING]] = 0
        hopeful = self._starts[np.isfinite(solution.value[self._starts])]
        self._starts = hopeful if len(hopeful) else self._starts

    def _is_consistent(self) -> bool:
        """Whether the values are those that all remembered steps allow: no update waits, and all starts lead to an end.

        Values that fit one another are the only ones where every step costs something: a greedy path then ends.
        """
        best = self._memory.value[self._starts]
        return self._steps_cost and not self._memory.counters[WAITING] and bool((best > NEVER / 2).all())

    def _best_remembered(self) -> Solution:
        if self._has_paths:
            return solve_by_shortest_paths(self._explored, self._table, self._memory, self.initial)
        return solve_optimistically(self._explored, self._memory, self.initial)

    def is_settled(self) -> bool:
        """Return whether the greedy policy earns what the values promise; on a stochastic table, within a hundredth."""
        return self.residual(0.0 if self.mdp.is_deterministic else NOISE) == 0.0

    def residual(self, relative: float = 0.0) -> float:
        """Return how far the greedy policy's returns are from what the values promise, at most, over the start states.

        It is the sum of the Bellman residuals Q(s, a) - E(r + gamma max_a' Q(s', a')) on the policy's way. Where it is
        0 the policy is optimal, given a deterministic table and initial values that are an upper bound. Start states
        from which nothing ends are left out: there is nothing to learn. relative: differences that count as 0, as a
        share of the value.
        """
        starts, policy = self.mdp.start_states(), self.policy
        if self.mdp.discount == 1.0 and not self._ends(policy)[starts].all():
            starts = starts[has_proper_policy(self.mdp, find_zero_cost_cycle_states(self.mdp))[starts]]
        promised = self.action_value[starts].max(axis=1)
        earned = evaluate_policy(self.mdp, policy)[starts]
        unsettled = (earned != promised) & ~np.isposinf(earned)
        promised, earned = promised[unsettled], earned[unsettled]
        gap = np.abs(promised - earned)
        return float(gap[gap > max(ROUNDING, relative) * np.maximum(1.0, np.abs(promised))].max(initial=0.0))

    def _ends(self, policy: Policy) -> Booleans:
        """bool[S]: from which states a policy, int32[S], of a deterministic table ends; none of a stochastic one."""
        if not self.mdp.is_deterministic:
            return np.zeros(len(policy), dtype=np.bool_)
        each_step = self.mdp.with_reward(np.broadcast_to(np.float64(-1.0), self.mdp.reward.shape))
        return np.isfinite(evaluate_policy(each_step, policy))


def learn_action_values(
    mdp: TabularMDP, key: int, settings: QLearningSettings | None = None, initial: float | None = None
) -> Floats:
    """Learn f64[S, A] in `settings.steps` steps, -inf for actions that are not available; see `TableLearner`."""
    learner = TableLearner(mdp, key, settings, initial)
    learner.learn(learner.settings.steps)
    return learner.action_value


def count_enough_steps(mdp: TabularMDP, episode_steps: int) -> int:
    """Return how many steps learning a table takes, by its size alone: the larger of two numbers.

    6 for each pair of state and action, about as many as "Be Considerate" gives its own workshop (700,000 for 111,618
    pairs), 30 times as many on a stochastic table, where a pair is known after 30 tries; 10 whole episodes for each
    start state, since those from which nothing ends are as long as the limit.
    """
    tries = 1 if mdp.is_deterministic else KNOWN_AFTER
    return max(STEPS_A_PAIR * tries * count_pairs(mdp), EPISODES_A_START * len(mdp.start_states()) * episode_steps)


def count_pairs(mdp: TabularMDP) -> int:
    """Return how many pairs of a state that is not terminal and an available action a table has."""
    live = np.flatnonzero(~mdp.terminal)
    return len(live) * len(mdp.actions) if mdp.available is None else int(mdp.available[live].sum())


def _charge_idling(mdp: TabularMDP, initial: float) -> TabularMDP:
    """Return a deterministic, undiscounted table in which every step costs a little more than what counts as a tie.

    Where steps are free, all that is known of the world may be worth what untried actions promise, and a learner that
    takes the first of equal actions would wait there for ever. The table itself where no step is free.
    """
    if mdp.discount < 1.0 or not mdp.is_deterministic or has_shortest_paths(mdp):
        return mdp
    on_the_way = ~mdp.terminal[:, None, None] & ~mdp.terminal[mdp.next_state]
    return mdp.with_reward(mdp.reward - IDLING * TIE * max(1.0, abs(initial)) * on_the_way)


def find_optimistic_value(mdp: TabularMDP) -> float:
    """Return a bound of every state's value: the best reward of a last step, if other steps have none above 0.

    Otherwise the bound adds what the best of them could bring for ever (discounted) or once a state (undiscounted).
    """
    possible = (mdp.probability > 0) & ~mdp.terminal[:, None, None]
    ending = possible & mdp.terminal.take(mdp.next_state)
    on_the_way = possible & ~ending
    best_end = float(mdp.reward.max(where=ending, initial=-math.inf)) if ending.any() else 0.0
    best_step = float(mdp.reward.max(where=on_the_way, initial=-math.inf)) if on_the_way.any() else 0.0
    horizon = len(mdp.terminal) if mdp.discount == 1.0 else 1.0 / (1.0 - mdp.discount)
    if best_step > 0:
        return max(best_end, 0.0) + best_step * horizon
    return best_end if mdp.discount == 1.0 else max(best_end, best_step * horizon)


def find_greedy_policy(action_value: Floats) -> Policy:
    """Return int32[S], the first action of largest value."""
    policy: Policy = action_value.argmax(axis=1).astype(np.int32)
    return policy
