"""Many histories at once: those with equal state and slots are the columns of one array of slot estimates.

    shares[s, n] = P^s(h_n),   shares'[t, n] proportional to sum_s shares[s, n] nu(c^st o | h_n, a, s)

A layer of histories is walked forward by the same belief updates (`multislot.planning.belief`) and backward by the
same backups (`multislot.planning.backup`) as single histories are: their sums are linear, and what is a number there
is a row with an entry a history here. Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.limits.effort import SteppedWork
from multislot.planning.arithmetic import Arithmetic, ExactOrFloat
from multislot.planning.backup import Retained, SlotBackup
from multislot.planning.belief import Belief, BeliefTransitions, BeliefUpdate
from multislot.worlds.environment import HistoryState, Label, Slot

Array: TypeAlias = NDArray[np.float64]
StateAndSlots: TypeAlias = tuple[HistoryState, tuple[Slot, ...]]
BeliefLayer: TypeAlias = dict[StateAndSlots, Array]
Routes: TypeAlias = dict[tuple[StateAndSlots, Label], dict[Label, tuple[StateAndSlots, NDArray[np.intp]]]]

UNITS_PER_ARRAY, COLUMNS_PER_UNIT = 50, 20
"""What an array costs, and how many of its numbers cost as much as a fraction by itself."""
ESTIMATE_ROUNDING = 2.0**-46
"""Estimates of one history that is reached in two orders differ by less than this."""


def distinct(shares: Array) -> tuple[Array, NDArray[np.intp]]:
    """The columns that differ by more than rounding, and by column its number among them.

    Equal columns are neighbours when sorted by their product with numbers that no algebraic relation ties (cosines of
    integers).
    """
    order = np.argsort(sum(np.cos(s) * row for s, row in enumerate(shares)), kind="stable")
    ordered = shares[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.abs(np.diff(ordered)) > ESTIMATE_ROUNDING).any(axis=0)
    columns = np.empty(len(order), dtype=np.intp)
    columns[order] = np.cumsum(new) - 1
    return ordered[:, new], columns


@dataclass(frozen=True)
class Batches:
    """Plans whole layers of one environment, by an arithmetic with `columns`.

    largest_reward: in absolute value. A layer holds by state and slots the estimates of its histories; routes say by
    action and observation in which array of the next layer, and in which column, the successor of every history is.
    merge: estimates -> the different ones, and by column its number among them.
    """

    actions: Sequence[Label]
    largest_reward: ExactOrFloat
    transitions: BeliefTransitions
    merge: Callable[[Array], tuple[Array, NDArray[np.intp]]] = distinct

    def look_ahead(
        self, beliefs: Sequence[Belief], backup_of: Callable[[int], SlotBackup], steps: int, work: SteppedWork
    ) -> list[Retained]:
        """What earlier backups need of each belief, `steps` >= 1 steps before the end; backup_of: by step, from 0."""
        arithmetic = backup_of(0).arithmetic
        layer, columns = gathered(beliefs, arithmetic)
        layers, routes = list[BeliefLayer](), list[Routes]()
        while layer and len(layers) < steps:
            self.announce(layer, work)
            layers.append(layer)
            if len(layers) == steps:
                routes.append({(key, action): {} for key in layer for action in self.actions})
            else:
                route, layer = self.unfold(layer)
                routes.append(route)
        retained: dict[StateAndSlots, Array] = {}
        while layers:
            layer, route, backup = layers.pop(), routes.pop(), backup_of(len(layers))
            retained = {key: self._back_up(key, shares, route, backup, retained) for key, shares in layer.items()}
        return [retained[state, slots][..., n].tolist() for (state, slots, _), n in zip(beliefs, columns, strict=True)]

    def announce(self, layer: BeliefLayer, work: SteppedWork) -> None:
        """Say how much work a layer is before it is done."""
        work.step(sum(UNITS_PER_ARRAY + shares.size // COLUMNS_PER_UNIT for shares in layer.values()))

    def unfold(self, layer: BeliefLayer) -> tuple[Routes, BeliefLayer]:
        """The routes out of a layer, and the next layer, equal histories merged."""
        arrivals: dict[StateAndSlots, list[Array]] = {}
        parts: dict[tuple[StateAndSlots, Label], dict[Label, tuple[StateAndSlots, int]]] = {}
        for (state, slots), shares in layer.items():
            for action in self.actions:
                part = parts[(state, slots), action] = {}
                for observation, update in self.transitions(state, slots, action).updates.items():
                    target = (update.state, update.slots)
                    arriving = arrivals.setdefault(target, [])
                    part[observation] = target, len(arriving)
                    arriving.append(estimates_after(update, shares))
        joined = {target: self._joined(arriving) for target, arriving in arrivals.items()}
        routes = {
            key: {observation: (target, joined[target][1][k]) for observation, (target, k) in part.items()}
            for key, part in parts.items()
        }
        return routes, {target: shares for target, (shares, _) in joined.items()}

    def _joined(self, arriving: Sequence[Array]) -> tuple[Array, list[NDArray[np.intp]]]:
        """Arrays of estimates as one of different ones, and by array where its columns are in that one."""
        shares, columns = self.merge(np.concatenate(arriving, axis=1))
        ends = accumulate(part.shape[1] for part in arriving[:-1])
        return shares, np.split(columns, list(ends))

    def _back_up(
        self,
        key: StateAndSlots,
        shares: Array,
        routes: Routes,
        backup: SlotBackup,
        retained: Mapping[StateAndSlots, Array],
    ) -> Array:
        """What is retained of the histories of one array, under their first best actions; the last axis counts them."""
        averages, options = [], []
        for action in self.actions:
            later = {o: retained[target][..., columns] for o, (target, columns) in routes[key, action].items()}
            weights = backup.weights(self.transitions(*key, action))
            average, option = backup.action_value(weights, list(shares), later)
            averages.append(np.asarray(average))
            options.append(rows(option, shares.shape[1]))
        best = np.max(averages, axis=0)
        chosen = np.argmax([backup.arithmetic.near(average, best, self.largest_reward) for average in averages], axis=0)
        picked: Array = np.array(options)[chosen, ..., np.arange(len(chosen))].T
        return picked


def gathered(beliefs: Iterable[Belief], arithmetic: Arithmetic) -> tuple[BeliefLayer, list[int]]:
    """Beliefs as a layer, and the column of each."""
    gathered: dict[StateAndSlots, list[Sequence[ExactOrFloat]]] = {}
    columns = []
    for state, slots, masses in beliefs:
        estimates = gathered.setdefault((state, slots), [])
        columns.append(len(estimates))
        estimates.append(arithmetic.shares(masses))
    return {key: np.array(estimates, dtype=float).T for key, estimates in gathered.items()}, columns


def estimates_after(update: BeliefUpdate, shares: Array) -> Array:
    """The estimates after an observation; where all masses are too small for a float they count alike, for nothing."""
    largest = max(factor for _, _, factor in update.flows)
    masses = np.zeros((len(update.slots), shares.shape[1]))
    for source, target, factor in update.flows:
        masses[target] += shares[source] * (factor / largest)
    total = masses.sum(axis=0)
    shared: Array = np.divide(masses, total, out=np.full_like(masses, 1 / len(masses)), where=total > 0)
    return shared


def rows(retained: Retained, count: int) -> Array:
    """What a backup retains, a row or a list by slot of rows or constants, as one array."""
    if isinstance(retained, list):
        return np.array([np.broadcast_to(number, count) for number in retained])
    return np.asarray(retained)
