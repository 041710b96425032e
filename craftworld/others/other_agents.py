"""The other agents: the protocol of distributions over them, checked lists of those that a scenario names, rewards.

`OtherAgents` is N possible measures of what the acting agent's behaviour is worth to others, with probabilities, on the
S states of the acting agent's table. They are value functions (`value_distribution`, Eqs 1 to 5), reward functions
(`RewardDistribution`, Eq 6) or options (`option_distribution`, Eqs 7 and 8). Some agents' coefficients alpha_i may be
fixed while the care coefficient sweeps the rest: `split_weights`.

A scenario names newcomers, simultaneous agents and options; each has a name and a probability.

Others' rewards at every step are a distribution P(r) over reward functions of agents that act at the same time:

| symbol  | name          |
| ------- | ------------- |
| r_j^(i) | `reward`      |
| P(r_ij) | `probability` |
| alpha_i | `weight`      |

Reference: "Be Considerate", section 3.3, Eq 6."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol, Self, TypedDict, TypeVar

import numpy as np

from craftworld.scenario import Newcomer, Option, Scenario, SimultaneousAgent
from engine.contracts import call_steadily, refuse
from engine.errors import BadValue, ContractBroken
from engine.mdp.columns import ColumnStates
from engine.mdp.enumeration.frozen_values import is_atom
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import follow_policy
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.finite_horizon import Visits, compute_step_rewards
from engine.user_code import describe_place
from engine.value_types import HEAVIEST


class TooManyTasks(BadValue):
    """Tasks that are too many to solve; at care 0 none has to be."""


class OtherAgents(Protocol):
    """N possibilities. names: N. owners: N, whose possibility each is. probability, weight: f64[N].

    fixed: the owners whose weight the care coefficient does not multiply.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def owners(self) -> tuple[str, ...]: ...
    @property
    def probability(self) -> Floats: ...
    @property
    def weight(self) -> Floats: ...
    @property
    def fixed(self) -> tuple[str, ...]: ...

    def with_baseline(self, start: int) -> Self:
        """Return the same with the baseline of one start state (its number)."""

    def terminal_value(self) -> Floats:
        """f64[S]: their expected welfare if the acting agent ended in a state."""

    def step_reward(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: their expected reward from each step of the acting agent."""

    def path_returns(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: the return of each from a walk that ends. path: state numbers; actions: between them."""

    def return_rewards(self, mdp: TabularMDP) -> tuple[TabularMDP, Sequence[Floats]]:
        """Return the table and the N rewards f64[S, A, K] of which a policy's returns are theirs."""

    def compute_final_values(self, mdp: TabularMDP, policy: Policy | Floats, visits: Visits) -> Floats:
        """f64[N]: the expected return of each from a policy that a time limit may cut, by its visits."""


class WeighedDistribution(ABC):
    """What a formulation weighs, made from a scenario on the acting agent's table of S states.

    Derive a class to weigh something of your own: `make` gets the scenario, with all that it declares, and its table.

    Attributes
    ----------
    requirement : str
        What a scenario must have, in words.
    concerns_others : bool
        Whether it is others' welfare, which a scenario reports under every formulation if its default one weighs it.
    most_states : int or None
        How many states of the scenario it can be made for; None for no bound.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class FreeCells(WeighedDistribution):
    ...     requirement = "cells"
    ...     free: Floats
    ...     @classmethod
    ...     def make(cls, scenario: Scenario, mdp: TabularMDP) -> "FreeCells":
    ...         return cls(np.array([float(not state.cell) for state in mdp.states]))
    >>> FreeCells.applies(None)
    True
    """

    requirement: ClassVar[str] = "nothing"
    concerns_others: ClassVar[bool] = True
    most_states: ClassVar[int | None] = None

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        """Return whether a scenario has what is weighed; every scenario has by default."""
        return True

    @classmethod
    @abstractmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> Self:
        """Make the distribution.

        Parameters
        ----------
        scenario : Scenario
            That of `plan_in`.
        mdp : TabularMDP
            Its table.
        """

    @classmethod
    def plan_in(cls, scenario: Scenario) -> Scenario:
        """Return the scenario in which the agent plans: another one where what is weighed depends on the past."""
        return scenario

    def with_baseline(self, start: int) -> Self:
        """Return the same with the baseline of one start state (its number); by default there is no baseline."""
        return self


def split_weights(others: OtherAgents) -> tuple[Floats, Floats]:
    """Split the weights into fixed ones and those that care multiplies, f64[N] each, 0 for the others."""
    fixed = np.array([owner in others.fixed for owner in others.owners], dtype=np.bool_)
    return np.where(fixed, others.weight, 0.0), np.where(fixed, 0.0, others.weight)


def reward_terminal_states(mdp: TabularMDP, amount: Floats) -> Floats:
    """f64[S, A, K]: the reward f64[S] of a terminal state, on entering it."""
    entered: Floats = np.where(mdp.terminal, amount, 0.0).take(mdp.next_state)
    entered[mdp.terminal] = 0.0
    return entered


def make_end_rewards(mdp: TabularMDP, amount: Floats) -> tuple[TabularMDP, Sequence[Floats]]:
    """Make the undiscounted rewards of N agents who act afterwards. amount: f64[N, S], of the state handed over."""
    return mdp.with_discount(1.0), [reward_terminal_states(mdp, each) for each in amount]


def compute_policy_returns(others: OtherAgents, mdp: TabularMDP, policy: Policy, start: int) -> Floats:
    """f64[N]: the expected return of each from a policy int32[S]."""
    table, rewards = others.return_rewards(mdp)
    return np.array([evaluate_policy(table.with_reward(reward), policy)[start] for reward in rewards])


Named = TypeVar("Named", Newcomer, SimultaneousAgent, Option)


def list_newcomers(scenario: Scenario) -> Sequence[Newcomer]:
    """List the agents that may act afterwards; ContractBroken for the first mistake."""
    listed = _check_listed(scenario, "newcomers", Newcomer)
    for one in listed:
        if not isinstance(one.scenario, Scenario):
            refuse(scenario, "newcomers", one.scenario, f"'{one.name}' to act in a scenario (an instance)")
    return listed


class Roster(TypedDict):
    """Who the N newcomers are and how much they count, as the fields of a distribution (`OtherAgents`)."""

    names: tuple[str, ...]
    owners: tuple[str, ...]
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...]


