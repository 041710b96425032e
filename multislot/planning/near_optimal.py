"""Which actions may be optimal: a plan in floats, with a bound on its error, rules out all others.

The layers of histories are planned in columns (`multislot.planning.batches`). An action is kept where

    Qhat(h, a) >= max_b Qhat(h, b) - 2 e_t M_t

Every optimal action is kept, because |Qhat(h, a) - Q(h, a)| <= e_t M_t for all of them. With u = 2^-53 the unit of
rounding, S slots, O observations, and all weights and estimates >= 0:

- Estimates. Let d be Hilbert's projective distance, log max_s(p_s/q_s) - log min_s(p_s/q_s), of a column from the exact
  estimate of a history in it. A positive linear map, such as the update by an observation, does not increase d
  (Birkhoff), nor does normalising. Rounding adds at most 2 (S + 4) u an update, and merging columns twice the largest
  log ratio between a column and the one that stands for it, which is measured. Since both sum to 1, every entry of
  the estimate has a relative error of at most n_t = 2 d_t + 2 (S + 2) u.
- Magnitudes. M_t = max over s, a of (|R_s| + sum_o W_s(o) M_{t+1}) / m_s bounds Q, and the sum of the absolute values
  of the terms that make it up; R_s, W_s(o), m_s are rewards, total weights and multiplicity. Where values on slots
  are retained, it is at least what bounds these, without m_s.
- Values. A backup is a quotient of sums of products of such terms: its relative error, against M_t, is at most
  e_t = e_{t+1} + 3 n_t + 4 (S + O + 8) u. The largest value, or that under a kept action, errs no more.

Where the later value is on the slot (`Continuation.ON_THE_SLOT`), it depends on which of several tying actions is
taken later. There both ends of the interval over all actions kept later are carried along, and an action is kept where
its upper end comes near the largest lower end; weights >= 0 keep the ends in order. `SAFETY` multiplies the bounds.
Where a number leaves the range of floats nothing is ruled out. Reference: the filter is that of exact geometric
predicates; G. Birkhoff, "Extensions of Jentzsch's theorem", 1957.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.limits.effort import SteppedWork
from multislot.future import Continuation
from multislot.planning.backup import SlotBackup
from multislot.planning.batches import Array, Batches, BeliefLayer, Routes, StateAndSlots, gathered, rows
from multislot.planning.belief import Belief

ROUNDING = 2.0**-53
SAFETY = 4.0
SAME_ESTIMATE = 2.0**-46
"""Entries of estimates that are reached in two orders differ by less than this part of themselves."""
SMALLEST_SHARE, LARGEST_VALUE = 1e-280, 1e280


class RetainedBounds(NamedTuple):
    """What is retained of the histories of one array: both ends of what it may be."""

    low: Array
    high: Array


@dataclass
class NearOptimalActions:
    """The actions that may be optimal, `steps` >= 1 steps before the end, from some beliefs on.

    batches: of the environment, in floats. backup_of: by step, from 0. `possible` and `successor` address a history by
    its step, its state and slots, and its column, as `first` gives it.
    """

    batches: Batches
    beliefs: Sequence[Belief]
    backup_of: Callable[[int], SlotBackup]
    steps: int
    work: SteppedWork
    _distances: list[float] = field(default_factory=list)
    _routes: list[Routes] = field(default_factory=list)
    _kept: list[dict[StateAndSlots, NDArray[np.bool_]]] = field(default_factory=list)
    _sound: bool = True

    def __post_init__(self) -> None:
        merging = _Merging()
        batches = replace(self.batches, merge=merging)
        layer, columns = gathered(self.beliefs, self.backup_of(0).arithmetic)
        self.first = dict(zip(self.beliefs, columns, strict=True))
        distance = 4 * ROUNDING
        layers: list[BeliefLayer] = []
        while layer and len(layers) < self.steps:
            batches.announce(layer, self.work)
            layers.append(layer)
            self._distances.append(distance)
            smallest = min(float(shares.min()) for shares in layer.values())
            self._sound = smallest > SMALLEST_SHARE and math.isfinite(distance)
            if len(layers) == self.steps or not self._sound:
                break
            routes, layer = batches.unfold(layer)
            self._routes.append(routes)
            distance += 2 * (_most_slots(layers[-1]) + 4) * ROUNDING + 2 * merging.deviation()
        if self._sound:
            self._solve(layers)

    def possible(self, step: int, key: StateAndSlots, column: int) -> tuple[int, ...]:
        """The positions of the actions that may be optimal."""
        if not self._sound:
            return tuple(range(len(self.batches.actions)))
        return tuple(np.flatnonzero(self._kept[step][key][:, column]).tolist())

    def successor(self, step: int, key: StateAndSlots, action: int, observation: Any, column: int) -> int:
        """The column of the history after an action, by its position, and an observation."""
        if not self._sound:
            return 0
        return int(self._routes[step][key, self.batches.actions[action]][observation][1][column])

    def _solve(self, layers: list[BeliefLayer]) -> None:
        retained: dict[StateAndSlots, RetainedBounds] = {}
        error, magnitude = 0.0, 0.0
        for step in range(len(layers) - 1, -1, -1):
            layer, backup = layers[step], self.backup_of(step)
            magnitude = self._magnitude(layer, backup, magnitude)
            slots = _most_slots(layer)
            terms = slots + len(backup.rewards) + 8
            error += 3 * (2 * self._distances[step] + 2 * (slots + 2) * ROUNDING) + 4 * terms * ROUNDING
            self._sound = self._sound and magnitude < LARGEST_VALUE and math.isfinite(magnitude)
            if not self._sound:
                return
            margin = 2 * SAFETY * error * magnitude
            kept: dict[StateAndSlots, NDArray[np.bool_]] = {}
            now: dict[StateAndSlots, RetainedBounds] = {}
            for key, shares in layer.items():
                routes = {a: self._routes[step][key, a] if step < len(layers) - 1 else {} for a in self.batches.actions}
                kept[key], now[key] = self._back_up(key, shares, routes, backup, retained, margin)
            self._kept.insert(0, kept)
            retained = now

    def _magnitude(self, layer: BeliefLayer, backup: SlotBackup, later: float) -> float:
        """M_t, rounded up."""
        largest = 0.0
        for key in layer:
            for action in self.batches.actions:
                weights = backup.weights(self.batches.transitions(*key, action))
                counts = weights.multiplicity or [1.0] * len(weights.rewards)
                for s, (reward, count) in enumerate(zip(weights.rewards, counts, strict=True)):
                    passed_on = sum(total[s] for total in weights.total_copy_weight.values())
                    value = abs(reward) + passed_on * later
                    largest = max(largest, value / count, value if _on_the_slot(backup) else 0.0)
        return largest * (1 + 1e-9)

    def _back_up(
        self,
        key: StateAndSlots,
        shares: Array,
        routes: Mapping[Any, Mapping[Any, tuple[StateAndSlots, NDArray[np.intp]]]],
        backup: SlotBackup,
        retained: Mapping[StateAndSlots, RetainedBounds],
        margin: float,
    ) -> tuple[NDArray[np.bool_], RetainedBounds]:
        """Which actions are kept, bool[A, N], and both ends of what is retained under them."""
        on_the_slot = _on_the_slot(backup)
        ends: list[list[tuple[Array, Array]]] = []
        for end in (0, 1) if on_the_slot else (0,):
            tables = []
            for action, route in routes.items():
                later = {o: retained[target][end][..., columns] for o, (target, columns) in route.items()}
                weights = backup.weights(self.batches.transitions(*key, action))
                average, option = backup.action_value(weights, list(shares), later)
                tables.append((np.broadcast_to(np.asarray(average), shares.shape[1]), rows(option, shares.shape[1])))
            ends.append(tables)
        low = np.array([average for average, _ in ends[0]])
        high = np.array([average for average, _ in ends[-1]])
        kept: NDArray[np.bool_] = high >= low.max(axis=0) - margin
        if not on_the_slot:
            best = low.max(axis=0)
            return kept, RetainedBounds(best, best)
        lowest = [np.where(keep, option, np.inf) for keep, (_, option) in zip(kept, ends[0], strict=True)]
        highest = [np.where(keep, option, -np.inf) for keep, (_, option) in zip(kept, ends[1], strict=True)]
        return kept, RetainedBounds(np.min(lowest, axis=0), np.max(highest, axis=0))


class _Merging:
    """Merges columns whose entries are equal but for rounding, and measures how far merged columns differ."""

    def __init__(self) -> None:
        self._largest = 0.0

    def __call__(self, shares: Array) -> tuple[Array, NDArray[np.intp]]:
        """The columns that differ, and by column its number among them."""
        order = np.argsort(sum(np.cos(s) * row for s, row in enumerate(shares)), kind="stable")
        ordered = shares[:, order]
        smaller = np.minimum(ordered[:, 1:], ordered[:, :-1])
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.abs(np.diff(ordered)) > SAME_ESTIMATE * smaller).any(axis=0)
        numbers = np.cumsum(new) - 1
        different = ordered[:, new]
        if different.min() <= SMALLEST_SHARE:
            self._largest = math.inf
        elif len(order) > different.shape[1]:
            ratio = np.abs(ordered / different[:, numbers] - 1.0).max()
            self._largest = max(self._largest, 1.01 * float(ratio) + 4 * ROUNDING)
        columns = np.empty(len(order), dtype=np.intp)
        columns[order] = numbers
        return different, columns

    def deviation(self) -> float:
        """The largest log ratio since it was last asked for, rounded up."""
        largest, self._largest = self._largest, 0.0
        return largest


def _on_the_slot(backup: SlotBackup) -> bool:
    return backup.future.continuation is Continuation.ON_THE_SLOT


def _most_slots(layer: BeliefLayer) -> int:
    return max(len(slots) for _, slots in layer)
