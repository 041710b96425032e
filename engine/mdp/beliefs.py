"""A world of which only a part is observed, as one of beliefs: what is known after all that was observed.

    b'(s') ~ sum_s b(s) P(s' | s, a)  over the states s' that agree with the observation and the reward

A belief is a distribution over the states that agree with what was seen. Reference: L. Kaelbling, M. Littman,
A. Cassandra, "Planning and acting in partially observable stochastic domains", 1998, section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP

MOST_BELIEFS = 20_000
DIGITS = 12

StateBelief = tuple[tuple[int, float], ...]
"""(number of a state, its probability), by rising number."""


def build_belief_table(mdp: TabularMDP, second: Floats, name: str) -> tuple[TabularMDP, Floats]:
    """Return the table whose states are beliefs, and the expectation of a second reward, f64[S, A, K], on it.

    States of one observation look alike, but terminal states like no others. The table's reward is observed, the
    second is not. name: of the world, for messages. Raises BadValue for more than 20,000 beliefs.
    """
    looks = mdp.observations * 2 + mdp.terminal
    first: dict[int, dict[int, float]] = {}
    for state in map(int, mdp.start_states()):
        first.setdefault(int(looks[state]), {})[state] = float(mdp.start[state])
    numbers: dict[StateBelief, int] = {}
    starts = []
    for each in first.values():
        belief, chance = _normalise_belief(each)
        numbers.setdefault(belief, len(numbers))
        starts.append(chance)
    rows: list[list[list[tuple[int, float, float, float]]]] = []
    for belief in (listed := list(numbers)):  # the list grows meanwhile
        row = [_list_outcomes(mdp, looks, second, belief, action) for action in range(len(mdp.actions))]
        known = []
        for outcomes in row:
            entries = []
            for following, chance, gain, hidden in outcomes:
                if following not in numbers:
                    numbers[following] = len(numbers)
                    listed.append(following)
                entries.append((numbers[following], chance, gain, hidden))
            known.append(entries)
        rows.append(known)
        if len(listed) > MOST_BELIEFS:
            remedy = "choose a world in which less is hidden"
            raise BadValue(f"more than {MOST_BELIEFS:,} beliefs", place=name, remedy=remedy)
    return _build_table(mdp, listed, numbers, rows, starts)


def _list_outcomes(
    mdp: TabularMDP, looks: NDArray[np.int64], second: Floats, belief: StateBelief, action: int
) -> list[tuple[StateBelief, float, float, float]]:
    """Next belief, its probability, the reward and the expected second reward, for all that may be observed."""
    if mdp.terminal[belief[0][0]]:
        return [(belief, 1.0, 0.0, 0.0)]
    seen: dict[tuple[int, float], dict[int, float]] = {}
    hidden: dict[tuple[int, float], float] = {}
    for state, weight in belief:
        for slot in np.flatnonzero(mdp.probability[state, action] > 0.0):
            target, gain = int(mdp.next_state[state, action, slot]), float(mdp.reward[state, action, slot])
            chance = weight * float(mdp.probability[state, action, slot])
            part = seen.setdefault((int(looks[target]), gain), {})
            part[target] = part.get(target, 0.0) + chance
            key = int(looks[target]), gain
            hidden[key] = hidden.get(key, 0.0) + chance * float(second[state, action, slot])
    result = []
    for key, part in seen.items():
        following, chance = _normalise_belief(part)
        result.append((following, chance, key[1], hidden[key] / chance))
    return result


def _normalise_belief(weights: dict[int, float]) -> tuple[StateBelief, float]:
    """Return a belief from weights, rounded so that equal ones are equal, and the sum of the weights.

    States that are then of probability 0 are left out.
    """
    total = sum(weights.values())
    rounded = ((state, round(weights[state] / total, DIGITS)) for state in sorted(weights))
    return tuple((state, chance) for state, chance in rounded if chance), total


def _build_table(
    mdp: TabularMDP, listed: list[StateBelief], numbers: dict[StateBelief, int], rows: list[Any], starts: list[float]
) -> tuple[TabularMDP, Floats]:
    shape = (len(rows), len(mdp.actions), max(len(entries) for row in rows for entries in row))
    next_state = np.zeros(shape, dtype=np.int32)
    probability, reward, second = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for number, row in enumerate(rows):
        for action, entries in enumerate(row):
            for slot, (target, chance, gain, hidden) in enumerate(entries):
                at = (number, action, slot)
                next_state[at], probability[at], reward[at], second[at] = target, chance, gain, hidden
    start = np.zeros(len(rows))
    start[: len(starts)] = starts
    terminal = np.array([bool(mdp.terminal[belief[0][0]]) for belief in listed])
    table = TabularMDP(listed, numbers, mdp.actions, next_state, probability, reward, terminal, start, mdp.discount)
    return table, second