def make_roster(newcomers: Sequence[Newcomer]) -> Roster:
    """Make the roster of newcomers; one that has no owner is its own."""
    return Roster(
        names=tuple(each.name for each in newcomers),
        owners=tuple(each.owner or each.name for each in newcomers),
        probability=np.array([each.probability for each in newcomers]),
        weight=np.array([each.weight for each in newcomers]),
        fixed=tuple(each.owner or each.name for each in newcomers if not each.swept),
    )


def list_simultaneous_agents(scenario: Scenario) -> Sequence[SimultaneousAgent]:
    """List the agents that act at the same time; ContractBroken for the first mistake."""
    return _check_listed(scenario, "simultaneous_agents", SimultaneousAgent)


def list_options(scenario: Scenario) -> Sequence[Option]:
    """List the options that others may want afterwards; ContractBroken for the first mistake."""
    return _check_listed(scenario, "options", Option)


def _check_listed(scenario: Scenario, method: str, kind: type[Named]) -> Sequence[Named]:
    """Call a method that lists agents: of one class, no name twice, probabilities from 0 to 1, finite weights."""
    listed = call_steadily(scenario, method, _list_plain_fields)
    if not isinstance(listed, tuple | list) or not all(isinstance(one, kind) for one in listed):
        refuse(scenario, method, listed, f"a tuple of {kind.__name__}")
    names = [one.name for one in listed]
    if not all(isinstance(name, str) and name for name in names):
        refuse(scenario, method, names, "a word for each name")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ContractBroken(
            f"{method} names '{twice[0]}' twice", place=describe_place(scenario), remedy="give each a name"
        )
    for one in listed:
        if not isinstance(one.probability, Real) or not 0.0 <= float(one.probability) <= 1.0:
            refuse(scenario, method, one.probability, f"a probability between 0 and 1 for '{one.name}'")
        if not isinstance(one.weight, Real) or not abs(float(one.weight)) <= HEAVIEST:
            refuse(scenario, method, one.weight, f"a finite weight, at most {HEAVIEST:g}, for '{one.name}'")
    return listed


