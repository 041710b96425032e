"""A Markov game: N agents on one table whose actions are joint ones, and the tables that agents see alone.

    r_i'(s, a, s') = sum_j C_ij r_j(s, a, s')

C_ij is agent i's coefficient for agent j, C_ii that for itself. Where the others' policies are fixed, what is left is
a table of one agent's own actions, so that every planner for tables finds a best response.
Reference: L. Shapley, "Stochastic games", 1953; "Be Considerate", Eq 6.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, UnknownName
from engine.limits.coefficients import require_coefficient
from engine.mdp.mdp import Floats, Integers, TabularMDP

Profile = Sequence[Floats]
MOST_ENTRIES = 50_000_000
"""Rewards of a game, agents by transitions, and transitions that an agent faces: some minutes a round."""


@dataclass(frozen=True)
class MarkovGame:
    """agents: N names. table: its J actions are joint, the first agent's slowest to change; discount and starts are its
    own, its reward does not count. rewards: f64[N, S, J, K]. actions: each agent's A_i actions, by name.
    """

    agents: tuple[str, ...]
    table: TabularMDP
    rewards: Floats
    actions: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        joint = math.prod(map(len, self.actions))
        fits = len(self.agents) == len(self.actions) == len(self.rewards) and joint == len(self.table.actions)
        if not fits or self.rewards.shape[1:] != self.table.reward.shape:
            raise BadValue(
                f"{len(self.agents)} agents, {joint} joint actions, rewards of shape {self.rewards.shape}",
                place="Markov game",
                remedy=f"a table of shape {self.table.reward.shape} needs rewards for each agent, and as many actions",
            )

        states, joint, outcomes = self.table.reward.shape
        if self.rewards.size > MOST_ENTRIES:
            raise BadValue(
                f"{states:,} states, {joint:,} joint actions, {outcomes} outcomes and {len(self.agents)} agents",
                place="Markov game",
                remedy=f"choose a smaller world: these are {self.rewards.size:,} rewards, at most {MOST_ENTRIES:,}",
            )

    def planned_together(self, weights: Floats) -> TabularMDP:
        """The table of one planner for all, rewarded with  sum_i w_i r_i;  weights: f64[N]."""
        return self.table.with_reward(np.tensordot(weights, self.rewards, axes=1))

    def facing(self, agent: int, policies: Profile, weights: Floats) -> TabularMDP:
        """The table of one agent's own actions, the others acting by their policies, f64[S, A_j] each.

        weights: f64[N], the agent's coefficients.
        """
        return self._contracted([None if number == agent else each for number, each in enumerate(policies)], weights)

    def followed(self, policies: Profile, weights: Floats) -> TabularMDP:
        """The table of one action, which stands for what all policies do together."""
        return self._contracted(list(policies), weights)

    def _contracted(self, policies: Sequence[Floats | None], weights: Floats) -> TabularMDP:
        """The table in which each agent that has a policy follows it; one agent at most has none."""
        free = [number for number, policy in enumerate(policies) if policy is None]
        own = len(self.actions[free[0]]) if free else 1
        choices = [[_Choice(None, np.ones(1))] if policy is None else _supported(policy) for policy in policies]
        slots = math.prod(map(len, choices)) * self.table.next_state.shape[2]
        states = len(self.table.terminal)
        if states * own * slots > MOST_ENTRIES:
            raise BadValue(
                f"{states:,} states with {own} actions and {slots:,} outcomes each",
                place="Markov game",
                remedy="use no damping, a smaller world or fewer agents",
            )
        at, parts = np.arange(states)[:, None], list[tuple[Integers, Floats, Floats]]()
        for chosen in itertools.product(*choices):
            joint = np.zeros((states, own), dtype=np.int64)
            chance = np.ones((states, 1))
            for names, (action, probability) in zip(self.actions, chosen, strict=True):
                taken = np.arange(own)[None, :] if action is None else action[:, None]
                joint = joint * len(names) + taken
                chance = chance * probability[:, None]
            gained = np.zeros((*joint.shape, self.table.next_state.shape[2]))
            for weight, reward in zip(weights, self.rewards, strict=True):
                if weight:
                    gained += weight * reward[at, joint]
            parts.append(
                (self.table.next_state[at, joint], self.table.probability[at, joint] * chance[..., None], gained)
            )
        following, probability, reward = (np.concatenate(each, axis=2) for each in zip(*parts, strict=True))
        names = self.actions[free[0]] if free else ("all",)
        possible = probability > 0.0
        return replace(
            self.table,
            actions=names,
            next_state=np.where(possible, following, 0),
            probability=probability,
            reward=np.where(possible, reward, 0.0),
            available=None,
        )


def deterministic(actions: Integers, count: int) -> Floats:
    """The policy f64[S, A] that takes one action, int[S], in each state."""
    return np.asarray(np.eye(count)[actions])


def coefficient_matrix(
    agents: Sequence[str], own: float, care: float, given: Mapping[str, Mapping[str, float]]
) -> Floats:
    """C, f64[N, N]: own for oneself, care for everybody else, but for what is given: who -> whom -> coefficient.

    Raises UnknownName or BadValue for agents that are not there and for coefficients that are not finite numbers.
    """
    require_coefficient(own, "own")
    require_coefficient(care, "care")
    matrix = np.where(np.eye(len(agents), dtype=np.bool_), own, care)
    for who, row in given.items():
        for whom, coefficient in row.items():
            for name in (who, whom):
                if name not in agents:
                    raise UnknownName("agent", name, agents, place="coefficients")
            require_coefficient(coefficient, "coefficients")
            matrix[agents.index(who), agents.index(whom)] = coefficient
    return np.asarray(matrix)


class _Choice(NamedTuple):
    """An action of each state, int64[S], None for an agent's own choice; and its probability, f64[S] or f64[1]."""

    action: NDArray[np.int64] | None
    probability: Floats


def _supported(policy: Floats) -> list[_Choice]:
    """A policy as its most likely action of each state, the second most likely, and so on, while any is possible."""
    order = np.argsort(-policy, axis=1, kind="stable")
    chance = np.take_along_axis(policy, order, axis=1)
    return [
        _Choice(order[:, slot], chance[:, slot]) for slot in range(policy.shape[1]) if (chance[:, slot] > 0.0).any()
    ]
