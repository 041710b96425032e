"""Which actions may be optimal from a history on.

What is not followed is not planned, and cannot change the values of a history: an optimal plan takes none but optimal
actions later, and the value of a policy none but the policy's. To find what may be optimal, the layers of histories
are planned in columns (`multislot.planning.batches`), and the filter of `engine.planning.float_filter` keeps those
that may be optimal, with its e_t, M_t and proof. What is special here are estimates, which are off themselves. With
u = 2^-53 the unit of rounding, R the most rows of an array, O observations, and weights, estimates, measures >= 0:

- Estimates. Let d be Hilbert's projective distance, log max_s(p_s/q_s) - log min_s(p_s/q_s), of a column from the exact
  estimate of a history in it, or of its measures from the exact ones, whichever is larger. A positive linear map, such
  as the update by an observation, does not increase d (Birkhoff), nor does normalising. Rounding adds at most
  2 (R + 4) u an update, and merging columns twice the largest log ratio between a column and the one that stands for
  it, which is measured. Since both sum to 1, every entry has a relative error of at most n_t = 2 d_t + 2 (R + 2) u.
- Magnitudes. M_t = max over s, a of (|R_s| + sum_o W_s(o) M_{t+1}) / m_s bounds Q_nu in every environment, hence Q, and
  the sum of the absolute values of the terms that make it up; R_s, W_s(o), m_s are rewards, total weights and
  multiplicity. Where values on slots are retained, it is at least what bounds these, without m_s.
- Values. A backup is a quotient of sums of products of such terms, and Q an average of backups over the measures: four
  estimates or measures enter each, and no term passes through more than 2 R + O + 8 roundings.

Where the later value is on the slot (`Continuation.ON_THE_SLOT`), or in one environment of several, it depends on
which of several tying actions is taken later. There both ends of the interval over all actions kept later are carried
along, and an action is kept where its upper end comes near the largest lower end; weights >= 0 keep the ends in
order. Where a number leaves the range of floats nothing is ruled out. Reference: G. Birkhoff, "Extensions of
Jentzsch's theorem", 1957.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.effort import SteppedWork
from engine.planning.float_filter import LARGEST, ROUNDING, SMALLEST, FloatError
from multislot.futures import Continuation
from multislot.planning.backup import SlotBackup
from multislot.planning.batches import (
    Array,
    ArrayKey,
    ArrayPlace,
    Batches,
    Columns,
    HistoryLayer,
    RetainedRows,
    Routes,
    gather_nodes,
    sort_columns,
)
from multislot.planning.history_graph import Edges, FollowedActions, HistoryNode
from multislot.worlds.environment import Label

SAME_ESTIMATE = 2.0**-46
"""Numbers that are reached in two orders differ by less than this part of themselves."""
Kept: TypeAlias = NDArray[np.bool_]
"""bool[A, N]: whether each action may be optimal at each history of an array."""


class RetainedBounds(NamedTuple):
    """What is retained of the histories of a layer: both ends of what it may be."""

    low: RetainedRows
    high: RetainedRows


@dataclass
class NearOptimalActions:
    """The actions that may be optimal, `steps` >= 1 steps before the end, from some histories on.

    batches: of the class, in floats. backups_of: by step, from 0. `list_candidates` and `find_successor` address a
    history by its step and its place in the layer; `first` holds the places of the nodes.
    """

    batches: Batches
    nodes: Sequence[HistoryNode]
    backups_of: Callable[[int], list[SlotBackup]]
    steps: int
    work: SteppedWork
    _distances: list[float] = field(default_factory=list)
    _routes: list[Routes] = field(default_factory=list)
    _kept: list[dict[ArrayKey, Kept]] = field(default_factory=list)
    _sound: bool = True

    def __post_init__(self) -> None:
        merging = _Merging()
        batches = replace(self.batches, merge=merging)
        layer, places = gather_nodes(self.nodes)
        self.first = dict(zip(self.nodes, places, strict=True))
        distance = 4 * ROUNDING
        layers: list[HistoryLayer] = []
        while layer and len(layers) < self.steps:
            batches.announce(layer, self.work)
            layers.append(layer)
            self._distances.append(distance)
            smallest = min(float(array.min()) for array in layer.values())
            self._sound = smallest > SMALLEST and math.isfinite(distance)
            if len(layers) == self.steps or not self._sound:
                break
            routes, layer = batches.unfold(layer)
            self._routes.append(routes)
            distance += 2 * (_count_most_rows(layers[-1]) + 4) * ROUNDING + 2 * merging.pop_deviation()
        if self._sound:
            self._solve(layers)

    def list_candidates(self, step: int, place: ArrayPlace) -> tuple[int, ...]:
        """Return the positions of the actions that may be optimal."""
        if not self._sound:
            return tuple(range(len(self.batches.mixture.actions)))
        return tuple(np.flatnonzero(self._kept[step][place.key][:, place.column]).tolist())

    def find_successor(self, step: int, place: ArrayPlace, action: Label, observation: Label) -> ArrayPlace:
        """Return the place of the history after an action and an observation."""
        if not self._sound:
            return place
        key, columns = self._routes[step][place.key, action][observation]
        return ArrayPlace(key, int(columns[place.column]))

    def _solve(self, layers: list[HistoryLayer]) -> None:
        retained = RetainedBounds({}, {})
        error = FloatError()
        for step in range(len(layers) - 1, -1, -1):
            layer = layers[step]
            backups = self.backups_of(step)
            magnitude = max(self._magnitude(layer, m, backup, error.magnitude) for m, backup in enumerate(backups))
            rows = _count_most_rows(layer)
            roundings = 2 * rows + max(len(backup.rewards) for backup in backups) + 8
            error.back_up(magnitude, roundings, 4 * (2 * self._distances[step] + 2 * (rows + 2) * ROUNDING))
            self._sound = magnitude < LARGEST
            if not self._sound:
                return
            kept: dict[ArrayKey, Kept] = {}
            low, high = dict[ArrayKey, Sequence[Array | None]](), dict[ArrayKey, Sequence[Array | None]]()
            for key, array in layer.items():
                routes = self._routes[step] if step < len(layers) - 1 else {}
                kept[key], low[key], high[key] = self._back_up(key, array, routes, backups, retained, error.margin)
            self._kept.insert(0, kept)
            retained = RetainedBounds(low, high)

    def _magnitude(self, layer: HistoryLayer, m: int, backup: SlotBackup, later: float) -> float:
        """M_t in one environment, rounded up."""
        largest = 0.0
        for state, slots in {(member.state, member.slots) for key in layer if (member := key[m])}:
            for action in self.batches.mixture.actions:
                weights = backup.weights(self.batches.transitions[m](state, slots, action))
                counts = weights.multiplicity or [1.0] * len(weights.rewards)
                for s, (reward, count) in enumerate(zip(weights.rewards, counts, strict=True)):
                    passed_on = sum(total[s] for total in weights.total_copy_weight.values())
                    value = abs(reward) + passed_on * later
                    largest = max(largest, value / count, value if _continues_on_the_slot(backup) else 0.0)
        return largest * (1 + 1e-9)

    def _back_up(
        self,
        key: ArrayKey,
        array: Array,
        routes: Routes,
        backups: list[SlotBackup],
        retained: RetainedBounds,
        margin: float,
    ) -> tuple[Kept, Sequence[Array | None], Sequence[Array | None]]:
        """Return which actions are kept, and both ends of what is retained under them, by environment."""
        certain = len(key) == 1 and not _continues_on_the_slot(backups[0])
        ends = [
            [
                self.batches.action_value(key, array, action, routes.get((key, action), {}), backups, end)
                for action in self.batches.mixture.actions
            ]
            for end in (retained[:1] if certain else retained)
        ]
        low = np.array([average for average, _ in ends[0]])
        high = np.array([average for average, _ in ends[-1]])
        best = low.max(axis=0)
        kept: Kept = high >= best - margin
        if certain:
            return kept, [best], [best]
        lowest = _reduce_over_kept(np.min, kept, [options for _, options in ends[0]], np.inf)
        return kept, lowest, _reduce_over_kept(np.max, kept, [options for _, options in ends[-1]], -np.inf)


def _reduce_over_kept(
    extreme: Callable[..., Array], kept: Kept, by_action: Sequence[Sequence[Array | None]], without: float
) -> list[Array | None]:
    """By environment, the least or the largest of what is retained under the actions that are kept."""
    return [
        None
        if options[0] is None
        else extreme([np.where(keep, option, without) for keep, option in zip(kept, options, strict=True)], axis=0)
        for options in zip(*by_action, strict=True)
    ]


class _Merging:
    """Merges columns whose entries are equal but for rounding, and measures how far merged columns differ."""

    def __init__(self) -> None:
        self._largest = 0.0

    def __call__(self, array: Array) -> tuple[Array, Columns]:
        """Return the columns that differ, and by column its number among them."""
        order, sorted_columns = sort_columns(array)
        smaller = np.minimum(sorted_columns[:, 1:], sorted_columns[:, :-1])
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.abs(np.diff(sorted_columns)) > SAME_ESTIMATE * smaller).any(axis=0)
        numbers = np.cumsum(new) - 1
        different = sorted_columns[:, new]
        if different.min() <= SMALLEST:
            self._largest = math.inf
        elif len(order) > different.shape[1]:
            ratio = np.abs(sorted_columns / different[:, numbers] - 1.0).max()
            self._largest = max(self._largest, 1.01 * float(ratio) + 4 * ROUNDING)
        columns = np.empty(len(order), dtype=np.intp)
        columns[order] = numbers
        return different, columns

    def pop_deviation(self) -> float:
        """Return the largest log ratio since the last call, rounded up, and start anew."""
        largest, self._largest = self._largest, 0.0
        return largest


def _continues_on_the_slot(backup: SlotBackup) -> bool:
    return backup.future.continuation is Continuation.ON_THE_SLOT


def _count_most_rows(layer: HistoryLayer) -> int:
    return max(len(array) for array in layer.values())


class OptimalCandidates(FollowedActions):
    """What may be optimal, by a plan in floats."""

    def __init__(self, filtered: NearOptimalActions, actions: Sequence[Label]) -> None:
        self.filtered = filtered
        self.actions = actions
        self._places: dict[HistoryNode, ArrayPlace] = dict(filtered.first)

    def list_positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """Return the actions that the filter keeps."""
        return [self.filtered.list_candidates(step, self._places[node]) for node in nodes]

    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Find the places of the next layer; equal histories in two columns have the same optimal actions in both."""
        places: dict[HistoryNode, ArrayPlace] = {}
        for node, by_action in zip(nodes, edges, strict=True):
            for position, by_observation in by_action.items():
                for observation, successor in by_observation.items():
                    if later[successor] not in places:
                        place = self._places[node], self.actions[position]
                        places[later[successor]] = self.filtered.find_successor(step, *place, observation)
        self._places = places
