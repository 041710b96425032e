"""Many histories of a learning agent at once: those with equal states, slots and configurations share one array.

    w_nu[n] = sum over configurations c of  m_nu[c, n],     m'_nu[c', n] proportional to sum_c m_nu[c, n] factor(c, c')

A column is a history. Beside the slot estimates of each environment (`multislot.planning.batches`) stand the measures
that the likelihood keeps of it (`multislot.learning.likelihood`), with the posterior as weight; both go forward by sums
of rows. The action is chosen by the average over the posterior, and each environment is backed up under it. Reference:
The Multi-slot Framework, section 4 and Eq. 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.limits.effort import SteppedWork
from multislot.learning.likelihood import Configuration
from multislot.learning.mixture import Mixture
from multislot.planning.arithmetic import ExactOrFloat
from multislot.planning.backup import Retained, SlotBackup
from multislot.planning.batches import COLUMNS_PER_UNIT, UNITS_PER_ARRAY, Array, distinct, estimates_after, rows
from multislot.planning.belief import BeliefTransitions
from multislot.planning.history_graph import HistoryNode
from multislot.worlds.environment import HistoryState, Label, Slot


class MemberRows(NamedTuple):
    """What the rows of an array are in one environment: slots of the estimate, then configurations of the measure."""

    state: HistoryState
    slots: tuple[Slot, ...]
    configurations: tuple[Configuration, ...]


ClassKey: TypeAlias = tuple[MemberRows | None, ...]
ClassRoutes: TypeAlias = dict[tuple[ClassKey, Label], dict[Label, tuple[ClassKey, NDArray[np.intp]]]]
ClassRetained: TypeAlias = dict[ClassKey, list[Array | None]]


@dataclass
class ClassBatches:
    """Plans whole layers of a class of environments, in floats. largest_reward: in absolute value."""

    mixture: Mixture
    largest_reward: ExactOrFloat
    transitions: Sequence[BeliefTransitions]
    _measures: dict[Any, dict[Configuration, list[tuple[int, float]]]] = field(default_factory=dict)

    def look_ahead(
        self,
        nodes: Sequence[HistoryNode],
        backups_of: Callable[[int], list[SlotBackup]],
        steps: int,
        work: SteppedWork,
    ) -> list[tuple[Retained, ...]]:
        """What earlier backups need of each node, `steps` >= 1 steps before the end; backups_of: by step, from 0."""
        layer, places = _gathered(nodes)
        layers, routes = list[dict[ClassKey, Array]](), list[ClassRoutes]()
        while layer and len(layers) < steps:
            work.step(sum(UNITS_PER_ARRAY * len(key) + a.size // COLUMNS_PER_UNIT for key, a in layer.items()))
            layers.append(layer)
            if len(layers) == steps:
                routes.append({(key, action): {} for key in layer for action in self.mixture.actions})
            else:
                route, layer = self._unfold(layer)
                routes.append(route)
        retained: ClassRetained = {}
        while layers:
            layer, route, backups = layers.pop(), routes.pop(), backups_of(len(layers))
            retained = {key: self._back_up(key, array, route, backups, retained) for key, array in layer.items()}
        return [
            tuple([None if kept is None else kept[..., column].tolist() for kept in retained[key]])
            for key, column in places
        ]

    def _unfold(self, layer: dict[ClassKey, Array]) -> tuple[ClassRoutes, dict[ClassKey, Array]]:
        """The routes out of a layer, and the next layer, equal histories merged."""
        arrivals: dict[ClassKey, list[Array]] = {}
        parts: dict[tuple[ClassKey, Label], dict[Label, tuple[ClassKey, int]]] = {}
        for key, array in layer.items():
            for action in self.mixture.actions:
                part = parts[key, action] = {}
                for observation, (target, after) in self._after(key, array, action).items():
                    arriving = arrivals.setdefault(target, [])
                    part[observation] = target, len(arriving)
                    arriving.append(after)
        later, columns = dict[ClassKey, Array](), dict[ClassKey, list[NDArray[np.intp]]]()
        for target, arriving in arrivals.items():
            later[target], numbers = distinct(np.concatenate(arriving, axis=1))
            columns[target] = np.split(numbers, np.cumsum([part.shape[1] for part in arriving[:-1]]))
        routes = {
            place: {observation: (target, columns[target][k]) for observation, (target, k) in part.items()}
            for place, part in parts.items()
        }
        return routes, later

    def _after(self, key: ClassKey, array: Array, action: Label) -> dict[Label, tuple[ClassKey, Array]]:
        """By observation: the rows after it, what they are, and the columns; those that are impossible are left out."""
        members: dict[Label, list[MemberRows | None]] = {}
        blocks: dict[Label, list[tuple[Array, Array]]] = {}
        for m, (member, (shares, measure)) in enumerate(zip(key, _parts(key, array), strict=True)):
            if member is None:
                continue
            for observation, update in self.transitions[m](member.state, member.slots, action).updates.items():
                flows = self._measure_after(m, member, action, observation)
                weights = [
                    sum((measure[c] * factor for c, factor in flow), np.zeros(array.shape[1]))
                    for flow in flows.values()
                ]
                block = np.array(weights).reshape(len(weights), array.shape[1])
                members.setdefault(observation, [None] * len(key))[m] = MemberRows(
                    update.state, update.slots, tuple(flows)
                )
                blocks.setdefault(observation, []).append((estimates_after(update, shares), block))
        return {observation: (tuple(members[observation]), _normalised(blocks[observation])) for observation in members}

    def _measure_after(
        self, m: int, member: MemberRows, action: Label, observation: Label
    ) -> dict[Configuration, list[tuple[int, float]]]:
        """By configuration after an observation: from which rows of the measure it comes, with which factors."""
        place = (m, member.state, member.configurations, action, observation)
        if place not in self._measures:
            environment, flows = self.mixture.members[m], dict[Configuration, list[tuple[int, float]]]()
            for c, configuration in enumerate(member.configurations):
                successors = self.mixture.likelihood.successors(
                    configuration, lambda slot: environment.law(member.state, slot, action), observation
                )
                for successor, factor in successors:
                    flows.setdefault(successor, []).append((c, float(factor)))
            self._measures[place] = dict(sorted(flows.items(), key=lambda flow: str(flow[0])))
        return self._measures[place]

    def _back_up(
        self, key: ClassKey, array: Array, routes: ClassRoutes, backups: list[SlotBackup], retained: ClassRetained
    ) -> list[Array | None]:
        """What is retained of the histories of one array, by environment, under their first best actions."""
        count, parts = array.shape[1], _parts(key, array)
        averages: list[Array] = []
        options: list[list[Array]] = [[] for _ in key]
        for action in self.mixture.actions:
            average = np.zeros(count)
            for m, (member, (shares, measure)) in enumerate(zip(key, parts, strict=True)):
                if member is None:
                    continue
                later = {
                    o: kept[..., columns]
                    for o, (target, columns) in routes[key, action].items()
                    if (kept := retained[target][m]) is not None
                }
                weights = backups[m].weights(self.transitions[m](member.state, member.slots, action))
                value, option = backups[m].action_value(weights, list(shares), later)
                average = average + measure.sum(axis=0) * np.asarray(value)
                options[m].append(rows(option, count))
            averages.append(average)
        best = np.max(averages, axis=0)
        near = [backups[0].arithmetic.near(average, best, self.largest_reward) for average in averages]
        chosen = np.argmax(near, axis=0)
        return [np.array(o)[chosen, ..., np.arange(count)].T if o else None for o in options]


def _gathered(nodes: Sequence[HistoryNode]) -> tuple[dict[ClassKey, Array], list[tuple[ClassKey, int]]]:
    """Nodes as a layer, and the array and column of each."""
    columns: dict[ClassKey, list[list[float]]] = {}
    places: list[tuple[ClassKey, int]] = []
    for node in nodes:
        key: list[MemberRows | None] = []
        column: list[float] = []
        for belief, evidence in zip(node.beliefs, node.evidence, strict=True):
            if belief is None:
                key.append(None)
                continue
            total = sum(belief.masses)
            key.append(MemberRows(belief.state, belief.slots, tuple(c for c, _ in evidence.measure)))
            column += [*(mass / total for mass in belief.masses), *(float(weight) for _, weight in evidence.measure)]
        gathered = columns.setdefault(tuple(key), [])
        places.append((tuple(key), len(gathered)))
        gathered.append(column)
    return {key: np.array(entries).T for key, entries in columns.items()}, places


def _parts(key: ClassKey, array: Array) -> list[tuple[Array, Array]]:
    """By environment, the rows of its estimate and of its measure; no rows where it cannot have the histories."""
    parts, row = [], 0
    for member in key:
        slots, configurations = (len(member.slots), len(member.configurations)) if member else (0, 0)
        parts.append((array[row : row + slots], array[row + slots : row + slots + configurations]))
        row += slots + configurations
    return parts


def _normalised(blocks: Sequence[tuple[Array, Array]]) -> Array:
    """Estimates and measures of all environments as one array, the measures divided by their sum over everything."""
    total = sum(measure.sum(axis=0) for _, measure in blocks)
    stacked = [
        block
        for shares, measure in blocks
        for block in (shares, np.divide(measure, total, out=np.zeros_like(measure), where=total > 0))
    ]
    array: Array = np.concatenate(stacked, axis=0)
    return array
