"""Many histories at once: those with equal states, slots and configurations are the columns of one array.

    Q(h, a) = sum over nu of  w_nu(h) Q_nu(h, a),   a number a column

A layer of histories is walked forward by the same belief updates (`multislot.planning.belief`) and backward by the
same backups (`multislot.planning.backup`) as single histories are: their sums are linear, and what is a number there
is a row with an entry a history here (`multislot.planning.history_arrays`). Reference: The Multi-slot Framework,
section 4 and Eq. 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from engine.limits.effort import SteppedWork
from multislot.learning.mixture import Mixture
from multislot.planning.arithmetic import ExactOrFloat
from multislot.planning.backup import Retained, SlotBackup
from multislot.planning.belief import BeliefTransitions
from multislot.planning.history_arrays import (
    Array,
    ArrayKey,
    Columns,
    HistoryLayer,
    MemberRows,
    distinct,
    estimates_after,
    gathered,
    measure_after,
    member_parts,
    stacked,
)
from multislot.planning.history_graph import HistoryNode
from multislot.worlds.environment import Label

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
    merge: Callable[[Array], tuple[Array, Columns]] = distinct

    def look_ahead(
        self, nodes: Sequence[HistoryNode], backups_of: Callable[[int], list[SlotBackup]], steps: int, work: SteppedWork
    ) -> list[tuple[Retained, ...]]:
        """What earlier backups need of each node, `steps` >= 1 steps before the end; backups_of: by step, from 0."""
        layer, places = gathered(nodes)
        layers, routes = list[HistoryLayer](), list[Routes]()
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
            layer, route, backups = layers.pop(), routes.pop(), backups_of(len(layers))
            retained = {key: self._back_up(key, array, route, backups, retained) for key, array in layer.items()}
        return [
            tuple([None if kept is None else kept[..., column].tolist() for kept in retained[key]])
            for key, column in places
        ]

    def announce(self, layer: HistoryLayer, work: SteppedWork) -> None:
        """Say how much work a layer is before it is done."""
        work.step(sum(UNITS_PER_ARRAY * len(key) + a.size // COLUMNS_PER_UNIT for key, a in layer.items()))

    def unfold(self, layer: HistoryLayer) -> tuple[Routes, HistoryLayer]:
        """The routes out of a layer, and the next layer, equal histories merged."""
        arrivals: dict[ArrayKey, list[Array]] = {}
        parts: dict[tuple[ArrayKey, Label], dict[Label, tuple[ArrayKey, int]]] = {}
        for key, array in layer.items():
            for action in self.mixture.actions:
                part = parts[key, action] = {}
                for observation, (target, after) in self._after(key, array, action).items():
                    arriving = arrivals.setdefault(target, [])
                    part[observation] = target, len(arriving)
                    arriving.append(after)
        joined = {target: self._joined(arriving) for target, arriving in arrivals.items()}
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
        count, known = array.shape[1], len(key) == 1
        average, options = np.zeros(count), list[Array | None]()
        for m, (member, (estimates, measure)) in enumerate(zip(key, member_parts(key, array), strict=True)):
            if member is None:
                options.append(None)
                continue
            later = {o: kept[..., at] for o, (target, at) in route.items() if (kept := retained[target][m]) is not None}
            weights = backups[m].weights(self.transitions[m](member.state, member.slots, action))
            value, option = backups[m].action_value(weights, list(estimates), later)
            average = average + (1.0 if known else measure.sum(axis=0)) * np.asarray(value, dtype=float)
            options.append(_rows(option, count))
        return average, options

    def _after(self, key: ArrayKey, array: Array, action: Label) -> dict[Label, tuple[ArrayKey, Array]]:
        """By observation: what the rows are after it, and the columns; impossible observations are left out."""
        members: dict[Label, list[MemberRows | None]] = {}
        parts: dict[Label, list[tuple[Array, Array]]] = {}
        for m, (member, (estimates, measure)) in enumerate(zip(key, member_parts(key, array), strict=True)):
            if member is None:
                continue
            updates = self.mixture.evidence_updates[m]
            for observation, update in self.transitions[m](member.state, member.slots, action).updates.items():
                flows = updates.flows(member.state, True, member.configurations, action, observation)
                rows = MemberRows(update.state, update.slots, tuple(flows.sources))
                members.setdefault(observation, [None] * len(key))[m] = rows
                part = estimates_after(update, estimates), measure_after(flows, measure)
                parts.setdefault(observation, []).append(part)
        return {observation: (tuple(rows), stacked(parts[observation])) for observation, rows in members.items()}

    def _joined(self, arriving: Sequence[Array]) -> tuple[Array, list[Columns]]:
        """Arrays with the same rows as one of different columns, and by array where its columns are in that one."""
        array, columns = self.merge(np.concatenate(arriving, axis=1))
        ends = accumulate(part.shape[1] for part in arriving[:-1])
        return array, np.split(columns, list(ends))

    def _back_up(
        self, key: ArrayKey, array: Array, routes: Routes, backups: list[SlotBackup], retained: RetainedRows
    ) -> list[Array | None]:
        """What is retained of the histories of one array, by environment, under their first best actions."""
        by_action = [
            self.action_value(key, array, action, routes[key, action], backups, retained)
            for action in self.mixture.actions
        ]
        best = np.max([average for average, _ in by_action], axis=0)
        near = [backups[0].arithmetic.near(average, best, self.largest_reward) for average, _ in by_action]
        chosen, every = np.argmax(near, axis=0), np.arange(array.shape[1])
        options = zip(*(options for _, options in by_action), strict=True)
        return [None if option[0] is None else np.array(option)[chosen, ..., every].T for option in options]


def _rows(retained: Retained, count: int) -> Array:
    """What a backup retains, a row or a list by slot of rows or constants, as one array."""
    if isinstance(retained, list):
        return np.array([np.broadcast_to(number, count) for number in retained])
    return np.broadcast_to(np.asarray(retained, dtype=float), count)