def _list_plain_fields(listed: Any) -> Any:
    """Return names, probabilities and weights of agents; whatever is no list of agents as it is."""
    if not isinstance(listed, tuple | list) or not all(isinstance(one, tuple) for one in listed):
        return listed
    return [[part for part in one if is_atom(part)] for one in listed]


@dataclass(frozen=True)
class RewardDistribution(WeighedDistribution):
    """N reward functions on the acting agent's table, reward: f64[N, S, A, K], and the fields of `OtherAgents`."""

    requirement: ClassVar[str] = "agents that act at the same time"

    names: tuple[str, ...]
    owners: tuple[str, ...]
    reward: Floats
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...] = ()

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        return bool(list_simultaneous_agents(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> RewardDistribution:
        return tabulate_simultaneous_rewards(scenario, mdp)

    def terminal_value(self) -> Floats:
        """f64[S]: nothing is left to anybody once the acting agent's episode, which is theirs too, has ended."""
        return np.zeros(self.reward.shape[1])

    def step_reward(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: sum_j P(r_j) r_j."""
        return self.sum_weighted(self.probability)

    def sum_weighted(self, weights: Floats) -> Floats:
        """f64[S, A, K]: sum_j w_j r_j, added in this order, so that results do not depend on a library's threads.

        weights: f64[N].
        """
        total = np.zeros(self.reward.shape[1:])
        for weight, reward in zip(weights, self.reward, strict=True):
            total += weight * reward
        return total

    def path_returns(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: each one's return, every step counted."""
        result = np.zeros(len(self.names))
        for state, action in reversed(list(zip(path, actions, strict=False))):
            result = self.reward[:, state, action, 0] + mdp.discount * result
        return result

    def return_rewards(self, mdp: TabularMDP) -> tuple[TabularMDP, Sequence[Floats]]:
        """Return the reward functions themselves."""
        return mdp, list(self.reward)

    def compute_final_values(self, mdp: TabularMDP, policy: Policy | Floats, visits: Visits) -> Floats:
        """f64[N]: each one's expected return until the time limit."""
        followed = follow_policy(mdp, policy)
        steps = (compute_step_rewards(followed.table, followed.still, followed.select(each)) for each in self.reward)
        return np.array([step @ visits.acting for step in steps])


def tabulate_simultaneous_rewards(scenario: Scenario, mdp: TabularMDP) -> RewardDistribution:
    """Return the rewards that each step of the acting agent's table gives those who act at the same time."""
    simultaneous_agents = list_simultaneous_agents(scenario)
    reward = [tabulate_transition_rewards(mdp, agent.reward) for agent in simultaneous_agents]
    return RewardDistribution(
        tuple(agent.name for agent in simultaneous_agents),
        tuple(agent.owner or agent.name for agent in simultaneous_agents),
        np.array(reward).reshape(len(reward), *mdp.reward.shape),
        np.array([agent.probability for agent in simultaneous_agents]),
        np.array([agent.weight for agent in simultaneous_agents]),
        tuple(agent.owner or agent.name for agent in simultaneous_agents if not agent.swept),
    )


def tabulate_transition_rewards(mdp: TabularMDP, reward: Callable[[Any, int, Any], Any]) -> Floats:
    """Return f64[S, A, K]: a reward of state, action and next state (columns) on every transition of a table."""
    assert isinstance(mdp.states, ColumnStates)
    result = np.zeros(mdp.reward.shape)
    state = mdp.states.columns()
    for action in range(len(mdp.actions)):
        for slot in range(mdp.next_state.shape[2]):
            next_state = mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, slot]])
            counts = ~mdp.terminal & (mdp.probability[:, action, slot] > 0.0)
            result[:, action, slot] = np.where(counts, reward(state, action, next_state), 0.0)
    return mdp.complete(result)
