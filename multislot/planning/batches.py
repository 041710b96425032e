"""Many histories at once: those with equal states, slots and configurations are the columns of one array.

    estimates[s, n] = P^s(h_n)          w_nu(h_n) = sum over configurations c of  measure[c, n]
    Q(h, a) = sum over nu of  w_nu(h) Q_nu(h, a),   a number per column

The rows are, environment by environment, the estimates of the slots, then the measure that the likelihood keeps of
the environment (`multislot.likelihoods`), with the posterior as weight; a class of one has no measure. Both go
forward by sums of rows. A layer of histories is walked forward by the same belief updates
(`multislot.planning.belief`) and backward by the same backups (`multislot.planning.backup`) as single histories are:
their sums are linear, and what is a number there is a row with an entry a history here. Reference: The Multi-slot
Framework, section 4 and Eq. 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.effort import SteppedWork
from multislot.learning import NO_EVIDENCE, MeasureFlows, Mixture
from multislot.likelihoods import Configuration
from multislot.planning.backup import ExactOrFloat, Retained, SlotBackup
from multislot.planning.belief import BeliefTransitions, BeliefUpdate
from multislot.planning.history_graph import HistoryNode
from multislot.worlds.environment import HistoryState, Label, Slot

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


def gather_nodes(nodes: Sequence[HistoryNode]) -> tuple[HistoryLayer, list[ArrayPlace]]:
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


def split_by_member(key: ArrayKey, array: Array) -> list[tuple[Array, Array]]:
    """By environment, the rows of its estimates and of its measure; no rows where it cannot have the histories."""
    parts = []
    row = 0
    for member in key:
        slots, configurations = (len(member.slots), len(member.configurations)) if member else (0, 0)
        parts.append((array[row : row + slots], array[row + slots : row + slots + configurations]))
        row += slots + configurations
    return parts


def stack_parts(parts: Sequence[tuple[Array, Array]]) -> Array:
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


def update_estimates(update: BeliefUpdate, estimates: Array) -> Array:
    """The estimates after an observation; where all masses are too small for a float they count alike, for nothing."""
    largest = max(factor for _, _, factor in update.flows)
    masses = np.zeros((len(update.slots), estimates.shape[1]))
    for source, target, factor in update.flows:
        masses[target] += estimates[source] * (factor / largest)
    total = masses.sum(axis=0)
    after: Array = np.divide(masses, total, out=np.full_like(masses, 1 / len(masses)), where=total > 0)
    return after


def update_measure(flows: MeasureFlows, measure: Array) -> Array:
    """Return the measure after an observation, not normalised."""
    after = np.zeros((len(flows.sources), measure.shape[1]))
    for row, sources in zip(after, flows.sources.values(), strict=True):
        for source, factor in sources:
            row += measure[source] * (factor / flows.scale)
    return after


def sort_columns(array: Array) -> tuple[Columns, Array]:
    """Return the columns in an order that makes equal ones neighbours, and the array in it.

    They are sorted by their product with numbers that no algebraic relation ties (cosines of integers).
    """
    order = np.argsort(sum(np.cos(s) * row for s, row in enumerate(array)), kind="stable")
    return order, array[:, order]


def merge_equal_columns(array: Array) -> tuple[Array, Columns]:
    """Return the columns that differ by more than rounding, and by column its number among them."""
    order, sorted_columns = sort_columns(array)
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.abs(np.diff(sorted_columns)) > ESTIMATE_ROUNDING).any(axis=0)
    columns = np.empty(len(order), dtype=np.intp)
    columns[order] = np.cumsum(new) - 1
    return sorted_columns[:, new], columns


Routes: TypeAlias = dict[tuple[ArrayKey, Label], dict[Label, tuple[ArrayKey, Columns]]]
RetainedRows: TypeAlias = Mapping[ArrayKey, Sequence[Array | None]]
"""What is retained of the histories of each array, by environment; the last axis counts the histories."""

UNITS_PER_ARRAY, COLUMNS_PER_UNIT = 50, 20
"""What an array costs, and how many of its numbers cost as much as a fraction by itself."""


@dataclass(frozen=True)
class Batches:
    """Plans whole layers of a class of environments, by an arithmetic with `columns`.

    largest_reward: in absolute value. transitions: by environment. merge: an array -> its different columns, and by
    column its number among them. Routes say by array, action and observation in which array of the next layer, and in
    which column, the successor of every history is.
    """

    mixture: Mixture
    largest_reward: ExactOrFloat
    transitions: Sequence[BeliefTransitions]
    merge: Callable[[Array], tuple[Array, Columns]] = merge_equal_columns

    def look_ahead(
        self, nodes: Sequence[HistoryNode], backups_of: Callable[[int], list[SlotBackup]], steps: int, work: SteppedWork
    ) -> list[tuple[Retained, ...]]:
        """What earlier backups need of each node, `steps` >= 1 steps before the end; backups_of: by step, from 0."""
        layer, places = gather_nodes(nodes)
        layers = list[HistoryLayer]()
        routes = list[Routes]()
        while layer and len(layers) < steps:
            self.announce(layer, work)
            layers.append(layer)
            if len(layers) == steps:
                routes.append({(key, action): {} for key in layer for action in self.mixture.actions})
            else:
                route, layer = self.unfold(layer)
                routes.append(route)
        retained: RetainedRows = {}
        while layers:
            layer = layers.pop()
            route = routes.pop()
            backups = backups_of(len(layers))
            retained = {key: self._back_up(key, array, route, backups, retained) for key, array in layer.items()}
        return [
            tuple([None if kept is None else kept[..., column].tolist() for kept in retained[key]])
            for key, column in places
        ]

    def announce(self, layer: HistoryLayer, work: SteppedWork) -> None:
        """Say how much work a layer is before it is done."""
        work.step(sum(UNITS_PER_ARRAY * len(key) + a.size // COLUMNS_PER_UNIT for key, a in layer.items()))

    def unfold(self, layer: HistoryLayer) -> tuple[Routes, HistoryLayer]:
        """Return the routes out of a layer, and the next layer, equal histories merged."""
        arrivals: dict[ArrayKey, list[Array]] = {}
        parts: dict[tuple[ArrayKey, Label], dict[Label, tuple[ArrayKey, int]]] = {}
        for key, array in layer.items():
            for action in self.mixture.actions:
                part = parts[key, action] = {}
                for observation, (target, after) in self._observe(key, array, action).items():
                    arriving = arrivals.setdefault(target, [])
                    part[observation] = target, len(arriving)
                    arriving.append(after)
        joined = {target: self._join_arrays(arriving) for target, arriving in arrivals.items()}
        routes = {
            place: {observation: (target, joined[target][1][k]) for observation, (target, k) in part.items()}
            for place, part in parts.items()
        }
        return routes, {target: array for target, (array, _) in joined.items()}

    def action_value(
        self,
        key: ArrayKey,
        array: Array,
        action: Label,
        route: Mapping[Label, tuple[ArrayKey, Columns]],
        backups: Sequence[SlotBackup],
        retained: RetainedRows,
    ) -> tuple[Array, list[Array | None]]:
        """Q(h, a) of the histories of one array, and by environment what is retained of them if a is chosen there.

        route: by observation, where their successors are. retained: of the next layer.
        """
        count = array.shape[1]
        known = len(key) == 1
        average = np.zeros(count)
        options = list[Array | None]()
        for m, (member, (estimates, measure)) in enumerate(zip(key, split_by_member(key, array), strict=True)):
            if member is None:
                options.append(None)
                continue
            later = {o: kept[..., at] for o, (target, at) in route.items() if (kept := retained[target][m]) is not None}
            weights = backups[m].weights(self.transitions[m](member.state, member.slots, action))
            value, option = backups[m].action_value(weights, list(estimates), later)
            average = average + (1.0 if known else measure.sum(axis=0)) * np.asarray(value, dtype=float)
            options.append(_stack_retained(option, count))
        return average, options

    def _observe(self, key: ArrayKey, array: Array, action: Label) -> dict[Label, tuple[ArrayKey, Array]]:
        """By observation: what the rows are after it, and the columns; impossible observations are left out."""
        members: dict[Label, list[MemberRows | None]] = {}
        parts: dict[Label, list[tuple[Array, Array]]] = {}
        for m, (member, (estimates, measure)) in enumerate(zip(key, split_by_member(key, array), strict=True)):
            if member is None:
                continue
            updates = self.mixture.evidence_updates[m]
            for observation, update in self.transitions[m](member.state, member.slots, action).updates.items():
                flows = updates.find_flows(member.state, True, member.configurations, action, observation)
                rows = MemberRows(update.state, update.slots, tuple(flows.sources))
                members.setdefault(observation, [None] * len(key))[m] = rows
                part = update_estimates(update, estimates), update_measure(flows, measure)
                parts.setdefault(observation, []).append(part)
        return {observation: (tuple(rows), stack_parts(parts[observation])) for observation, rows in members.items()}

    def _join_arrays(self, arriving: Sequence[Array]) -> tuple[Array, list[Columns]]:
        """Arrays with the same rows as one of different columns, and by array where its columns are in that one."""
        array, columns = self.merge(np.concatenate(arriving, axis=1))
        ends = accumulate(part.shape[1] for part in arriving[:-1])
        return array, np.split(columns, list(ends))

    def _back_up(
        self, key: ArrayKey, array: Array, routes: Routes, backups: list[SlotBackup], retained: RetainedRows
    ) -> list[Array | None]:
        """Return what is retained of the histories of one array, by environment, under their first best actions."""
        by_action = [
            self.action_value(key, array, action, routes[key, action], backups, retained)
            for action in self.mixture.actions
        ]
        best = np.max([average for average, _ in by_action], axis=0)
        near = [backups[0].arithmetic.is_near(average, best, self.largest_reward) for average, _ in by_action]
        chosen = np.argmax(near, axis=0)
        every = np.arange(array.shape[1])
        options = zip(*(options for _, options in by_action), strict=True)
        return [None if option[0] is None else np.array(option)[chosen, ..., every].T for option in options]


def _stack_retained(retained: Retained, count: int) -> Array:
    """Return what a backup retains, a row or a list by slot of rows or constants, as one array."""
    if isinstance(retained, list):
        return np.array([np.broadcast_to(number, count) for number in retained])
    return np.broadcast_to(np.asarray(retained, dtype=float), count)
