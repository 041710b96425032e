"""The whole optimal trade-off at once: for every weight c, the policy that is best for own + c * auxiliary.

Each policy is a line  c -> own + c * auxiliary;  the optimum is their upper envelope, convex and piecewise linear.
Undiscounted deterministic tables: a line for every terminal state, own by Dijkstra (`engine.shortest_path`), then the
envelope. All others: supporting lines (solve where two neighbouring lines cross until nothing lies above), each solve
exact; undiscounted tables find the outermost lines by growing the coefficient until they stay the same, or up to where
a loop pays for ever (`engine.paying_loops`): the segment beyond has a policy that never ends and a line of -inf.
References: S. Gass, T. Saaty, "The computational algorithm for the parametric objective function", 1955;
L. Barrett, S. Narayanan, "Learning all optimal policies with multiple criteria", ICML 2008.

At a break point two policies tie; the segment to its right has the larger auxiliary value and owns the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine import kernels
from engine.errors import BadValue, NoPlan
from engine.mdp import Floats, TabularMDP
from engine.paying_loops import FARTHEST, Limit, limit
from engine.planning import Policy, evaluate_policy, never_pays_on_the_way, plan
from engine.shortest_path import first_arrivals

EQUAL = 1e-9
INSIDE = 1e-6


class Line(NamedTuple):
    """What a policy yields: its own return and the auxiliary return that the coefficient multiplies."""

    own: float
    auxiliary: float

    def at(self, coefficient: float) -> float:
        """own + coefficient * auxiliary."""
        return self.own + coefficient * self.auxiliary


@dataclass(frozen=True)
class Segment:
    """One optimal line: from `start` (-inf for none) to `stop` (inf for none), and states and actions of its walk.

    path: state numbers from the start state to the end, empty where the table is stochastic; actions: between them.
    policy: int32[S] where the table is not walked, else None. ties: all lines that are optimal at `start`, by rising
    auxiliary value, this segment's last (for tables that are not walked just the two that meet there).
    """

    start: float
    stop: float
    line: Line
    path: tuple[int, ...] = ()
    actions: tuple[int, ...] = ()
    policy: Policy | None = None
    ties: tuple[Line, ...] = ()


def envelope(lines: Sequence[Line]) -> list[tuple[float, float, Line]]:
    """Upper envelope as (from, to, line), slopes ascending; a lone point of contact makes no segment."""
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
    stops = [start for start, _ in hull[1:]] + [math.inf]
    return [(start, stop, line) for (start, line), stop in zip(hull, stops, strict=True)]


def crossing(flat: Line, steep: Line) -> float:
    """The coefficient at which two lines of different slope meet."""
    return (flat.own - steep.own) / (steep.auxiliary - flat.auxiliary)


def optimal_segments(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """All optimal segments from one start state, for coefficients from -inf to inf.

    own: the table with the acting agent's own (weighted) reward. auxiliary: f64[S, A, K], what one unit of the
    coefficient adds. Raises NoPlan where no policy ends, or where the optimum is not finite.
    """
    if own.discount == 1.0 and own.is_deterministic and _only_at_the_end(own, auxiliary):
        return _walked(own, auxiliary[:, :, 0], start)
    return _supported(own, auxiliary, start)


def at(segments: Sequence[Segment], coefficient: float) -> Segment:
    """The segment that is optimal at a coefficient; a break point belongs to the segment on its right."""
    if not math.isfinite(coefficient):
        raise BadValue(f"coefficient {coefficient}", place="care", remedy="choose a finite number")
    for segment in reversed(segments):
        if coefficient >= segment.start - EQUAL * max(1.0, abs(coefficient)):
            return segment
    raise BadValue(f"coefficient {coefficient} lies below all segments", place="care")


def _only_at_the_end(own: TabularMDP, auxiliary: Floats) -> bool:
    """Own rewards never pay on the way and the auxiliary comes on entering terminal states alone."""
    late = own.terminal[own.next_state] | (auxiliary == 0.0)
    return bool(late.all()) and never_pays_on_the_way(own)


def _walked(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """A line for every way of entering a terminal state, then the envelope, then a walk for each line on it."""
    target, reward = own.next_state[:, :, 0], own.reward[:, :, 0]
    if own.terminal[start]:
        return [Segment(-math.inf, math.inf, Line(0.0, 0.0), (start,))]
    best, order = first_arrivals(target, reward, own.terminal, start)
    arriving = (best > -np.inf)[:, None] & own.terminal[target] & ~own.terminal[:, None]
    origin, action = np.nonzero(arriving)
    if not len(origin):
        raise NoPlan("no terminal state can be reached", place=f"state {own.states[start]}", remedy="open a way out")
    owns = best[origin] + reward[origin, action]
    extras = auxiliary[origin, action]
    slopes, where = np.unique(extras, return_inverse=True)
    peak = np.full(len(slopes), -np.inf)
    np.maximum.at(peak, where, owns)
    segments = []
    lines = [Line(float(o), float(x)) for o, x in zip(peak, slopes, strict=True)]
    for left, right, line in envelope(lines):
        last = (extras == line.auxiliary) & (owns >= line.own - EQUAL * max(1.0, abs(line.own)))
        path, actions = _first_walk(own, best, order, start, origin[last], action[last])
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


def _first_walk(
    own: TabularMDP, best: Floats, order: Floats, start: int, origin: Policy, action: Policy
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of the best walks that end with one of the given steps, the one with the lowest actions first."""
    target, reward = own.next_state[:, :, 0], own.reward[:, :, 0]
    tight = kernels.tight_steps(target, reward, own.terminal, best, order, origin, action)
    path, actions = [start], []
    while not own.terminal[path[-1]]:
        actions.append(int(tight[path[-1]]))
        path.append(int(target[path[-1], actions[-1]]))
    return tuple(path), tuple(actions)


