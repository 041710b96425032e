"""All optimal segments of any table by supporting lines (`engine.planning.trade_off.line_search`).

The outermost lines are those of the ends of the range: best for the auxiliary return first and for the own return
second where it has no end. Where a cycle has reward 0 before that (`engine.planning.trade_off.limits`), the segment
beyond has an improper policy and a line of -inf.
"""

from __future__ import annotations

import math

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import reachable_part
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off.coefficient_range import EVERYWHERE, Range, at_most, pieces_between
from engine.planning.trade_off.envelope import Ties, envelope
from engine.planning.trade_off.limits import NeverFinite, find_limit, require_an_end
from engine.planning.trade_off.line_search import LineSearch, supporting_lines
from engine.planning.trade_off.segment import Line, SearchCost, Segment


def by_supporting_lines(
    own: TabularMDP,
    auxiliary: Floats,
    start: int,
    between: Range = EVERYWHERE,
    cost: SearchCost | None = None,
    threads: int | None = None,
) -> list[Segment]:
    """All segments of a range from one start state.

    cost: what the search took is added to it. threads: as for `optimal_segments`. Raises NoPlan where no policy is
    proper, or no coefficient at all has a finite optimum.
    """
    table = reachable_part(own, start)
    search = PairIteration(table, auxiliary)
    require_an_end(search, own, start)
    found = LineSearch(search, start)
    try:
        low = find_limit(search, table, start, -1.0, between[0])
        high = find_limit(search, table, start, 1.0, between[1])
    except NeverFinite as never:
        for side in (-1.0, 1.0):
            find_limit(search, table, start, side)  # raises it again where no other range is finite either
        return [_endless(own, start, never.policy, *between)]
    if low.policy is not None and not at_most(low.coefficient, high.coefficient):
        raise NeverFinite(low.policy)
    lowest, highest = found.outermost(low.values, low.leading, -1.0), found.outermost(high.values, high.leading, 1.0)
    lines = supporting_lines(found, lowest, highest, threads)
    if cost is not None:
        cost.policies += search.evaluated
    last = min(max(high.coefficient, between[0]), between[1])  # limits are rounded, the ends of the range are not
    first = min(max(low.coefficient, between[0]), last)
    ties = Ties(lines, found.roundings)
    segments = [
        Segment(
            left,
            right,
            line,
            *rollout(own, found.policies[line], start),
            found.policies[line],
            ties.at(left, line) if low.policy is None or left > first else (),
        )
        for left, right, line in pieces_between(envelope(lines, found.roundings), first, last)
    ]
    if low.policy is not None:
        segments.insert(0, _endless(own, start, low.policy, between[0], first))
    if high.policy is not None:
        segments.append(_endless(own, start, high.policy, last, between[1]))
    return segments


def _endless(own: TabularMDP, start: int, policy: Policy, low: float, high: float) -> Segment:
    """The segment of an improper policy that gains for ever."""
    return Segment(low, high, Line(-math.inf, -math.inf), *rollout(own, policy, start), policy)


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
