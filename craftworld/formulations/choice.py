"""Others' freedom of choice: what they are able to do enters the acting agent's reward, whatever they want.

    F(s') = sum_i alpha_i P_i E c_i(s_i),   s_i the state in which newcomer i starts after s'

| entry              | c(s), for a newcomer in state s                                             |
| ------------------ | --------------------------------------------------------------------------- |
| `discrete_choice`  | the number of states in which it can be after exactly n = 10 steps          |
| `entropic_choice`  | the entropy of its state after n = 10 steps of its policy                   |
| `immediate_choice` | the entropy of its next action                                              |
| `empowerment`      | max over p(a_1 .. a_m) of I(a_1 .. a_m; s_m), the capacity of m = 3 actions |

Entropies and capacities are in bits. Its policy is pi(a | s) ~ exp(Q*(s, a) / T) over its available actions, T = 1;
where all Q* are -inf it acts at random. `make_discrete_choice`, `make_entropic_choice` and `make_empowerment` make
formulations of other numbers of steps.

References: T. Franzmeyer, M. Malinowski, J. Henriques, "Learning altruistic behaviours in reinforcement learning
without external rewards", 2021 (the three kinds of choice); A. Klyubin, D. Polani, C. Nehaniv, "Empowerment: a
universal agent-centric measure of control", 2005; Y. Du et al., "AvE: assistance via empowerment", 2020; R. Blahut,
"Computation of channel capacity and rate-distortion functions", 1972; S. Arimoto, "An algorithm for computing the
capacity of arbitrary discrete memoryless channels", 1972.

Choices: in those papers the other agent is present, and its choice is rewarded at every step; here it comes afterwards,
so that its choice counts once, in what is handed over. Ended states lead to themselves. The action sequences of
empowerment are fixed in advance, as in Klyubin et al.; an action that is not available has the effect of the first
available one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from craftworld.formulation import Formulation, at_the_end
from craftworld.others.newcomer_worlds import NewcomerWorlds
from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import Solution

__all__ = ["discrete_choice", "empowerment", "entropic_choice", "immediate_choice"]

STEPS, EMPOWERED_STEPS = 10, 3
TEMPERATURE = 1.0
MOST_SEQUENCES = 10_000
EXACT = 1e-10
ROWS_AT_ONCE = 256


def make_discrete_choice(steps: int = STEPS) -> Formulation:
    """Make `discrete_choice` of another number of steps."""

    @at_the_end(weighs=NewcomerWorlds, additive=True)
    def discrete_choice(others: NewcomerWorlds) -> Floats:
        return others.sum_weighted(lambda table, solution, states: count_reachable_states(table, states, steps))

    return discrete_choice


def make_entropic_choice(steps: int = STEPS) -> Formulation:
    """Make `entropic_choice` of another number of steps."""

    @at_the_end(weighs=NewcomerWorlds, additive=True)
    def entropic_choice(others: NewcomerWorlds) -> Floats:
        return others.sum_weighted(
            lambda table, solution, states: compute_state_entropy(
                table, find_soft_policy(table, solution), states, steps
            )
        )

    return entropic_choice


def make_empowerment(steps: int = EMPOWERED_STEPS) -> Formulation:
    """Make `empowerment` of another number of steps."""

    @at_the_end(weighs=NewcomerWorlds, additive=True)
    def empowerment(others: NewcomerWorlds) -> Floats:
        return others.sum_weighted(
            lambda table, solution, states: np.array([compute_empowerment(table, each, steps) for each in states])
        )

    return empowerment


@at_the_end(weighs=NewcomerWorlds, additive=True)
def immediate_choice(others: NewcomerWorlds) -> Floats:
    """The entropy of the newcomers' first action, in bits (Franzmeyer, Malinowski and Henriques, 2021).

    F: f64[S].
    """
    return others.sum_weighted(
        lambda table, solution, states: compute_entropy(
            np.where(table.terminal[:, None], 0.0, find_soft_policy(table, solution))[states]
        )
    )


discrete_choice = make_discrete_choice()
"""How many states the newcomers can reach in 10 steps (Franzmeyer, Malinowski and Henriques, 2021)."""

entropic_choice = make_entropic_choice()
"""The entropy of the newcomers' states after 10 steps, in bits (Franzmeyer, Malinowski and Henriques, 2021)."""

empowerment = make_empowerment()
"""The newcomers' empowerment over 3 steps, in bits (Klyubin et al., 2005; Du et al., 2020)."""


def find_soft_policy(table: TabularMDP, solution: Solution, temperature: float = TEMPERATURE) -> Floats:
    """Return pi(a | s) ~ exp(Q*(s, a) / T), f64[S, A]; uniform over available actions where all Q* are -inf."""
    available = table.action_mask(np.arange(len(table.terminal)))
    value = np.where(available, solution.action_value, -np.inf)
    best = value.max(axis=1, keepdims=True)
    preference = np.where(np.isfinite(best), value - np.where(np.isfinite(best), best, 0.0), 0.0)
    weight = np.where(available, np.exp(preference / temperature), 0.0)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def compute_entropy(probability: Floats) -> Floats:
    """Return the entropy of each row in bits. probability: f64[n, m]."""
    logarithm = np.log2(np.where(probability > 0.0, probability, 1.0))
    return np.asarray(np.maximum(0.0, -(probability * logarithm).sum(axis=-1)))


