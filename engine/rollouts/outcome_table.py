"""A policy in a world as one table: for each state all outcomes of its actions, and one number decides among them.

    P(a, k | s) = policy(a | s) probability(s, a, k)

Outcomes stand in the order of (a, k), those of probability 0 are left out. The number is an integer b of 53 bits,
b / 2^53 being uniform in [0, 1). An outcome comes where b reaches all thresholds before it and not its own,
ceil(2^53 (P_0 + ... + P_i)): to the bit what `inverse_cdf` draws for b / 2^53.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Integers, Policy, TabularMDP
from engine.rollouts.stochastic_policies import as_probabilities

Thresholds = NDArray[np.int64]
NUMBERS = 2**53
AnyPolicy: TypeAlias = Policy | Floats | Mapping[int, Policy] | Mapping[int, Floats]


class OutcomeTable(NamedTuple):
    """S states, at most M outcomes of each.

    threshold: int64[S, M - 1], that of every outcome but the last, `NUMBERS` where there is none. next_state:
    int32[S, M], ~number where the next state is terminal. reward: f64[S, M]. start_states: int32[n] and their
    thresholds int64[n - 1]; a terminal start is ~number.
    """

    threshold: Thresholds
    next_state: Integers
    reward: Floats
    start_states: Integers
    start_threshold: Thresholds


def outcome_table(mdp: TabularMDP, policy: AnyPolicy, reward: Floats | None = None) -> OutcomeTable:
    """The outcomes of a policy in a table.

    policy: int[S], f64[S, A], or one of them for each start state; then the states of the episodes that the second
    policy takes come after those of the first one, and so on. reward: f64[S, A, K] in place of the table's own. Raises
    BadValue for a policy or reward that does not fit.
    """
    amounts = mdp.reward if reward is None else reward
    if amounts.shape != mdp.next_state.shape:
        raise BadValue(f"a reward of shape {amounts.shape}", place="reward", remedy=f"give {mdp.next_state.shape}")
    starts, states = mdp.start_states().astype(np.int32), len(mdp.terminal)
    if not isinstance(policy, Mapping):
        policies, of_start = [as_probabilities(mdp, policy)], np.zeros_like(starts)
    else:
        missing = sorted(set(starts.tolist()) - set(policy))
        if missing:
            raise BadValue(f"no policy for start state {missing[0]}", place="policy", remedy="give one for each start")
        policies, of_start = _distinct([as_probabilities(mdp, policy[start]) for start in starts.tolist()])
    chance = np.concatenate([(each[:, :, None] * mdp.probability).reshape(states, -1) for each in policies])
    chance[np.tile(mdp.terminal, len(policies))] = 0.0
    possible = chance > 0
    order = np.argsort(~possible, axis=1, kind="stable")[:, : max(int(possible.sum(axis=1).max(initial=1)), 1)]
    following = np.concatenate([mdp.next_state.reshape(states, -1) + n * states for n in range(len(policies))])
    gained = np.tile(amounts.reshape(states, -1), (len(policies), 1))
    return OutcomeTable(
        thresholds(np.take_along_axis(chance, order, axis=1)),
        _marked(mdp, np.take_along_axis(following, order, axis=1)),
        np.ascontiguousarray(np.take_along_axis(gained, order, axis=1), dtype=np.float64),
        _marked(mdp, starts + of_start * states),
        thresholds(mdp.start[starts][None])[0],
    )


def _distinct(policies: list[Floats]) -> tuple[list[Floats], Integers]:
    """Policies without repetitions, and the place of each in what is left."""
    places: dict[bytes, int] = {}
    of_start = [places.setdefault(each.tobytes(), len(places)) for each in policies]
    return [policies[of_start.index(place)] for place in range(len(places))], np.array(of_start, dtype=np.int32)


def _marked(mdp: TabularMDP, states: Integers) -> Integers:
    """Terminal states as ~number."""
    return np.where(mdp.terminal[states % len(mdp.terminal)], ~states, states).astype(np.int32)


def thresholds(chance: Floats) -> Thresholds:
    """int64[..., M - 1] of probabilities f64[..., M]: the outcome that comes is the number of thresholds reached."""
    reached = np.minimum(np.ceil(np.cumsum(chance, axis=-1) * NUMBERS), NUMBERS)
    later = np.cumsum(chance[..., ::-1] > 0, axis=-1)[..., ::-1] - (chance > 0) > 0
    return np.where(later, reached, NUMBERS).astype(np.int64)[..., :-1].copy()
