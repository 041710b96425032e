"""The joint law of X_{t+1} and I_{t+1}: each branch of physics with each reading that the terminal may send after it.

    P(x', i') = X(x' | ...) I(i' | ..., x')

Weights of branches and readings are only proportional to probabilities, so each branch is scaled by the totals of the
readings after all other branches: then weights of different branches compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from counterfactual.world import Branch, Column, World
from engine.errors import BadValue


class Joint(NamedTuple):
    """One way a step can turn out, for n situations; the columns of a `Branch`, and what the terminal sends."""

    weight: Any
    after: Any
    events: tuple[Any, ...]
    signal: Any


def joint(
    world: World[Any], branches: Sequence[Branch[Any]], signal: Column, step: int, x: Any, action: Column
) -> Iterator[Joint]:
    """All pairs of a branch and a reading after it; BadValue where the weights outgrow 64 bits."""
    readings = [world.terminal(signal, step, x, action, branch.after) for branch in branches]
    if len(branches) == len(readings[0]) == 1:
        (weight, after, events), (chance, sent) = branches[0], readings[0][0]
        yield Joint(weight * (chance > 0), after, events, sent)
        return
    totals = [sum(reading.weight for reading in of_branch) for of_branch in readings]
    for number, (weight, after, events) in enumerate(branches):
        others = _product(totals[:number] + totals[number + 1 :])
        for chance, sent in readings[number]:
            yield Joint(weight * chance * others, after, events, sent)


def _product(factors: list[Any]) -> Any:
    product: Any = 1
    for factor in factors:
        product = product * factor
        if np.max(np.asarray(product, dtype=float), initial=0.0) > 2**40:
            raise BadValue("chances outgrow 64 bits", place="terminal", remedy="use fewer records or coarser chances")
    return product
