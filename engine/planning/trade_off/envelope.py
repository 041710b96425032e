"""All optimal trade-offs at once: for every coefficient c, the policy that is best for own + c * auxiliary.

Each policy is a line  c -> own + c * auxiliary;  the optimum is their upper envelope, convex and piecewise linear.
Undiscounted deterministic tables: a line for every terminal state, own by Dijkstra (`engine.planning.shortest_path`),
then the envelope. All others: supporting lines (solve where two neighbouring lines cross until nothing lies above),
each solve by exact policy iteration (`engine.planning.lexicographic`), the outermost ones for the auxiliary return
first and own second, or just inside the coefficient at which a cycle has positive reward
(`engine.planning.trade_off.positive_cycles`): the segment beyond has an improper policy and a line of -inf.
References: S. Gass, T. Saaty, "The computational algorithm for the parametric objective function", 1955;
L. Barrett, S. Narayanan, "Learning all optimal policies with multiple criteria", ICML 2008.

At a break point two policies tie; the segment to its right has the larger auxiliary value and owns the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning import kernels
from engine.planning.dynamic_programming import Policy, has_no_positive_step
from engine.planning.lexicographic import PairIteration, Weights
from engine.planning.shortest_path import reward_to_arrive
from engine.planning.trade_off.positive_cycles import Limit, limit, reachable_part
from engine.planning.trade_off.segment import Line, Segment
from engine.planning.trade_off.zero_cost_cycles import ZeroCostCycles

EQUAL = 1e-9
INSIDE = 1e-6
MARGIN = 1e-5
ROUNDING = 1e-14
LARGEST_DENOMINATOR = 100_000


def envelope(lines: Sequence[Line]) -> list[tuple[float, float, Line]]:
    """The upper envelope of lines over all coefficients: (from, to, line), slopes ascending.

    A line that touches the envelope in one point only makes no segment.
    """
    best: dict[float, float] = {}
    for line in lines:
        if line.own > best.get(line.auxiliary, -math.inf):
            best[line.auxiliary] = line.own
    hull: list[tuple[float, Line]] = []
    for auxiliary in sorted(best):
        line = Line(best[auxiliary], auxiliary)
        start = -math.inf
        if hull and auxiliary - hull[-1][1].auxiliary <= EQUAL * max(1.0, abs(auxiliary)):  # the same but for rounding
            if line.own <= hull[-1][1].own:
                continue
            hull.pop()
        while hull:
            start = crossing(hull[-1][1], line)
            if start > hull[-1][0] + EQUAL * max(1.0, abs(start)):
                break
            hull.pop()
            start = -math.inf
        hull.append((start, line))
    starts = [start if math.isinf(start) else unrounded(start) for start, _ in hull]
    return list(zip(starts, [*starts[1:], math.inf], [line for _, line in hull], strict=True))


def unrounded(number: float) -> float:
    """The fraction of small denominator that a number misses by rounding alone, as a float; else the number itself."""
    simple = float(Fraction(number).limit_denominator(LARGEST_DENOMINATOR))
    return simple if abs(simple - number) <= ROUNDING * max(1.0, abs(number)) else number


def crossing(flat: Line, steep: Line) -> float:
    """The coefficient at which two lines of different slope meet."""
    return (flat.own - steep.own) / (steep.auxiliary - flat.auxiliary)


def optimal_segments(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """All optimal segments from one start state, for coefficients from -inf to inf.

    own: the table with the acting agent's own (weighted) reward. auxiliary: f64[S, A, K], what one unit of the
    coefficient adds. A zero-cost cycle counts as a terminal state (`engine.planning.trade_off.zero_cost_cycles`):
    its path ends with the first state that comes again. Raises NoPlan where no policy is proper, or the optimum is not
    finite.
    """
    cycles = ZeroCostCycles(own, auxiliary)
    table, extra = cycles.own, cycles.auxiliary
    if own.discount == 1.0 and own.is_deterministic and _only_at_the_end(table, extra):
        segments = _by_shortest_paths(table, extra[:, :, 0], start)
    else:
        segments = _by_supporting_lines(table, extra, start)
    return [cycles.segment(segment) for segment in segments]


def at(segments: Sequence[Segment], coefficient: float) -> Segment:
    """The segment that is optimal at a coefficient; a break point belongs to the segment on its right.

    segments: as `optimal_segments` returns them. Raises BadValue for a coefficient that is not finite.
    """
    if not math.isfinite(coefficient):
        raise BadValue(f"coefficient {coefficient}", place="care", remedy="choose a finite number")
    for segment in reversed(segments):
        if coefficient >= segment.start - EQUAL * max(1.0, abs(coefficient)):
            return segment
    raise BadValue(f"coefficient {coefficient} lies below all segments", place="care")


def _only_at_the_end(own: TabularMDP, auxiliary: Floats) -> bool:
    """Whether no own step is positive and the auxiliary reward comes on entering terminal states alone."""
    late = own.terminal[own.next_state] | (auxiliary == 0.0)
    return bool(late.all()) and has_no_positive_step(own)


def _by_shortest_paths(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """A line for every way of entering a terminal state, then the envelope, then a path for each line on it."""
    target, reward = own.next_state[:, :, 0], own.reward[:, :, 0]
    if own.terminal[start]:
        return [Segment(-math.inf, math.inf, Line(0.0, 0.0), (start,))]
    best, order = reward_to_arrive(target, reward, own.terminal, start)
    arriving = (best > -np.inf)[:, None] & own.terminal[target] & ~own.terminal[:, None]
    origin, action = np.nonzero(arriving)
    if not len(origin):
        raise NoPlan("no terminal state can be reached", place=f"state {start}", remedy="open a way out")
    owns = best[origin] + reward[origin, action]
    extras = auxiliary[origin, action]
    slopes, where = np.unique(extras, return_inverse=True)
    peak = np.full(len(slopes), -np.inf)
    np.maximum.at(peak, where, owns)
    segments = []
    lines = [Line(float(o), float(x)) for o, x in zip(peak, slopes, strict=True)]
    for left, right, line in envelope(lines):
        same = np.abs(extras - line.auxiliary) <= EQUAL * max(1.0, abs(line.auxiliary))
        last = same & (owns >= line.own - EQUAL * max(1.0, abs(line.own)))
        path, actions = _first_path(own, best, order, start, origin[last], action[last])
        segments.append(Segment(left, right, line, path, actions, ties=_tied(peak, slopes, left, line)))
    return segments


def _tied(owns: Floats, slopes: Floats, coefficient: float, line: Line) -> tuple[Line, ...]:
    """All lines through the envelope's break point at a coefficient; none where it is infinite."""
    if not math.isfinite(coefficient):
        return ()
    top = line.at(coefficient)
    tied = np.abs(owns + coefficient * slopes - top) <= EQUAL * max(1.0, abs(top))
    pairs = {(float(x), float(o)) for o, x in zip(owns[tied], slopes[tied], strict=True)}
    return tuple(Line(o, x) for x, o in sorted(pairs))


