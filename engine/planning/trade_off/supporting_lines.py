"""All optimal segments of any table by supporting lines: solve where neighbours cross, until nothing lies above.

Each solve is exact policy iteration in two stages (`engine.planning.lexicographic`) from where the last one ended. The
outermost lines are best for the auxiliary return first and for the own return second, or end where a cycle
has reward 0 (`engine.planning.trade_off.limits`): the segment beyond has an improper policy and a line of -inf.
Every solve finds a line that is new and higher than all others at some coefficient, or shows that there is none; there
are finitely many policies, so the search ends, with at most two solves a segment.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.lexicographic import PairIteration, PairValues
from engine.planning.trade_off.envelope import Errors, crossing, envelope, is_steeper, rises_above, tied_lines
from engine.planning.trade_off.limits import Limit, find_limit, reachable_part
from engine.planning.trade_off.segment import Line, Segment


def by_supporting_lines(own: TabularMDP, auxiliary: Floats, start: int) -> list[Segment]:
    """All segments from one start state, from -inf to inf. Raises NoPlan where no policy is proper."""
    table = reachable_part(own, start)
    search = PairIteration(table, auxiliary)
    if not (search.allowed[start].any() or own.terminal[start]):
        raise NoPlan("no policy is proper", place=f"state {start}", remedy="open a way out")
    policies: dict[Line, Policy] = {}
    errors: dict[Line, Line] = {}

    def line_of(values: PairValues) -> Line:
        line = Line(float(values.own[start]), float(values.extra[start]))
        if line not in policies:
            policies[line] = values.policy
            own_error, extra_error = values.own_size[start], values.extra_size[start]
            errors[line] = Line(search.noise * float(own_error), search.noise * float(extra_error))
        return line

    low, high = find_limit(search, table, -1.0), find_limit(search, table, 1.0)
    if low.coefficient > high.coefficient:
        raise NoPlan(
            "a cycle has positive reward at any coefficient", place="own reward", remedy="make cycles cost something"
        )

    def best(coefficient: float) -> Line:
        return line_of(search.best((1.0, coefficient), (0.0, 1.0)))

    lines = _fill(line_of(low.values), line_of(high.values), best, errors)
    owns, slopes = np.array([line.own for line in lines]), np.array([line.auxiliary for line in lines])
    segments = [
        Segment(
            left,
            right,
            line,
            *_rollout(own, policies[line], start),
            policies[line],
            tied_lines(owns, slopes, left, line),
        )
        for left, right, line in envelope(lines, errors)
    ]
    return _between_limits(own, start, low, segments, high)


def _fill(lowest: Line, highest: Line, best: Callable[[float], Line], errors: Errors) -> list[Line]:
    """The two outermost lines and all supporting lines between them, slopes ascending.

    best: the highest line at a coefficient.
    """
    lines, waiting = [lowest], [highest]
    while waiting:
        left, right = lines[-1], waiting[-1]
        if is_steeper(left, right, errors):
            middle = best(crossing(left, right))
            if left.auxiliary < middle.auxiliary < right.auxiliary and rises_above(left, middle, right, errors):
                waiting.append(middle)
                continue
        lines.append(waiting.pop())
    return lines


def _between_limits(own: TabularMDP, start: int, low: Limit, segments: list[Segment], high: Limit) -> list[Segment]:
    """The segments, cut at the limits, with the improper policies beyond them."""
    lost = Line(-math.inf, -math.inf)
    within = [each for each in segments if each.start < high.coefficient and each.stop > low.coefficient]
    cut = within or segments[-1:]
    if low.policy is not None:
        cut[0] = replace(cut[0], start=low.coefficient, ties=())
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
