"""All optimal segments of any table by supporting lines: solve where neighbours cross, until nothing lies above.

The outermost lines are those of the ends of the range: best for the auxiliary return first and for the own return
second where it has no end. Where a cycle has reward 0 before that (`engine.planning.trade_off.coefficient_limits`),
the segment beyond has an improper policy and a line of -inf.

Between two outermost lines each solve is policy iteration in two stages (`engine.planning.lexicographic`) from where
the last one ended. It finds a line that is new and higher than all others at some coefficient, or shows that there is
none, but for rounding (`engine.planning.certificates.trade_off` bounds what that may hide); there are finitely many
policies, so the search ends, with at most two solves a segment.

In large tables with chance a gap between two lines is searched in the part of the table where it is open
(`engine.planning.trade_off.open_part`), which is narrowed again as gaps become narrower.

In large tables a gap between two neighbours is searched for at most so many lines, apart from the other gaps, and
leaves smaller gaps to be searched in turn. What is found depends on the table alone: threads share the gaps, and
change no result.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from engine.compiling.threads import count_threads, run_with_what_follows
from engine.errors import NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import keep_reachable_part
from engine.planning.kernels import NEAR
from engine.planning.lexicographic import EvaluationCount, Known, PairIteration, PairValues
from engine.planning.trade_off.coefficient_limits import (
    Gain,
    Limit,
    NeverFinite,
    ends_surely,
    find_gains,
    find_limit,
    keep_safe_part,
    leave_cut_states,
    make_endless_error,
)
from engine.planning.trade_off.envelope import (
    EVERYWHERE,
    Line,
    Range,
    Rounding,
    SearchCost,
    Segment,
    Ties,
    cut_pieces,
    find_crossing,
    find_envelope,
    is_at_most,
    is_steeper,
    rises_above,
)
from engine.planning.trade_off.open_part import SETTLED, End, OpenPart, find_open_part, find_visits
from engine.planning.trade_off.rational_lines import RationalPiece, find_rational_pieces

LARGE = 10_000  # states
FIRST = 5  # gaps in one another in which one line is searched, to share the work
MOST_LINES = 32  # in each gap within these
SMALLEST = 1_000  # states of a part that is narrowed further
MUCH_NARROWER = 0.5  # of how far slopes were apart
EARNED = 1e-11  # of the sizes of returns


class Origin(NamedTuple):
    """Where the search in a part of a table comes from: a wider search, and the ends of the gap as that sees them."""

    part: OpenPart
    search: LineSearch
    left: End
    right: End

    def recall(self, end: End) -> End:
        """Return an end as the wider search sees it: alone if it was found in the part."""
        known = (each for each in (self.left, self.right) if each.line == end.line)
        return next(known, End(end.line, end.coefficient))


class LineSearch:
    """Policy iteration from one start state, and what is known of the lines that it has found.

    policies: each line's policy in the whole table, the first one that was found. roundings: of its returns.
    abandoned: set when the search is to stop early; branches have it in common.
    """

    def __init__(self, iteration: PairIteration, start: int) -> None:
        self.iteration, self._start, self.abandoned = iteration, start, Event()
        self.policies: dict[Line, Policy] = {}
        self.roundings: dict[Line, Rounding] = {}
        self._known: dict[bytes, Line] = {}
        self._origin: Origin | None = None

    def branch(self) -> LineSearch:
        """Another search that goes on from here; neither disturbs the other."""
        return self._branch(dict(self.policies), dict(self.roundings), EvaluationCount())

    def _branch(
        self, policies: dict[Line, Policy], roundings: dict[Line, Rounding], count: EvaluationCount
    ) -> LineSearch:
        """Return a branch, and branches of the wider searches that it comes from, that know the same lines."""
        other = copy(self)
        other.iteration, other._known = self.iteration.branch(count), dict(self._known)
        other.policies, other.roundings = policies, roundings
        if self._origin is not None:
            wider = self._origin.search._branch(policies, roundings, count)
            other._origin = self._origin._replace(search=wider)
        return other

    def take_in(self, findings: Findings) -> None:
        """Know what a branch has found, and what it took."""
        self.policies = findings.policies | self.policies
        self.roundings = findings.roundings | self.roundings
        self.iteration.count(findings.evaluated)

    def line_of(self, values: PairValues) -> Line:
        """Return the line of a policy."""
        digest = hashlib.blake2b(values.policy.tobytes()).digest()
        if digest not in self._known:
            returns, missed = self.iteration.returns(values, self._start)
            self._known[digest] = line = Line(*returns)
            if line not in self.policies:
                self.policies[line] = self._spread(values.policy)
                own_error, auxiliary_error = self.iteration.noise * values.columns[self._start, 2:4]
                self.roundings[line] = Rounding(Line(float(own_error), float(auxiliary_error)), Line(*missed))
        return self._known[digest]

    def _spread(self, policy: Policy) -> Policy:
        """Return a policy in the whole table; elsewhere it does as the left end's policy."""
        if self._origin is None:
            return policy
        part, wider, left, _ = self._origin
        assert left.values is not None
        result = left.values.policy.copy()
        result[part.states] = policy
        return wider._spread(result)

    def outermost(self, limit: Limit, sign: float) -> End:
        """Return the end of the steeper of two lines (sign 1.0; -1.0: the flatter), the first if rounding hides it."""
        line, other = self.line_of(limit.values), self.line_of(limit.leading)
        flat, steep = (line, other) if sign > 0.0 else (other, line)
        return End(other if is_steeper(flat, steep, self.roundings) else line, limit.inside, limit.values)

    def split(self, left: End, right: End) -> tuple[LineSearch, list[End]]:
        """Return two ends and between them the highest line where theirs meet, if it is a third one.

        And the search that has found it: a wider one where the part of the table did not do.
        """
        ends = None
        try:
            ends = self._split(left, right)
        except NoPlan:  # no part has a cycle that gains for ever, but for rounding
            if self._origin is None:
                raise
        if ends is not None:
            return self, ends
        assert self._origin is not None
        return self._origin.search.split(self._origin.recall(left), self._origin.recall(right))

    def _split(self, left: End, right: End) -> list[End] | None:
        """Return the ends; None where the best policy leaves the part of the table.

        Of several lines that tie the steepest. The values of a state tell less than its line, which is known in doubled
        precision: where ties hide a small loss, the policy before they were broken may still be above.
        """
        low, high = left.line, right.line
        if not is_steeper(low, high, self.roundings):
            return [left, right]
        coefficient = find_crossing(low, high, self.roundings)
        noise = sum(self.roundings[line].error.at(abs(coefficient)) for line in (low, high))
        known = Known(self._start, low.at(coefficient) + noise)
        values = self.iteration.better((1.0, coefficient), (0.0, 1.0), known)
        leading = self.iteration.leading
        for found in (leading,) if values is None or values is leading else (values, leading):
            visits = None
            if self._origin is not None and self._origin.part.rough.any():
                visits, is_all = find_visits(self.iteration.table, found.policy, self._start)
                if not is_all or not self._origin.part.holds(visits, found.columns[self._start, 2:4]):
                    return None
            middle = self.line_of(found)
            inside = low.auxiliary < middle.auxiliary < high.auxiliary
            if inside and rises_above(low, middle, high, self.roundings):
                if self._origin is not None and not self._is_earned(middle):
                    self._forget(middle)
                    return None
                return [left, End(middle, coefficient, visits=visits), right]
        return [left, right]

    def _forget(self, line: Line) -> None:
        del self.policies[line], self.roundings[line]
        self._known = {digest: known for digest, known in self._known.items() if known != line}

    def _is_earned(self, line: Line) -> bool:
        """Return whether the policy in the whole table earns what it does in the part.

        Elsewhere it does as another policy, which relies on other actions in the part: together both may go round and
        round, hardly ever, but for so long that it counts.
        """
        whole = self
        while whole._origin is not None:
            whole = whole._origin.search
        policy = self.policies[line]
        visits, is_all = find_visits(whole.iteration.table, policy, whole._start)
        earned, sizes = whole.iteration.sum_rewards(policy, visits)
        return is_all and bool((np.abs(earned - line) <= EARNED * sizes).all())

    @property
    def can_narrow(self) -> bool:
        """Whether a part of the table may be worth a search of its own."""
        table = self.iteration.table
        is_fit = self._origin is not None or (self.iteration.is_local and not NEAR <= table.discount < 1.0)
        return is_fit and len(table.terminal) >= SMALLEST

    def complete(self, end: End) -> End:
        """Return an end with what is best from every state, and where that leads."""
        values, visits = end.values, end.visits
        if values is None:
            values = self.iteration.nearly_best((1.0, end.coefficient), SETTLED)
        if visits is None:
            visits, _ = find_visits(self.iteration.table, values.policy, self._start)
        return end._replace(values=values, visits=visits)

    def narrow(self, left: End, right: End) -> tuple[LineSearch, End, End]:
        """Return a search in the part of the table where a gap is open, and its ends as that sees them.

        The same search where the part would be most of the table.
        """
        with suppress(NoPlan):  # by rounding
            left, right = self.complete(left), self.complete(right)
            search, left, right = self._restrict(left, right, likely=False)
            return search._restrict(left, right, likely=True)
        return self, left, right

    def _restrict(self, left: End, right: End, likely: bool) -> tuple[LineSearch, End, End]:
        within = None if self._origin is None else self._origin.part
        part = find_open_part(self.iteration, self._start, left, right, likely, within)
        if part is None:
            return self, left, right
        other = copy(self)
        other.iteration = self.iteration.restrict(part.states, part.inside, part.begin)
        other._start, other._known = int(np.flatnonzero(part.states == self._start)[0]), {}
        other._origin = Origin(part, self, left, right)
        return other, part.restrict(left), part.restrict(right)


