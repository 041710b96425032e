"""A distribution P(V) over others' value functions, precomputed on the acting agent's states.

V(s) is what a newcomer can expect if the acting agent ends in s and the newcomer then starts from what s hands over,
the mean where that is random; it need not start where the acting agent ended ("Be Considerate", section 3.1). A
newcomer that cannot be sure to finish gets what it can expect within its time limit.

| symbol | name          |
| ------ | ------------- |
| V      | `value`       |
| P(V)   | `probability` |
| alpha_i| `weight`      |
| V(s0)  | `baseline_value`   |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from craftworld.others.named_others import newcomers_of
from craftworld.others.other_agents import end_rewards
from craftworld.scenario import Newcomer, Scenario
from engine.contracts import called, refuse
from engine.errors import BadValue
from engine.mdp.codes import Codec, ColumnStates
from engine.mdp.columns import branches
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.random_states import RandomStates
from engine.mdp.tabulate import tabulate
from engine.planning.backward_induction import finite_horizon
from engine.planning.dynamic_programming import optimal_value
from engine.planning.time_limit import Visits

ValueOf = Callable[[Newcomer, TabularMDP], Floats]


@dataclass(frozen=True)
class ValueDistribution:
    """N possible value functions over the S states of the acting agent's table.

    names: N. owners: N, the agent whose possibility each is. value: f64[N, S]. probability, weight: f64[N].
    baseline_value: f64[N], the values had the acting agent ended in its start state (Eq 3's baseline). fixed: owners
    whose weight the care coefficient does not multiply (Eq 4). The acting agent may own
    possibilities too (appendix B.2).
    """

    names: tuple[str, ...]
    owners: tuple[str, ...]
    value: Floats
    probability: Floats
    weight: Floats
    baseline_value: Floats
    fixed: tuple[str, ...] = ()

    def with_baseline(self, start: int) -> ValueDistribution:
        """The same distribution with the baseline of one start state (its number)."""
        return replace(self, baseline_value=self.value[:, start])

    def terminal_value(self) -> Floats:
        """f64[S]: sum_V P(V) V(s)."""
        return self.probability @ self.value

    def step_reward(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: nothing, they act later."""
        return np.zeros(mdp.reward.shape)

    def path_returns(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: the values of the state in which a walk ends."""
        return self.value[:, path[-1]]

    def return_rewards(self, mdp: TabularMDP) -> tuple[TabularMDP, Sequence[Floats]]:
        """The values of the state in which a policy ends."""
        return end_rewards(mdp, self.value)

    def limited_returns(self, mdp: TabularMDP, policy: Policy, visits: Visits) -> Floats:
        """f64[N]: the mean values of the states in which a policy is in the end."""
        return self.value @ visits.end


def precompute(scenario: Scenario, mdp: TabularMDP, value_of: ValueOf | None = None) -> ValueDistribution:
    """The others' values on every state of `mdp`, the acting agent's table.

    value_of: newcomer and its table -> f64[its states]; exact planning by default (`exact_values`).
    """
    solve = value_of or exact_values
    newcomers = newcomers_of(scenario)
    if not newcomers:
        raise BadValue("nobody comes afterwards", place=scenario.name, remedy="choose a scenario with newcomers")
    value = np.zeros((len(newcomers), len(mdp.states)))
    for row, newcomer in enumerate(newcomers):
        table, begins = newcomer_table(scenario, mdp, newcomer)
        value[row] = begins.expected(solve(newcomer, table))
    return ValueDistribution(
        tuple(newcomer.name for newcomer in newcomers),
        tuple(newcomer.owner or newcomer.name for newcomer in newcomers),
        value,
        np.array([newcomer.probability for newcomer in newcomers]),
        np.array([newcomer.weight for newcomer in newcomers]),
        value[:, mdp.start_states()[0]],
        tuple(newcomer.owner or newcomer.name for newcomer in newcomers if not newcomer.swept),
    )


def newcomer_table(scenario: Scenario, mdp: TabularMDP, newcomer: Newcomer) -> tuple[TabularMDP, RandomStates]:
    """A newcomer's table, from all that may be handed over to it, and for each of S states where it begins there."""
    assert isinstance(mdp.states, ColumnStates)
    starts, begins = handed_over(scenario, mdp.states.columns(), newcomer)
    return tabulate(newcomer.scenario, newcomer.scenario.discount, starts), begins


def handed_over(scenario: Scenario, columns: Any, newcomer: Newcomer) -> tuple[dict[Any, float], RandomStates]:
    """All start states that a newcomer may be given, equally likely, and which of them each of n states hands over.

    columns: states of the acting agent, as a NamedTuple of int64[n]. ContractBroken where `handover` gives no columns,
    or no states of the newcomer's world.
    """
    count = len(columns[0])
    listed = branches(called(scenario, "handover", columns, newcomer), count, scenario, "handover")
    kind = type(listed[0].state)
    if any(type(branch.state) is not kind for branch in listed):
        refuse(
            scenario, "handover", [type(branch.state).__name__ for branch in listed], "states of one NamedTuple class"
        )
    probability = np.stack([branch.probability for branch in listed], axis=1)
    possible = [n for n in range(len(listed)) if probability[:, n].any()]
    codec = Codec(kind, newcomer.scenario.sizes, scenario)
    handed = np.zeros(probability.shape, dtype=np.int64)
    for slot, n in enumerate(possible):
        asked = probability[:, slot] > 0.0
        state = listed[n].state if asked.all() else kind(*(field[asked] for field in listed[n].state))
        handed[asked, slot] = codec.encode(state, f"handover to '{newcomer.name}'")
    certain = handed[np.arange(count), probability.argmax(axis=1)]
    handed = np.where(probability > 0.0, handed, certain[:, None])
    number_of = np.full(codec.count, -1, dtype=np.int32)
    number_of[handed] = 0
    found = np.flatnonzero(number_of == 0)
    number_of[found] = np.arange(len(found))
    starts = {kind(*map(int, fields)): 1.0 / len(found) for fields in zip(*codec.decode(found), strict=True)}
    return starts, RandomStates(number_of[handed], probability)


def exact_values(newcomer: Newcomer, table: TabularMDP) -> Floats:
    """Optimal values of a newcomer's table, f64[states]; the time limit's where it cannot be sure to finish."""
    value = optimal_value(table)
    return within_time_limit(table, value, newcomer.scenario.time_limit)


def within_time_limit(table: TabularMDP, value: Floats, limit: int) -> Floats:
    """Replace -inf by the best that `limit` steps can collect without ending (finite-horizon backups)."""
    lost = np.flatnonzero(np.isneginf(value))
    if not len(lost):
        return value
    if not table.is_deterministic:
        return np.where(np.isneginf(value), finite_horizon(table, limit).value, value)
    position = np.full(len(value), -1)
    position[lost] = np.arange(len(lost))
    target = position[table.next_state[lost]]
    outside = target < 0
    reward = np.where(outside, -np.inf, table.reward[lost])
    collected = np.zeros(len(lost))
    for done in range(limit):
        backed = (table.probability[lost] * (reward + table.discount * collected[target])).sum(axis=2).max(axis=1)
        drift = backed - collected
        collected = backed
        if table.discount == 1.0 and (drift == drift[0]).all() and done:
            collected = collected + drift * (limit - done - 1)
            break
    result = value.copy()
    result[lost] = collected
    return result