def _supported(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """Supporting lines from both ends inwards; each solve finds the best policy at one coefficient."""
    found: dict[Line, Policy] = {}

    def best_line(weights: tuple[float, float], second: tuple[float, float]) -> Line:
        policy = lexicographic(own, auxiliary, weights, second)
        line = Line(
            float(evaluate_policy(own, policy)[start]),
            float(evaluate_policy(own.with_reward(auxiliary), policy)[start]),
        )
        if not (math.isfinite(line.own) and math.isfinite(line.auxiliary)):
            raise NoPlan("the optimal policy never ends", place="parametric plan", remedy="use a discount below 1")
        found.setdefault(line, policy)
        return line

    def outermost(sign: float, end: Limit) -> Line:
        if own.discount < 1.0:
            return best_line((0.0, sign), (1.0, 0.0))
        if math.isfinite(end.coefficient):
            inside = end.coefficient - sign * INSIDE * max(1.0, abs(end.coefficient))
            return best_line((1.0, inside), (0.0, sign))
        reach = 1.0 + float(np.abs(own.reward).max())
        lines = [best_line((1.0, sign * reach), (0.0, sign))]
        while len(lines) < 3 or lines[-1] != lines[-3]:
            reach *= 100.0
            if reach > FARTHEST:
                raise NoPlan("the trade-off has no last segment", place="parametric plan")
            lines.append(best_line((1.0, sign * reach), (0.0, sign)))
        return lines[-1]

    def between(left: Line, right: Line) -> list[Line]:
        if right.auxiliary - left.auxiliary <= EQUAL * max(1.0, abs(right.auxiliary)):
            return []
        coefficient = crossing(left, right)
        middle = best_line((1.0, coefficient), (0.0, 1.0))
        gain = middle.at(coefficient) - left.at(coefficient)
        if gain <= 10 * EQUAL * max(1.0, abs(left.at(coefficient))):
            return []
        return [*between(left, middle), middle, *between(middle, right)]

    endless = own.discount == 1.0 and own.is_deterministic
    low, high = (limit(own, auxiliary, start, sign) if endless else Limit(sign * math.inf) for sign in (-1.0, 1.0))
    lowest, highest = outermost(-1.0, low), outermost(1.0, high)
    lines = [lowest, *between(lowest, highest), highest]
    owns, slopes = np.array([line.own for line in lines]), np.array([line.auxiliary for line in lines])
    segments = [
        Segment(left, right, line, *_rollout(own, found[line], start), found[line], _tied(owns, slopes, left, line))
        for left, right, line in envelope(lines)
    ]
    return _between_limits(own, start, low, segments, high)


def _between_limits(own: TabularMDP, start: int, low: Limit, segments: list[Segment], high: Limit) -> list[Segment]:
    """The segments, cut at the limits, with the endless policies beyond them."""
    lost = Line(-math.inf, -math.inf)
    answer = list(segments)
    if low.policy is not None:
        answer[0] = replace(answer[0], start=low.coefficient)
        beyond = Segment(-math.inf, low.coefficient, lost, *_rollout(own, low.policy, start), low.policy)
        answer.insert(0, beyond)
    if high.policy is not None:
        answer[-1] = replace(answer[-1], stop=high.coefficient)
        answer.append(Segment(high.coefficient, math.inf, lost, *_rollout(own, high.policy, start), high.policy))
    return answer


def lexicographic(own: TabularMDP, extra: Floats, first: tuple[float, float], second: tuple[float, float]) -> Policy:
    """The policy best for first[0] own + first[1] extra and, among those, for second[0] own + second[1] extra."""
    solution = plan(own.with_reward(first[0] * own.reward + first[1] * extra))
    slack = EQUAL * np.maximum(1.0, np.abs(solution.value))[:, None]
    with np.errstate(invalid="ignore"):
        barred = solution.action_value < solution.value[:, None] - slack
    states = np.arange(len(own.terminal))
    allowed = (~barred).argmax(axis=1)
    substitute = np.where(barred, allowed[:, None], np.arange(barred.shape[1])[None, :])  # int[S, A]
    restricted = replace(
        own,
        next_state=own.next_state[states[:, None], substitute],
        probability=own.probability[states[:, None], substitute],
        reward=(second[0] * own.reward + second[1] * extra)[states[:, None], substitute],
    )
    chosen = solution.policy if own.discount == 1.0 else plan(restricted).policy
    return substitute[states, chosen].astype(np.int32)


def _rollout(mdp: TabularMDP, policy: Policy, start: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The walk of a policy through a deterministic table until it ends or repeats; empty for stochastic tables."""
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