class Gap(NamedTuple):
    """Two lines, between which more may lie, and the search that looks for them.

    tried: how far the slopes of two lines were apart when the search was last narrowed, or could not be.
    """

    search: LineSearch
    left: End
    right: End
    tried: float = math.inf

    @property
    def width(self) -> float:
        """How far the slopes are apart."""
        return self.right.line.auxiliary - self.left.line.auxiliary

    @property
    def is_to_narrow(self) -> bool:
        """Whether another attempt to narrow the search may pay."""
        return self.width <= MUCH_NARROWER * self.tried and self.search.can_narrow

    def narrow(self) -> Gap:
        """Return the same gap in the part of the table where it is open, if an attempt pays."""
        if not self.is_to_narrow:
            return self
        search, left, right = self.search.narrow(self.left, self.right)
        return Gap(search, left, right, self.width if search is not self.search else MUCH_NARROWER * self.width)

    def split(self) -> list[Gap]:
        """Return the gaps on both sides of a line between the two; none where there is none."""
        search, ends = self.search.split(self.left, self.right)
        if len(ends) == 2:
            return []
        tried = self.tried if search is self.search else self.width
        gaps = [Gap(search, *pair, tried) for pair in itertools.pairwise(ends)]
        if any(gap.is_to_narrow for gap in gaps):
            with suppress(NoPlan):  # by rounding
                end = search.complete(ends[1])
                gaps = [gaps[0]._replace(right=end), gaps[1]._replace(left=end)]
        return gaps


