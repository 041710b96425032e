"""What one episode says about the agent, exactly: how far its actions are expected to tell two agents apart.

    D_w(g, h) = E_g sum_t log [ P_g(a_t|s_t) / P_h(a_t|s_t) ] = sum_s d_g(s) sum_a P_g(a|s) log [ P_g(a|s) / P_h(a|s) ]

d_g(s) is how often agent g is expected to act in s in an episode of world w, which is cut after a number of steps. Both
act by the model of `identify`. D adds up over episodes and worlds, since chance of the world cancels. It is 0 where g
and h act alike wherever g comes.

States in which all actions have the same values under every reward are one choice, so that large worlds cost little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from craftworld.identification.action_values import CaringReward, ChoiceValues, find_choice_values
from craftworld.identification.behaviour import ObservedWorld
from craftworld.identification.classes import FormulationClass, find_classes, find_possible_steps
from craftworld.identification.identify import OWN
from craftworld.identification.likelihood import SAME
from craftworld.solution.problem import make_problem
from engine.mdp.mdp import Booleans, Floats

MOST_NUMBERS = 4_000_000
"""Of the probabilities of actions that are held at once."""


@dataclass(frozen=True)
class ModelAgents:
    """Agents of the model that share a reward: f64[M] each.

    reward: a formulation or "own". temperature: 0 for exact agents. slip: 1 for agents at random.
    """

    reward: str
    care: Floats
    temperature: Floats
    slip: Floats

    def __len__(self) -> int:
        return len(self.care)

    def select(self, part: slice) -> ModelAgents:
        """Select some of them."""
        return ModelAgents(self.reward, self.care[part], self.temperature[part], self.slip[part])


class WorldChoices:
    """The choices of one world from one start state, under the rewards of several formulations and "own".

    finite: reward -> the coefficients at which its values are finite or minus infinity.
    """

    def __init__(self, world: ObservedWorld, start: int, formulations: Sequence[str]) -> None:
        table = world.table
        self.table = table
        self.start = start
        self.rewards = {name: make_reward(world, name, start) for name in formulations}
        nothing = np.broadcast_to(np.float64(0.0), table.reward.shape)
        rewards = {**self.rewards, OWN: CaringReward(table, 1.0, nothing, nothing)}
        from_here = replace(table, start=(np.arange(len(table.terminal)) == start).astype(np.float64))
        self.states = np.flatnonzero(find_possible_steps(from_here).any(axis=(1, 2)))
        found = find_choice_values(list(rewards.values()), self.states.tolist())
        values = dict(zip(rewards, found, strict=True))
        self.finite = {name: each.finite for name, each in values.items()}
        self._merge(values)
        self._find_transitions()

    def _merge(self, values: Mapping[str, ChoiceValues]) -> None:
        """Number the choices. kind: int64[S]; offered: bool[N, A], the actions of each choice."""
        self.usable = self.table.action_mask(self.states)
        lines = {name: _pad(each, self.states, self.usable) for name, each in values.items()}
        parts = [self.usable.astype(np.float64), *(part for each in lines.values() for part in each)]
        signature = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
        _, first, kind = np.unique(signature, axis=0, return_index=True, return_inverse=True)
        self.kind = kind.reshape(-1)
        self.offered: Booleans = self.usable[first]
        self._lines = {name: (own[first], slope[first]) for name, (own, slope) in lines.items()}

    def _find_transitions(self) -> None:
        """The world's chance as a matrix from (state, action) to states; terminal states are left out."""
        table, number = self.table, np.full(len(self.table.terminal), -1)
        number[self.states] = np.arange(len(self.states))
        target = number[table.next_state[self.states]]
        chance = np.where(self.usable[:, :, None], table.probability[self.states], 0.0)
        pair = np.broadcast_to(np.arange(self.usable.size).reshape(*self.usable.shape, 1), target.shape)
        kept = (target >= 0) & (chance > 0.0)
        shape = self.usable.size, len(self.states)
        self.transitions = sparse.csr_matrix((chance[kept], (pair[kept], target[kept])), shape=shape)

    def compute_chances(self, agents: ModelAgents) -> Floats:
        """Compute f64[M, N, A], P(a|s) of the model for each choice; 0 where there is no such action."""
        own, slope = self._lines[agents.reward]
        size = self.offered.sum(axis=1)[:, None]
        result = np.empty((len(agents), *self.offered.shape))
        for number, (care, temperature, slip) in enumerate(
            zip(agents.care.tolist(), agents.temperature.tolist(), agents.slip.tolist(), strict=True)
        ):
            value = (own + care * slope).max(axis=2)
            best = value.max(axis=1, keepdims=True)
            less = np.where(best > -np.inf, value - np.where(best > -np.inf, best, 0.0), 0.0)
            weight = np.exp(less / temperature) if temperature else (less >= -SAME).astype(np.float64)
            weight *= self.offered
            result[number] = (1.0 - slip) * weight / weight.sum(axis=1, keepdims=True) + slip * self.offered / size
        return result

    def count_visits(self, chances: Floats, limit: int) -> Floats:
        """Count f64[M, S], how often each agent is expected to act in each state in at most `limit` steps."""
        act = np.where(self.usable, chances[:, self.kind], 0.0)
        present = np.zeros((len(chances), len(self.states)))
        present[:, np.searchsorted(self.states, self.start)] = 1.0
        visits = np.zeros_like(present)
        for _ in range(limit):
            visits += present
            present = (present[:, :, None] * act).reshape(len(chances), -1) @ self.transitions
            if not present.any():
                break
        return visits

    def is_finite(self, agents: ModelAgents) -> Booleans:
        """bool[M], whether the optimum of each agent's reward is finite."""
        low, high = self.finite[agents.reward]
        return np.asarray((low < agents.care) & (agents.care < high))


