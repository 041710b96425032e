"""All optimal segments of any table by supporting lines: solve where neighbours cross, until nothing lies above.

Each solve is policy iteration in two stages (`engine.planning.lexicographic`) from where the last one ended. The
outermost lines are those of the ends of the range: best for the auxiliary return first and for the own return second
where it has no end. Where a cycle has reward 0 before that (`engine.planning.trade_off.limits`), the segment beyond has
an improper policy and a line of -inf.
Every solve finds a line that is new and higher than all others at some coefficient, or shows that there is none, but
for rounding (`engine.planning.certificates.trade_off` bounds what that may hide); there are finitely many policies, so
the search ends, with at most two solves a segment.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.lexicographic import PairIteration
from engine.planning.pair_values import Known, PairValues
from engine.planning.trade_off.coefficient_range import EVERYWHERE, Range, at_most, pieces_between
from engine.planning.trade_off.envelope import Errors, crossing, envelope, is_steeper, rises_above, tied_lines
from engine.planning.trade_off.limits import NeverFinite, find_limit, reachable_part
from engine.planning.trade_off.segment import Line, SearchCost, Segment


def by_supporting_lines(
    own: TabularMDP, auxiliary: Floats, start: int, between: Range = EVERYWHERE, cost: SearchCost | None = None
) -> list[Segment]:
    """All segments of a range from one start state.

    cost: what the search took is added to it. Raises NoPlan where no policy is proper, or no coefficient
    at all has a finite optimum.
    """
    table = reachable_part(own, start)
    search = PairIteration(table, auxiliary)
    if not (search.allowed[start].any() or own.terminal[start]):
        raise NoPlan("no policy is proper", place=f"state {start}", remedy="open a way out")
    policies: dict[Line, Policy] = {}
    errors: dict[Line, Line] = {}
    known: dict[bytes, Line] = {}

    def line_of(values: PairValues) -> Line:
        digest = hashlib.blake2b(values.policy.tobytes()).digest()
        if digest not in known:
            known[digest] = line = Line(*search.returns(values.policy, start))
            if line not in policies:
                policies[line] = values.policy
                own_size, auxiliary_size = search.noise * values.columns[start, 2:4]
                errors[line] = Line(float(own_size), float(auxiliary_size))
        return known[digest]

    def above(left: Line, right: Line) -> Line | None:
        """The highest line where two lines meet, None where it is one of them."""
        coefficient = crossing(left, right)
        noise = errors[left].at(abs(coefficient)) + errors[right].at(abs(coefficient))
        values = search.better((1.0, coefficient), (0.0, 1.0), Known(start, left.at(coefficient) + noise))
        middle = right if values is None else line_of(values)
        inside = left.auxiliary < middle.auxiliary < right.auxiliary
        return middle if inside and rises_above(left, middle, right, errors) else None

    try:
        low = find_limit(search, table, start, -1.0, between[0])
        high = find_limit(search, table, start, 1.0, between[1])
    except NeverFinite as never:
        for side in (-1.0, 1.0):
            find_limit(search, table, start, side)  # raises it again where no other range is finite either
        return [_endless(own, start, never.policy, *between)]
    if low.policy is not None and not at_most(low.coefficient, high.coefficient):
        raise NeverFinite(low.policy)
    lines = _fill(line_of(low.values), line_of(high.values), above, errors)
    if cost is not None:
        cost.policies += search.evaluated
    last = min(max(high.coefficient, between[0]), between[1])  # limits are rounded, the ends of the range are not
    first = min(max(low.coefficient, between[0]), last)
    returns = np.array(lines)
    segments = [
        Segment(
            left,
            right,
            line,
            *rollout(own, policies[line], start),
            policies[line],
            tied_lines(lines, returns, left, line, errors) if low.policy is None or left > first else (),
        )
        for left, right, line in pieces_between(envelope(lines, errors), first, last)
    ]
    if low.policy is not None:
        segments.insert(0, _endless(own, start, low.policy, between[0], first))
    if high.policy is not None:
        segments.append(_endless(own, start, high.policy, last, between[1]))
    return segments


def _endless(own: TabularMDP, start: int, policy: Policy, low: float, high: float) -> Segment:
    """The segment of an improper policy that gains for ever."""
    return Segment(low, high, Line(-math.inf, -math.inf), *rollout(own, policy, start), policy)


def _fill(lowest: Line, highest: Line, above: Callable[[Line, Line], Line | None], errors: Errors) -> list[Line]:
    """The two outermost lines and all supporting lines between them, slopes ascending.

    above: a line that is higher than two others where these meet, None where there is none.
    """
    lines, waiting = [lowest], [highest]
    while waiting:
        left, right = lines[-1], waiting[-1]
        middle = above(left, right) if is_steeper(left, right, errors) else None
        if middle is None:
            lines.append(waiting.pop())
        else:
            waiting.append(middle)
    return lines


def rollout(mdp: TabularMDP, policy: Policy, start: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
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
