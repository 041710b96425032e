"""Histories as the columns of arrays: those with equal states, slots and configurations share one.

    estimates[s, n] = P^s(h_n)          w_nu(h_n) = sum over configurations c of  measure[c, n]

The rows are, environment by environment, the estimates of the slots, then the measure that the likelihood keeps of the
environment (`multislot.learning.likelihood`), with the posterior as weight; a class of one has no measure. Both go
forward by sums of rows. Reference: The Multi-slot Framework, section 4.1 and Eq. 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multislot.learning.evidence import NO_EVIDENCE, MeasureFlows
from multislot.learning.likelihood import Configuration
from multislot.planning.belief import BeliefUpdate
from multislot.planning.history_graph import HistoryNode
from multislot.worlds.environment import HistoryState, Slot

Array: TypeAlias = NDArray[np.float64]
Columns: TypeAlias = NDArray[np.intp]
ESTIMATE_ROUNDING = 2.0**-46
"""Numbers of one history that is reached in two orders differ by less than this."""


class MemberRows(NamedTuple):
    """What the rows of an array are in one environment: slots of the estimate, then configurations of the measure."""

    state: HistoryState
    slots: tuple[Slot, ...]
    configurations: tuple[Configuration, ...]


ArrayKey: TypeAlias = tuple[MemberRows | None, ...]
"""What the rows of an array are, by environment; None where it cannot have produced the histories."""
HistoryLayer: TypeAlias = dict[ArrayKey, Array]


class ArrayPlace(NamedTuple):
    """Where a history is in a layer: in which array, in which column."""

    key: ArrayKey
    column: int


def gathered(nodes: Sequence[HistoryNode]) -> tuple[HistoryLayer, list[ArrayPlace]]:
    """Nodes as a layer, and the place of each."""
    columns: dict[ArrayKey, list[list[float]]] = {}
    places: list[ArrayPlace] = []
    for node in nodes:
        key: list[MemberRows | None] = []
        column: list[float] = []
        for belief, evidence in zip(node.beliefs, node.evidence or (NO_EVIDENCE,), strict=True):
            if belief is None:
                key.append(None)
                continue
            total = sum(belief.masses)
            key.append(MemberRows(belief.state, belief.slots, tuple(c for c, _ in evidence.measure)))
            column += [*(mass / total for mass in belief.masses), *(float(weight) for _, weight in evidence.measure)]
        of_array = columns.setdefault(tuple(key), [])
        places.append(ArrayPlace(tuple(key), len(of_array)))
        of_array.append(column)
    return {key: np.array(entries).T for key, entries in columns.items()}, places


def member_parts(key: ArrayKey, array: Array) -> list[tuple[Array, Array]]:
    """By environment, the rows of its estimates and of its measure; no rows where it cannot have the histories."""
    parts, row = [], 0
    for member in key:
        slots, configurations = (len(member.slots), len(member.configurations)) if member else (0, 0)
        parts.append((array[row : row + slots], array[row + slots : row + slots + configurations]))
        row += slots + configurations
    return parts


def stacked(parts: Sequence[tuple[Array, Array]]) -> Array:
    """Estimates and measures of all environments as one array, the measures divided by their sum over everything."""
    total = sum(measure.sum(axis=0) for _, measure in parts)
    blocks = [
        block
        for estimates, measure in parts
        for block in (estimates, np.divide(measure, total, out=np.zeros_like(measure), where=total > 0))
        if len(block)
    ]
    array: Array = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=0)
    return array


def estimates_after(update: BeliefUpdate, estimates: Array) -> Array:
    """The estimates after an observation; where all masses are too small for a float they count alike, for nothing."""
    largest = max(factor for _, _, factor in update.flows)
    masses = np.zeros((len(update.slots), estimates.shape[1]))
    for source, target, factor in update.flows:
        masses[target] += estimates[source] * (factor / largest)
    total = masses.sum(axis=0)
    after: Array = np.divide(masses, total, out=np.full_like(masses, 1 / len(masses)), where=total > 0)
    return after


def measure_after(flows: MeasureFlows, measure: Array) -> Array:
    """The measure after an observation, not normalised."""
    after = np.zeros((len(flows.sources), measure.shape[1]))
    for row, sources in zip(after, flows.sources.values(), strict=True):
        for source, factor in sources:
            row += measure[source] * (factor / flows.scale)
    return after


def ordered(array: Array) -> tuple[Columns, Array]:
    """The columns in an order that makes equal ones neighbours, and the array in it.

    They are sorted by their product with numbers that no algebraic relation ties (cosines of integers).
    """
    order = np.argsort(sum(np.cos(s) * row for s, row in enumerate(array)), kind="stable")
    return order, array[:, order]


def distinct(array: Array) -> tuple[Array, Columns]:
    """The columns that differ by more than rounding, and by column its number among them."""
    order, sorted_columns = ordered(array)
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.abs(np.diff(sorted_columns)) > ESTIMATE_ROUNDING).any(axis=0)
    columns = np.empty(len(order), dtype=np.intp)
    columns[order] = np.cumsum(new) - 1
    return sorted_columns[:, new], columns
