"""All optimal trade-offs at once: for every coefficient c, the policy that is best for own + c * auxiliary.

Each policy is a line  c -> own + c * auxiliary;  the optimum is their upper envelope, convex and piecewise linear.
Undiscounted deterministic tables without positive steps between non-terminal states, whose auxiliary reward comes on
entering a terminal state, have a line for every way of entering one: one pass of Dijkstra's algorithm from a start
state gives each with its best own return (`Arrivals`), then comes the envelope of the lines, then a path for each line
on it. All other tables, and small ones in which such sums would lose digits, are searched by supporting lines
(`engine.planning.trade_off.supporting_lines`).
References: S. Gass, T. Saaty, "The computational algorithm for the parametric objective function", 1955;
L. Barrett, S. Narayanan, "Learning all optimal policies with multiple criteria", ICML 2008.

At a break point two policies tie; the segment to its right has the larger auxiliary value and owns the point.

Zero-cost cycles count as terminal states (`ZeroCostCycles`): staying in one for ever becomes an action into one more
terminal state. Planners that compare terminal states then compare that one too: it has reward 0, of either kind. An
optimal policy may well prefer it ("Be Considerate", section 3.1, on incentives to avoid terminal states).
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.planning import kernels
from engine.planning.dynamic_programming import has_no_positive_step, reward_to_arrive
from engine.planning.endless_returns import ZeroCostCycles
from engine.planning.trade_off.envelope import (
    EQUAL,
    EVERYWHERE,
    MOST_STEPS,
    ROUNDING,
    Line,
    Range,
    SearchCost,
    Segment,
    Ties,
    check_range,
    cut_pieces,
    find_envelope,
    find_exact_envelope,
    is_at_most,
)

BLOCK = 1 << 12  # states that are looked at together
DIGITS_LOST = 1e-6


def find_segments(
    own: TabularMDP,
    auxiliary: Floats,
    start: int,
    between: Range = EVERYWHERE,
    cost: SearchCost | None = None,
    threads: int | None = None,
) -> list[Segment]:
    """Return all optimal segments from one start state, for the coefficients of a range.

    own: the table with the acting agent's own (weighted) reward. auxiliary: f64[S, A, K], what one unit of the
    coefficient adds. between: from which coefficient to which; only these are solved, so that it does not matter
    whether others have a finite optimum. The ends of the range cut segments; an end that is a break point has its ties.
    cost: what the search took is added to it. threads: how many to use in large tables, which changes no result; None
    for one a core, or as many as the variable OMP_NUM_THREADS says.
    Where the optimum is not finite, a segment has an improper policy and a line of -inf. A zero-cost cycle counts as a
    terminal state (`engine.planning.trade_off.optimal_segments`): its path ends with the first state that comes again.
    Raises NoPlan where no policy is proper, or no coefficient at all has a finite optimum; BadValue for a range that is
    empty.
    """
    low, high = check_range(between)
    complete = replace(own, available=None)  # an unavailable action stands for an available one until the end
    cycles = ZeroCostCycles(complete, own.complete(auxiliary))
    table, extra = cycles.own, cycles.auxiliary
    if (
        own.discount == 1.0
        and own.is_deterministic
        and rewards_come_at_the_end(table, extra)
        and not _is_better_in_fractions(table)
    ):
        segments = find_segments_by_shortest_paths(table, extra[:, :, 0], start, (low, high))
    else:
        from engine.planning.trade_off.supporting_lines import find_segments_by_supporting_lines  # scipy

        segments = find_segments_by_supporting_lines(table, extra, start, (low, high), cost, threads)
    return [make_executable(own, restore_segment(cycles, segment)) for segment in segments]


def restore_segment(cycles: ZeroCostCycles, segment: Segment) -> Segment:
    """Return a segment in the original table: it cycles once it has earned all; its path ends where a state recurs."""
    if not cycles.cyclic.any():
        return segment
    policy = None if segment.policy is None else cycles.restore_policy(segment.policy)
    if not segment.path or segment.path[-1] != len(cycles.cyclic):
        return replace(segment, policy=policy)
    first = _find_first_rest(cycles, segment)
    path, actions = list(segment.path[: first + 1]), list(segment.actions[:first])
    while len(set(path)) == len(path):
        actions.append(int(cycles.cycle_action[path[-1]]))
        path.append(int(cycles.original.next_state[path[-1], actions[-1], 0]))
    policy = np.zeros(len(cycles.cyclic), dtype=np.int32) if policy is None else policy
    policy[path[:-1]] = actions  # a state on the way round may have an equally good way out
    return replace(segment, path=tuple(path), actions=tuple(actions), policy=policy)


def _find_first_rest(cycles: ZeroCostCycles, segment: Segment) -> int:
    """Return the first position of a path in a zero-cost cycle from which on no reward of either kind comes."""
    first = len(segment.path) - 2
    for n in range(first - 1, -1, -1):
        step = segment.path[n], segment.actions[n], 0
        if cycles.own.reward[step] != 0.0 or cycles.auxiliary[step] != 0.0:
            break
        first = n if cycles.cyclic[segment.path[n]] else first
    return first


def make_executable(mdp: TabularMDP, segment: Segment) -> Segment:
    """Return the same segment with available actions in place of those that stand for them."""
    if mdp.available is None:
        return segment
    policy = None if segment.policy is None else mdp.executable(segment.policy)
    actions = tuple(
        action if mdp.available[state, action] else int(mdp.available[state].argmax())
        for state, action in zip(segment.path, segment.actions, strict=False)
    )
    return replace(segment, policy=policy, actions=actions)


def find_segment_at(segments: Sequence[Segment], coefficient: float) -> Segment:
    """Return the segment that is optimal at a coefficient.

    A break point belongs to the segment on its right, a limit, where a cycle has reward 0, to the finite side. Where
    two gains for ever meet, either may gain on its side alone: the range of that one coefficient says what gains there.
    segments: as `find_segments` returns them. Raises BadValue for a coefficient that is not finite or not in their
    range.
    """
    if not math.isfinite(coefficient):
        raise BadValue(f"coefficient {coefficient}", place="care", remedy="choose a finite number")
    low, high = segments[0].start, segments[-1].stop
    if not (is_at_most(low, coefficient) and is_at_most(coefficient, high)):
        raise BadValue(f"coefficient {coefficient}", place="care", remedy=f"choose one from {low:g} to {high:g}")
    near = bisect.bisect_right(segments, coefficient + 2 * EQUAL * abs(coefficient), key=lambda segment: segment.start)
    for before, segment in reversed(list(itertools.pairwise(segments[:near]))):
        slack = 0.0 if math.isinf(segment.start) else EQUAL * max(abs(coefficient), abs(segment.start))
        is_limit = math.isinf(segment.line.own) and not math.isinf(before.line.own)
        if coefficient > segment.start + slack or (coefficient >= segment.start - slack and not is_limit):
            return segment
    return segments[0]


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
        own = self._own
        best = self._best
        target = self._own.next_state[:, :, 0]
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


def _is_better_in_fractions(own: TabularMDP) -> bool:
    """Return whether a table that is small enough for fractions has rewards that lose digits beside the largest one."""
    sizes = np.abs(own.reward[~own.terminal])
    smallest = sizes[sizes > 0.0].min(initial=np.inf)
    return own.next_state.size <= MOST_STEPS and bool(smallest < DIGITS_LOST * sizes.max(initial=0.0))


def find_segments_by_shortest_paths(
    own: TabularMDP, auxiliary: Floats, start: int, between: Range = EVERYWHERE
) -> list[Segment]:
    """A line for every way of entering a terminal state, then the envelope, then a path for each line in the range."""
    if own.terminal[start]:
        return [Segment(*between, Line(0.0, 0.0), (start,))]
    arrivals = Arrivals(own, start)
    owns = arrivals.owns
    extras = auxiliary[arrivals.origin, arrivals.action]
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
