"""The joint law of X_{t+1} and I_{t+1}: each outcome of physics with each signal that the terminal may send after it.

    P(x', i') = X(x' | ...) I(i' | ..., x')

Weights are only proportional to probabilities, so the weight of each outcome of physics is multiplied by the total
weights of the signals after all other outcomes: then weights of different outcomes compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from counterfactual.columns import Column, Entries
from counterfactual.terminal_world import PhysicsOutcome, TerminalWorld
from engine.errors import BadValue


class JointOutcome(NamedTuple):
    """One possible (X_{t+1}, I_{t+1}) for each of n states: the columns of a `PhysicsOutcome`, and the next signal."""

    weight: Entries
    next_x: Any
    events: Sequence[Entries]
    signal: Entries


def joint_transition(
    world: TerminalWorld[Any],
    outcomes: Sequence[PhysicsOutcome[Any]],
    signal: Column,
    step: int,
    x: Any,
    action: Column,
) -> Iterator[JointOutcome]:
    """All pairs of an outcome of physics and a signal after it.

    outcomes: what `physics` or `physics_given` returned for the same n states. signal: I_t, int64[n]. The other
    arguments are those of `TerminalWorld.physics`. Raises BadValue where the weights outgrow 64 bits.
    """
    signals = [world.terminal(signal, step, x, action, outcome.next_x) for outcome in outcomes]
    if len(outcomes) == len(signals[0]) == 1:
        (weight, next_x, events), (chance, sent) = outcomes[0], signals[0][0]
        yield JointOutcome(weight * (chance > 0), next_x, events, sent)
        return
    totals = [sum(outcome.weight for outcome in after_outcome) for after_outcome in signals]
    for number, (weight, next_x, events) in enumerate(outcomes):
        others = _product(totals[:number] + totals[number + 1 :])
        for chance, sent in signals[number]:
            yield JointOutcome(weight * chance * others, next_x, events, sent)


def _product(factors: list[Entries]) -> Entries:
    product: Entries = 1
    for factor in factors:
        product = product * factor
        if np.max(np.asarray(product, dtype=float), initial=0.0) > 2**40:
            raise BadValue("chances need more than 64 bits", place="terminal", remedy="use fewer records or digits")
    return product