def count_reachable_states(table: TabularMDP, states: Sequence[int], steps: int) -> Floats:
    """Return in how many states one can be exactly so many steps after each of n states, f64[n]."""
    possible = table.probability > 0.0
    origin = np.broadcast_to(np.arange(len(table.terminal))[:, None, None], possible.shape)[possible]
    target = table.next_state[possible]
    counts = []
    for rows in _split_rows(states):
        reached = np.zeros((len(rows), len(table.terminal)), dtype=np.bool_)
        reached[np.arange(len(rows)), rows] = True
        for _ in range(steps):
            following = np.zeros_like(reached)
            for row, before in enumerate(reached):
                following[row, target[before[origin]]] = True
            reached = following
        counts.append(reached.sum(axis=1))
    return np.concatenate(counts).astype(np.float64) if counts else np.zeros(0)


def compute_state_entropy(table: TabularMDP, policy: Floats, states: Sequence[int], steps: int) -> Floats:
    """Return the entropy of the state so many steps after each of n states, f64[n], in bits. policy: f64[S, A]."""
    joint = policy[:, :, None] * table.probability
    origin = np.broadcast_to(np.arange(len(table.terminal))[:, None, None], joint.shape)[joint > 0.0]
    target = table.next_state[joint > 0.0]
    chance = joint[joint > 0.0]
    found = []
    for rows in _split_rows(states):
        belief = np.zeros((len(rows), len(table.terminal)))
        belief[np.arange(len(rows)), rows] = 1.0
        for _ in range(steps):
            belief = np.stack(
                [np.bincount(target, weights=chance * row[origin], minlength=len(table.terminal)) for row in belief]
            )
        found.append(compute_entropy(belief))
    return np.concatenate(found) if found else np.zeros(0)


def compute_empowerment(table: TabularMDP, state: int, steps: int) -> float:
    """Return the capacity, in bits, of the channel from action sequences to the state in which they end.

    Raises BadValue for more than 10,000 sequences.
    """
    if len(table.actions) ** steps > MOST_SEQUENCES:
        raise BadValue(
            f"empowerment over {steps} steps of {len(table.actions)} actions takes "
            f"{len(table.actions) ** steps:,} sequences, and {MOST_SEQUENCES:,} are the most",
            place="empowerment",
            remedy="choose fewer steps",
        )
    ends: set[tuple[tuple[int, float], ...]] = {((state, 1.0),)}
    for _ in range(steps):
        ends = {_advance(table, belief, action) for belief in ends for action in range(len(table.actions))}
    support = sorted({end for belief in ends for end, _ in belief})
    number = {end: column for column, end in enumerate(support)}
    channel = np.zeros((len(ends), len(support)))
    for row, belief in enumerate(sorted(ends)):
        for end, chance in belief:
            channel[row, number[end]] = chance
    return compute_capacity(channel)


def compute_capacity(channel: Floats) -> float:
    """Return max over p of I(X; Y), in bits, by Blahut and Arimoto's algorithm. channel: f64[X, Y], p(y given x).

    Its bounds, sum_x p(x) D(x) <= C <= max_x D(x) with D(x) the divergence of row x from the output's distribution,
    are 1e-10 apart in the end.
    """
    if ((channel == 0.0) | (channel == 1.0)).all():
        return float(np.log2(len(np.unique(channel, axis=0))))
    law = np.full(len(channel), 1.0 / len(channel))
    logarithm = np.log2(np.where(channel > 0.0, channel, 1.0))
    while True:
        output = law @ channel
        divergence = (channel * (logarithm - np.log2(np.where(output > 0.0, output, 1.0)))).sum(axis=1)
        lower, upper = float(law @ divergence), float(divergence.max())
        if upper - lower <= EXACT:
            return lower
        law = law * np.exp2(divergence - upper)
        law /= law.sum()


def _advance(table: TabularMDP, belief: tuple[tuple[int, float], ...], action: int) -> tuple[tuple[int, float], ...]:
    """Return the distribution over states one action later, by rising number."""
    following: dict[int, float] = {}
    for state, chance in belief:
        for target, probability in zip(table.next_state[state, action], table.probability[state, action], strict=True):
            if probability > 0.0:
                following[int(target)] = following.get(int(target), 0.0) + chance * float(probability)
    return tuple(sorted(following.items()))


def _split_rows(states: Sequence[int]) -> list[Sequence[int]]:
    return [states[first : first + ROWS_AT_ONCE] for first in range(0, len(states), ROWS_AT_ONCE)]
