"""The candidates: each newcomer of a scenario as an agent that acts by Boltzmann's rule for its own reward.

    P(a | s, V) = exp(Q_V(s, a) / T) / sum_b exp(Q_V(s, b) / T)

T is the temperature, in units of the reward: 0 would be an agent that makes no mistake. Where nothing can be finished
any more, every available action is as likely. Reference: D. Ramachandran, E. Amir, "Bayesian inverse reinforcement
learning", 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from craftworld.others.value_distribution import newcomer_table
from craftworld.scenario import Newcomer, Scenario
from engine.errors import BadValue
from engine.mdp.episode import Trajectory, sample
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import split, uniform
from engine.randomness.inverse_cdf import inverse_cdf

SAME = 1e-9


@dataclass(frozen=True)
class Candidate:
    """newcomer: who it is. table: its world, from all that may be handed over. log_policy: f64[S, A], the logarithms of
    action chances, which may themselves be too small for a float.
    """

    newcomer: Newcomer
    table: TabularMDP
    log_policy: Floats

    @property
    def policy(self) -> Floats:
        """f64[S, A]: action chances."""
        return np.asarray(np.exp(self.log_policy))

    @property
    def name(self) -> str:
        """The newcomer's name."""
        return self.newcomer.name

    def log_likelihood(self, trajectory: Sequence[tuple[object, str]]) -> float:
        """log P of the actions of a trajectory, (state, action) pairs; -inf where it cannot have come there."""
        total = 0.0
        for state, action in trajectory:
            if state not in self.table.index or action not in self.table.actions:
                return -math.inf
            number = self.table.index[state]
            if self.table.terminal[number]:
                return -math.inf
            total += float(self.log_policy[number, self.table.actions.index(action)])
        return total

    def trajectory(self, seed: int, limit: int | None = None) -> Trajectory:
        """One that it would show, from a random start; a function of the seed."""
        starts = self.table.start_states()
        start = int(starts[int(inverse_cdf(self.table.start[starts], uniform(split(seed, "start"), 0)))])
        counter = iter(range(10**9))

        policy = self.policy

        def act(state: int) -> int:
            return int(inverse_cdf(policy[state], uniform(split(seed, "actions"), next(counter))))

        return sample(self.table, act, start, limit or self.newcomer.scenario.time_limit, split(seed, "steps"))


def candidates_of(scenario: Scenario, mdp: TabularMDP, temperature: float) -> tuple[Candidate, ...]:
    """The candidates of a scenario, in the order of its newcomers.

    mdp: the acting agent's table. Raises BadValue for a temperature that is not above 0, or fewer than two newcomers.
    """
    if not (math.isfinite(temperature) and temperature > 0.0):
        raise BadValue(f"it is {temperature}", place="temperature", remedy="choose a number above 0")
    newcomers = scenario.newcomers()
    if len(newcomers) < 2:
        problem = f"who comes is known: {'one newcomer' if newcomers else 'nobody'}"
        raise BadValue(problem, place=scenario.name, remedy="choose a scenario with several newcomers")
    result = []
    for newcomer in newcomers:
        table, _ = newcomer_table(scenario, mdp, newcomer)
        result.append(Candidate(newcomer, table, log_boltzmann(table, temperature)))
    return tuple(result)


def log_boltzmann(table: TabularMDP, temperature: float) -> Floats:
    """f64[S, A]: Boltzmann's rule for the optimal action values of a table, as logarithms of chances."""
    action_value = plan(table).action_value
    best = action_value.max(axis=1, keepdims=True)
    lost = ~np.isfinite(best)
    available = np.ones(action_value.shape, dtype=np.bool_) if table.available is None else table.available
    with np.errstate(invalid="ignore", over="ignore"):
        exponent = np.where(lost, np.where(available, 0.0, -np.inf), (action_value - best) / temperature)
    return np.asarray(exponent - np.log(np.exp(exponent).sum(axis=1, keepdims=True)))


def indistinguishable(candidates: Sequence[Candidate]) -> tuple[tuple[str, ...], ...]:
    """Groups of names that no behaviour can tell apart: they act with the same chances in the same states."""
    groups: list[list[Candidate]] = []
    for each in candidates:
        for group in groups:
            if _same(group[0], each):
                group.append(each)
                break
        else:
            groups.append([each])
    return tuple(tuple(each.name for each in group) for group in groups if len(group) > 1)


def _same(one: Candidate, other: Candidate) -> bool:
    if one.policy.shape != other.policy.shape or list(one.table.states) != list(other.table.states):
        return False
    live = ~one.table.terminal
    alike = (one.table.terminal == other.table.terminal).all() and (one.table.start == other.table.start).all()
    moves = np.array_equal(one.table.next_state, other.table.next_state)
    return bool(alike and moves and np.abs(one.policy - other.policy)[live].max(initial=0.0) <= SAME)