def _first_path(
    own: TabularMDP, best: Floats, order: Floats, start: int, origin: Policy, action: Policy
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of the best paths that end with one of the given steps, the one with the lowest actions first."""
    target, reward = own.next_state[:, :, 0], own.reward[:, :, 0]
    tight = kernels.tight_steps(target, reward, own.terminal, best, order, origin, action)
    path, actions = [start], []
    while not own.terminal[path[-1]]:
        actions.append(int(tight[path[-1]]))
        path.append(int(target[path[-1], actions[-1]]))
    return tuple(path), tuple(actions)


def _by_supporting_lines(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """Supporting lines from both ends inwards; each solve finds the best policy at one coefficient."""
    policies: dict[Line, Policy] = {}
    may_cycle = own.discount == 1.0 and own.is_deterministic
    own = reachable_part(own, start) if may_cycle else own
    search = PairIteration(own, auxiliary)
    if not (search.allowed[start].any() or own.terminal[start]):
        raise NoPlan("no policy is proper", place=f"state {start}", remedy="open a way out")

    def best_line(first: Weights, second: Weights) -> Line:
        policy = search.best(first, second)
        owns, extras = search.values(policy)
        line = Line(float(owns[start]), float(extras[start]))
        policies.setdefault(line, policy)
        return line

    def outermost(sign: float, end: Limit) -> Line:
        if math.isinf(end.coefficient):
            return best_line((0.0, sign), (1.0, 0.0))
        inside = end.coefficient - sign * INSIDE * max(1.0, abs(end.coefficient))
        return best_line((1.0, inside), (0.0, sign))

    def between(left: Line, right: Line) -> list[Line]:
        if right.auxiliary - left.auxiliary <= EQUAL * max(1.0, abs(right.auxiliary)):
            return []
        coefficient = crossing(left, right)
        if not low.coefficient + INSIDE < coefficient < high.coefficient - INSIDE:
            return []
        middle = best_line((1.0, coefficient), (0.0, 1.0))
        gain = middle.at(coefficient) - left.at(coefficient)
        if gain <= 10 * EQUAL * max(1.0, abs(left.at(coefficient))):
            return []
        return [*between(left, middle), middle, *between(middle, right)]

    low, high = (limit(own, auxiliary, start, sign) if may_cycle else Limit(sign * math.inf) for sign in (-1.0, 1.0))
    if high.coefficient - low.coefficient <= MARGIN:
        lines = [best_line((1.0, low.coefficient), (0.0, 0.0))]
    else:
        lowest, highest = outermost(-1.0, low), outermost(1.0, high)
        lines = [lowest, *between(lowest, highest), highest]
    owns, slopes = np.array([line.own for line in lines]), np.array([line.auxiliary for line in lines])
    segments = [
        Segment(
            left, right, line, *_rollout(own, policies[line], start), policies[line], _tied(owns, slopes, left, line)
        )
        for left, right, line in envelope(lines)
    ]
    return _between_limits(own, start, low, segments, high)


def _between_limits(own: TabularMDP, start: int, low: Limit, segments: list[Segment], high: Limit) -> list[Segment]:
    """The segments, cut at the limits, with the improper policies beyond them."""
    lost = Line(-math.inf, -math.inf)
    cut = list(segments)
    if low.policy is not None:
        cut[0] = replace(cut[0], start=low.coefficient)
        beyond = Segment(-math.inf, low.coefficient, lost, *_rollout(own, low.policy, start), low.policy)
        cut.insert(0, beyond)
    if high.policy is not None:
        cut[-1] = replace(cut[-1], stop=high.coefficient)
        cut.append(Segment(high.coefficient, math.inf, lost, *_rollout(own, high.policy, start), high.policy))
    return cut


def _rollout(mdp: TabularMDP, policy: Policy, start: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The path of a policy through a deterministic table until it ends or repeats; empty for stochastic tables."""
    if not mdp.is_deterministic:
        return (), ()
    path, actions, seen = [start], list[int](), {start}
    while not mdp.terminal[path[-1]]:
        actions.append(int(policy[path[-1]]))
        path.append(int(mdp.next_state[path[-1], actions[-1], 0]))
        if path[-1] in seen:
            break
        seen.add(path[-1])
    return tuple(path), tuple(actions)


__all__ = ["Line", "Segment", "at", "crossing", "envelope", "optimal_segments"]
