"""All optimal segments of undiscounted deterministic tables whose auxiliary reward comes on entering a terminal state.

A line for every way of entering a terminal state, then the envelope of the lines, then a path for each line on it.
One pass of Dijkstra's algorithm from a start state gives every way of ending with the best own return of it
(`Arrivals`), in undiscounted deterministic tables without positive steps between non-terminal states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.planning import kernels
from engine.planning.shortest_path import has_no_positive_step, reward_to_arrive
from engine.planning.trade_off.envelope import (
    EVERYWHERE,
    ROUNDING,
    Line,
    Range,
    Segment,
    Ties,
    cut_pieces,
    find_envelope,
)
from engine.planning.trade_off.rational_lines import find_exact_envelope

BLOCK = 1 << 12  # states that are looked at together


class Arrivals:
    """The steps into terminal states. own: the table. start: a state that is not terminal.

    origin, action: int64[N], the last step of each. owns: f64[N], the largest own return that ends with it. Raises
    NoPlan where no terminal state can be reached.
    """

    def __init__(self, own: TabularMDP, start: int) -> None:
        self._own, self._start = own, start
        target, reward = own.next_state[:, :, 0], own.reward[:, :, 0]
        self._best, order = reward_to_arrive(target, reward, own.terminal, start)
        self._tight = self._tight_steps(order)
        arriving = (self._best > -np.inf)[:, None] & own.terminal[target] & ~own.terminal[:, None]
        self.origin: NDArray[np.int64]
        self.action: NDArray[np.int64]
        self.origin, self.action = np.nonzero(arriving)
        if not len(self.origin):
            raise NoPlan("no terminal state can be reached", place=f"state {start}", remedy="open a way out")
        self.owns = self._best[self.origin] + reward[self.origin, self.action]

    def first_path(self, last: Booleans) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Of the best paths that end with one of the steps `last`, bool[N], the one with the lowest actions first.

        Its states and the actions between them.
        """
        own, step = self._own, np.full(len(self._best), -1, dtype=np.int32)
        kernels.find_first_actions(*self._tight, self.origin[last], self.action[last], step)
        path, actions = [self._start], list[int]()
        while not own.terminal[path[-1]]:
            actions.append(int(step[path[-1]]))
            path.append(int(own.next_state[path[-1], actions[-1], 0]))
        return tuple(path), tuple(actions)

    def _tight_steps(self, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Origin, action and target of the steps that enter a state, not a terminal one, with its best own return.

        They come from a state settled earlier; those settled last come first. order: int64[S], as `reward_to_arrive`
        returns it.
        """
        own, best, target = self._own, self._best, self._own.next_state[:, :, 0]
        found, passed = [], np.flatnonzero((order >= 0) & ~own.terminal)
        last_first = passed[np.argsort(-order[passed])]
        for first in range(0, len(last_first), BLOCK):
            state = last_first[first : first + BLOCK]
            entered = target[state]
            later = (order[entered] > order[state][:, None]) & ~own.terminal[entered]
            later &= best[state][:, None] + own.reward[state, :, 0] == best[entered]
            place, action = np.nonzero(later)
            found.append((state[place], action, entered[place, action]))
        origin, actions, targets = map(np.concatenate, zip(*found, strict=True))
        return origin, actions, targets


def rewards_come_at_the_end(own: TabularMDP, auxiliary: Floats) -> bool:
    """Return whether no own step is positive and the auxiliary reward comes on entering terminal states alone."""
    late = own.terminal[own.next_state] | (auxiliary == 0.0)
    return bool(late.all()) and has_no_positive_step(own)


def find_segments_by_shortest_paths(
    own: TabularMDP, auxiliary: Floats, start: int, between: Range = EVERYWHERE
) -> list[Segment]:
    """A line for every way of entering a terminal state, then the envelope, then a path for each line in the range."""
    if own.terminal[start]:
        return [Segment(*between, Line(0.0, 0.0), (start,))]
    arrivals = Arrivals(own, start)
    owns, extras = arrivals.owns, auxiliary[arrivals.origin, arrivals.action]
    slopes, where = np.unique(extras, return_inverse=True)
    peak = np.full(len(slopes), -np.inf)
    np.maximum.at(peak, where, owns)
    segments = []
    lines = [Line(float(o), float(x)) for o, x in zip(peak, slopes, strict=True)]
    exact = find_exact_envelope(lines)
    ties = Ties(lines)
    for left, right, line in cut_pieces(find_envelope(lines) if exact is None else exact.pieces, *between):
        same = np.abs(extras - line.auxiliary) <= ROUNDING * abs(line.auxiliary)
        last = same & (owns >= line.own - ROUNDING * abs(line.own))
        path, actions = arrivals.first_path(last)
        tied = ties.at(left, line) if exact is None else exact.find_ties(left, line)
        segments.append(Segment(left, right, line, path, actions, ties=tied))
    return segments