class Findings(NamedTuple):
    """What a search in a gap has found: lines between its ends, what `LineSearch` keeps, how many policies it took."""

    lines: list[Line]
    policies: dict[Line, Policy]
    roundings: dict[Line, Rounding]
    evaluated: int


def find_supporting_lines(found: LineSearch, lowest: End, highest: End, threads: int | None = None) -> list[Line]:
    """The lines of two ends and all supporting lines between them, slopes ascending.

    found: a search that has found both; it knows all lines afterwards. threads: None for one a core
    (`engine.compiling.threads.count_threads`).
    """
    is_large = len(found.policies[lowest.line]) >= LARGE
    begin = partial(_fill_gap, Gap(found, lowest, highest), is_large)
    lines = {lowest.line, highest.line}
    for findings in run_with_what_follows(begin, count_threads(threads) if is_large else 1, found.abandoned):
        found.take_in(findings)
        lines.update(findings.lines)
    return sorted(lines, key=lambda line: line.auxiliary)


def _fill_gap(gap: Gap, is_large: bool, depth: int = 0) -> tuple[Findings, list[partial[Any]]]:
    """Return what is found in a gap, all of it or so many lines at most, and the same to be done in gaps left open.

    depth: how many gaps it lies in.
    """
    most = math.inf if not is_large else 1 if depth < FIRST else MOST_LINES
    branch = gap.search.branch()
    lines, waiting = list[Line](), [gap._replace(search=branch)]
    while waiting and len(lines) < most and not branch.abandoned.is_set():
        gaps = waiting.pop().narrow().split()
        waiting += reversed(gaps)
        lines += [each.right.line for each in gaps[:1]]
    findings = Findings(lines, branch.policies, branch.roundings, branch.iteration.evaluated)
    return findings, [partial(_fill_gap, each, is_large, depth + 1) for each in waiting]


