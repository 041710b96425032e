"""Many histories at once: those with equal state and slots are the columns of one array of slot estimates.

    shares[s, n] = P^s(h_n),   shares'[t, n] proportional to sum_s shares[s, n] nu(c^st o | h_n, a, s)

A layer of histories is walked forward and backward by the same steps (`multislot.planning.steps`) and the same readings
(`multislot.planning.continuation`) as single histories are: their sums are linear, and what is a number there is a
column of numbers here. Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multislot.planning.arithmetic import Arithmetic, Scalar
from multislot.planning.belief import Belief, Spread
from multislot.planning.continuation import Kept
from multislot.planning.steps import Steps
from multislot.worlds.environment import HistoryState, Label, Slot

Array: TypeAlias = NDArray[Any]
Place: TypeAlias = tuple[HistoryState, tuple[Slot, ...]]
BeliefLayer: TypeAlias = dict[Place, Array]
Routes: TypeAlias = dict[tuple[Place, Label], dict[Label, tuple[Place, Array]]]

ESTIMATE_ROUNDING = 2.0**-46
"""Estimates of one history that is reached in two orders differ by less than this."""


@dataclass(frozen=True)
class Batches:
    """Plans whole layers of one environment, by an arithmetic with `columns`. scale: the largest reward in absolute
    value.

    A layer holds by state and slots the estimates of its histories; routes say by action and observation in which
    array of the next layer, and in which column, every history goes on.
    """

    actions: Sequence[Label]
    scale: Scalar

    def look_ahead(self, beliefs: Sequence[Belief], steps: Sequence[Steps]) -> list[Kept]:
        """What earlier steps need of each belief, planned to the last of the steps (one a time step)."""
        layer, columns = _gathered(beliefs, steps[0].arithmetic)
        layers, routes = [layer], list[Routes]()
        for step in steps[:-1]:
            route, layer = self._unfold(layers[-1], step)
            layers.append(layer)
            routes.append(route)
        routes.append({(place, action): {} for place in layer for action in self.actions})
        kept: Mapping[Place, Array] = {}
        for layer, route, step in zip(reversed(layers), reversed(routes), reversed(steps), strict=True):
            kept = {place: self._back_up(place, shares, route, step, kept) for place, shares in layer.items()}
        return [kept[state, slots][..., n].tolist() for (state, slots, _), n in zip(beliefs, columns, strict=True)]

    def _unfold(self, layer: BeliefLayer, steps: Steps) -> tuple[Routes, BeliefLayer]:
        """The routes out of a layer, and the next layer, equal histories merged."""
        arrivals: dict[Place, list[Array]] = {}
        ways: dict[tuple[Place, Label], dict[Label, tuple[Place, int]]] = {}
        for place, shares in layer.items():
            for action in self.actions:
                way = ways[place, action] = {}
                for observation, spread in steps(*place, action).spreads.items():
                    target = (spread.state, spread.slots)
                    arriving = arrivals.setdefault(target, [])
                    way[observation] = target, len(arriving)
                    arriving.append(_after(spread, shares))
        joined = {target: _joined(arriving) for target, arriving in arrivals.items()}
        routes = {
            key: {observation: (target, joined[target][1][part]) for observation, (target, part) in way.items()}
            for key, way in ways.items()
        }
        return routes, {target: shares for target, (shares, _) in joined.items()}

    def _back_up(self, place: Place, shares: Array, routes: Routes, steps: Steps, kept: Mapping[Place, Array]) -> Array:
        """What is kept of the histories of one array, under their first best actions; the last axis counts them."""
        averages, options = [], []
        for action in self.actions:
            later = {o: kept[target][..., columns] for o, (target, columns) in routes[place, action].items()}
            worth = steps(*place, action).worth
            average, option = steps.future.continuation.back_up(worth, list(shares), later, steps.arithmetic)
            averages.append(np.asarray(average))
            options.append(_columns(option, shares.shape[1]))
        best = np.max(averages, axis=0)
        chosen = np.argmax([steps.arithmetic.near(average, best, self.scale) for average in averages], axis=0)
        picked: Array = np.array(options)[chosen, ..., np.arange(len(chosen))].T
        return picked


def _gathered(beliefs: Iterable[Belief], arithmetic: Arithmetic) -> tuple[BeliefLayer, list[int]]:
    """Beliefs as a layer, and the column of each."""
    gathered: dict[Place, list[Sequence[Scalar]]] = {}
    columns = []
    for state, slots, masses in beliefs:
        estimates = gathered.setdefault((state, slots), [])
        columns.append(len(estimates))
        estimates.append(arithmetic.shares(masses))
    return {place: np.array(estimates, dtype=float).T for place, estimates in gathered.items()}, columns


def _after(spread: Spread, shares: Array) -> Array:
    """The estimates after an observation; where all masses are too small for a float they count alike, for nothing."""
    largest = max(factor for _, _, factor in spread.flows)
    masses = np.zeros((len(spread.slots), shares.shape[1]))
    for source, target, factor in spread.flows:
        masses[target] += shares[source] * (factor / largest)
    total = masses.sum(axis=0)
    return np.divide(masses, total, out=np.full_like(masses, 1 / len(masses)), where=total > 0)


def _joined(arriving: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Arrays of estimates as one of different ones, and by array where its columns are found there."""
    shares, columns = distinct(np.concatenate(arriving, axis=1))
    ends = accumulate(part.shape[1] for part in arriving[:-1])
    return shares, np.split(columns, list(ends))


def distinct(shares: Array) -> tuple[Array, Array]:
    """The columns that differ by more than rounding, and by column its number among them.

    Equal columns are neighbours when sorted by their product with numbers that no algebraic relation ties (cosines of
    integers).
    """
    order = np.argsort(sum(np.cos(s) * row for s, row in enumerate(shares)), kind="stable")
    ordered = shares[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.abs(np.diff(ordered)) > ESTIMATE_ROUNDING).any(axis=0)
    columns = np.empty(len(order), dtype=int)
    columns[order] = np.cumsum(new) - 1
    return ordered[:, new], columns


def _columns(kept: Kept, count: int) -> Array:
    """What a reading keeps, a column or a list by slot of columns or constants, as one array."""
    return np.array([np.broadcast_to(number, count) for number in kept]) if isinstance(kept, list) else kept
