"""All optimal trade-offs at once: for every coefficient c, the policy that is best for own + c * auxiliary.

Each policy is a line  c -> own + c * auxiliary;  the optimum is their upper envelope, convex and piecewise linear.
Undiscounted deterministic tables with auxiliary rewards at the end have a line for every terminal state
(`engine.planning.trade_off.terminal_lines`), all others are searched by supporting lines
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
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.endless_returns import ZeroCostCycles
from engine.planning.trade_off.envelope import EQUAL, EVERYWHERE, Range, SearchCost, Segment, check_range, is_at_most
from engine.planning.trade_off.terminal_lines import find_segments_by_shortest_paths, rewards_come_at_the_end


def find_segments(
    own: TabularMDP,
    auxiliary: Floats,
    start: int,
    between: Range = EVERYWHERE,
    cost: SearchCost | None = None,
    threads: int | None = None,
) -> list[Segment]:
    """All optimal segments from one start state, for the coefficients of a range.

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
    if own.discount == 1.0 and own.is_deterministic and rewards_come_at_the_end(table, extra):
        segments = find_segments_by_shortest_paths(table, extra[:, :, 0], start, (low, high))
    else:
        from engine.planning.trade_off.supporting_lines import find_segments_by_supporting_lines  # scipy

        segments = find_segments_by_supporting_lines(table, extra, start, (low, high), cost, threads)
    return [make_executable(own, restore_segment(cycles, segment)) for segment in segments]


def restore_segment(cycles: ZeroCostCycles, segment: Segment) -> Segment:
    """A segment in the original table: it cycles once it has earned all; its path ends where a state recurs."""
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

    A break point belongs to the segment on its right, a limit, where a cycle has reward 0, to the finite side.
    segments: as `find_segments` returns them. Raises BadValue for a coefficient that is not finite or not in their
    range.
    """
    if not math.isfinite(coefficient):
        raise BadValue(f"coefficient {coefficient}", place="care", remedy="choose a finite number")
    low, high = segments[0].start, segments[-1].stop
    if not (is_at_most(low, coefficient) and is_at_most(coefficient, high)):
        raise BadValue(f"coefficient {coefficient}", place="care", remedy=f"choose one from {low:g} to {high:g}")
    near = bisect.bisect_right(segments, coefficient + 2 * EQUAL * abs(coefficient), key=lambda segment: segment.start)
    for segment in reversed(segments[:near]):
        slack = 0.0 if math.isinf(segment.start) else EQUAL * max(abs(coefficient), abs(segment.start))
        improper = math.isinf(segment.line.own)
        if coefficient > segment.start + slack or (coefficient >= segment.start - slack and not improper):
            return segment
    return segments[0]