def find_segments_by_supporting_lines(
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
    whole = keep_reachable_part(own, start)
    search = PairIteration(whole, auxiliary)
    if not ends_surely(search, whole, start):
        return _make_endless_segments(own, whole, auxiliary, start, between)
    table = keep_safe_part(whole, search, start)
    if (table.terminal != whole.terminal).any():
        search = PairIteration(table, auxiliary)
    found = LineSearch(search, start)
    try:
        low = find_limit(search, table, start, -1.0, between[0])
        high = find_limit(search, table, start, 1.0, between[1])
    except NeverFinite as never:
        for side in (-1.0, 1.0):
            find_limit(search, table, start, side)  # raises it again where no other range is finite either
        return [_make_endless_segment(own, start, leave_cut_states(whole, table, search.lost, never.policy), *between)]
    if low.policy is not None and not is_at_most(low.coefficient, high.coefficient):
        raise NeverFinite(low.policy)
    lowest, highest = found.outermost(low, -1.0), found.outermost(high, 1.0)
    lines = find_supporting_lines(found, lowest, highest, threads)
    if cost is not None:
        cost.policies += search.evaluated
    last = min(max(high.coefficient, between[0]), between[1])  # limits are rounded, the ends of the range are not
    first = min(max(low.coefficient, between[0]), last)
    pieces = find_rational_pieces(
        table, auxiliary, search.allowed, start, (found.policies[line] for line in lines), (first, last),
        (low.policy is not None, high.policy is not None),
    )  # fmt: skip
    if pieces is None:
        segments = _make_segments(own, found, lines, start, (first, last), low.policy is None)
    else:
        segments = _make_exact_segments(own, pieces, start, (first, last), low.policy is None)
    if not whole.is_deterministic and search.lost.any():
        segments = _insert_gains(
            own,
            segments,
            find_gains(whole, auxiliary, search.lost | (table.terminal & ~whole.terminal), start, (first, last)),
            start,
        )
    if low.policy is not None:
        policy = leave_cut_states(whole, table, search.lost, low.policy)
        segments.insert(0, _make_endless_segment(own, start, policy, between[0], first))
    if high.policy is not None:
        policy = leave_cut_states(whole, table, search.lost, high.policy)
        segments.append(_make_endless_segment(own, start, policy, last, between[1]))
    return segments


def _make_segments(
    own: TabularMDP, found: LineSearch, lines: list[Line], start: int, between: Range, tied_below: bool
) -> list[Segment]:
    """Return the segments of lines. tied_below: whether ties at the lower end of the range count."""
    ties = Ties(lines, found.roundings)
    return [
        Segment(
            left,
            right,
            line,
            *trace_path(own, found.policies[line], start),
            found.policies[line],
            ties.at(left, line) if tied_below or left > between[0] else (),
        )
        for left, right, line in cut_pieces(find_envelope(lines, found.roundings), *between)
    ]


def _make_exact_segments(
    own: TabularMDP, pieces: list[RationalPiece], start: int, between: Range, tied_below: bool
) -> list[Segment]:
    """Return the same of pieces in fractions, each number rounded once."""
    result = list[Segment]()
    for number, piece in enumerate(pieces):
        line = Line(*map(float, piece.line))
        low = between[0] if not number else float(piece.low)
        high = between[1] if piece is pieces[-1] else float(piece.high)
        ties = (result[-1].line, line) if result else ()
        result.append(Segment(low, high, line, *trace_path(own, piece.policy, start), piece.policy, ties))
    return result


def _make_endless_segments(
    own: TabularMDP, table: TabularMDP, auxiliary: Floats, start: int, between: Range
) -> list[Segment]:
    """Return segments from a state where no policy surely ends; NoPlan where none gains for ever either."""
    gains = find_gains(table, auxiliary, ~table.terminal, start, between)
    if all(gain.policy is None for gain in gains):
        raise make_endless_error(start)
    stay = np.zeros(len(table.terminal), dtype=np.int32)
    return [
        _make_endless_segment(own, start, stay if gain.policy is None else gain.policy, gain.low, gain.high)
        for gain in gains
    ]


def _insert_gains(own: TabularMDP, segments: list[Segment], gains: list[Gain], start: int) -> list[Segment]:
    """Return segments with those of policies that gain for ever, in place of what lies there."""
    result = []
    for gain in gains:
        if gain.policy is not None:
            result.append(_make_endless_segment(own, start, gain.policy, gain.low, gain.high))
            continue
        for segment in segments:
            low, high = max(segment.start, gain.low), min(segment.stop, gain.high)
            if low < high or (low == high and len(gains) == 1):
                ties = segment.ties if low == segment.start else ()
                result.append(replace(segment, start=low, stop=high, ties=ties))
    return result


def _make_endless_segment(own: TabularMDP, start: int, policy: Policy, low: float, high: float) -> Segment:
    """Return the segment of an improper policy that gains for ever."""
    return Segment(low, high, Line(-math.inf, -math.inf), *trace_path(own, policy, start), policy)


def trace_path(mdp: TabularMDP, policy: Policy, start: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
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