@dataclass(frozen=True)
class ExpectedEvidence:
    """What an episode of each agent is expected to say, in natural logarithms.

    among: f64[M, M], against each other agent. against: f64[M, M'], against others. nan for agents without a finite
    optimum, inf against them. steps: f64[M], how long the episode is.
    """

    among: Floats
    against: Floats
    steps: Floats


def make_reward(world: ObservedWorld, formulation: str, start: int) -> CaringReward:
    """Make what a formulation adds to the own reward, by the baseline of one start state."""
    problem = make_problem(world.scenario, formulation, mdp=world.table)
    return replace(CaringReward.of(problem, start), table=world.table)


def compare_formulations(worlds: Sequence[WorldChoices], formulations: Sequence[str]) -> list[FormulationClass]:
    """Group formulations that no behaviour tells apart in any of these worlds."""
    return find_classes({name: [each.rewards[name] for each in worlds] for name in formulations})


def expect_evidence(
    choices: WorldChoices, agents: Sequence[ModelAgents], others: Sequence[ModelAgents], limit: int
) -> ExpectedEvidence:
    """Compute what an episode of each agent is expected to say against each of the others."""
    block = max(1, MOST_NUMBERS // choices.offered.size)
    by_state = max(1, MOST_NUMBERS // choices.usable.size)
    mine, lengths, entropies = [], [], []
    for one in agents:
        for part in _cut(one, min(block, by_state)):
            chances = choices.compute_chances(part)
            visits = choices.count_visits(chances, limit)
            times = np.stack([np.bincount(choices.kind, row, len(choices.offered)) for row in visits])
            weight = (times[:, :, None] * chances).reshape(len(part), -1)
            finite = choices.is_finite(part)
            mine.append(np.where(finite[:, None], weight, np.nan))
            entropies.append((weight * _take_logarithms(chances)).sum(axis=1))
            lengths.append(np.where(finite, visits.sum(axis=1), np.nan))
    weight, entropy = np.concatenate(mine), np.concatenate(entropies)
    found = []
    for one in (*agents, *others):
        for part in _cut(one, block):
            each = entropy[:, None] - weight @ _take_logarithms(choices.compute_chances(part)).T
            found.append(np.where(choices.is_finite(part), np.maximum(each, 0.0), np.inf))
    among, against = np.split(np.concatenate(found, axis=1), [len(weight)], axis=1)
    return ExpectedEvidence(among, against, np.concatenate(lengths))


def _take_logarithms(chances: Floats) -> Floats:
    """f64[M, N * A]; 0 where there is no action: slips make every other chance positive."""
    return np.asarray(np.log(np.where(chances > 0.0, chances, 1.0)).reshape(len(chances), -1))


def _cut(agents: ModelAgents, size: int) -> list[ModelAgents]:
    return [agents.select(slice(begin, begin + size)) for begin in range(0, len(agents), size)]


def _pad(values: ChoiceValues, states: NDArray[np.int64], usable: Booleans) -> tuple[Floats, Floats]:
    """Return the returns and slopes of lines, f64[S, A, L], less those of one line that each state shares.

    The return is minus infinity where there is no line.
    """
    longest = max(map(len, values.lines.values()), default=1)
    own = np.full((*usable.shape, max(longest, 1)), -np.inf)
    slope = np.zeros_like(own)
    for row, action in zip(*np.nonzero(usable), strict=True):
        each = values.lines[int(states[row]), int(action)]
        own[row, action, : len(each)], slope[row, action, : len(each)] = each[:, 0], each[:, 1]
    known = own > -np.inf
    shared = known[:, :, 0].argmax(axis=1)
    every = np.arange(len(own))
    base = np.where(known[every, shared, 0], own[every, shared, 0], 0.0)
    own -= base[:, None, None]
    slope = np.where(known, slope - slope[every, shared, 0][:, None, None], 0.0)
    return np.asarray(np.round(own, 11) + 0.0), np.asarray(np.round(slope, 11) + 0.0)
