"""All lines between two outermost ones: solve where neighbours cross, until nothing lies above.

Each solve is policy iteration in two stages (`engine.planning.lexicographic`) from where the last one ended. It finds a
line that is new and higher than all others at some coefficient, or shows that there is none, but for rounding
(`engine.planning.certificates.trade_off` bounds what that may hide); there are finitely many policies, so the search
ends, with at most two solves a segment.

In large tables the search goes in rounds. A round finds at most so many lines in each gap between two neighbours, apart
from the other gaps, and leaves smaller gaps for the next one. What is found depends on the rounds, hence on the table
alone: threads share the gaps of a round, and change no result.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from copy import copy
from functools import partial
from threading import Event

from engine.compiling.threads import in_order, thread_count
from engine.mdp.mdp import Policy
from engine.planning.lexicographic import PairIteration
from engine.planning.pair_values import Known, PairValues
from engine.planning.trade_off.envelope import Rounding, crossing, is_steeper, rises_above
from engine.planning.trade_off.segment import Line

LARGE = 10_000  # states
FIRST_ROUNDS = 1, 1, 1, 1, 1  # lines in each gap
LATER_ROUNDS = 32


class LineSearch:
    """Policy iteration from one start state, and what is known of the lines that it has found.

    policies: each line's policy, the first one that was found. roundings: of its returns.
    abandoned: set when the search is to stop early; branches have it in common.
    """

    def __init__(self, iteration: PairIteration, start: int) -> None:
        self.iteration, self._start, self.abandoned = iteration, start, Event()
        self.policies: dict[Line, Policy] = {}
        self.roundings: dict[Line, Rounding] = {}
        self._known: dict[bytes, Line] = {}

    def branch(self) -> LineSearch:
        """Another search that goes on from here; neither disturbs the other."""
        other = copy(self)
        other.iteration = self.iteration.branch()
        other.policies, other.roundings, other._known = dict(self.policies), dict(self.roundings), dict(self._known)
        return other

    def take_in(self, branch: LineSearch) -> None:
        """Know what a branch has found, and what it took."""
        self.policies = branch.policies | self.policies
        self.roundings = branch.roundings | self.roundings
        self.iteration.evaluated += branch.iteration.evaluated

    def line_of(self, values: PairValues) -> Line:
        """The line of a policy."""
        digest = hashlib.blake2b(values.policy.tobytes()).digest()
        if digest not in self._known:
            returns, missed = self.iteration.returns(values.policy, self._start)
            self._known[digest] = line = Line(*returns)
            if line not in self.policies:
                self.policies[line] = values.policy
                own_error, auxiliary_error = self.iteration.noise * values.columns[self._start, 2:4]
                self.roundings[line] = Rounding(Line(float(own_error), float(auxiliary_error)), Line(*missed))
        return self._known[digest]

    def above(self, left: Line, right: Line) -> Line | None:
        """The highest line where two lines meet, None where it is one of them.

        Of several that tie the steepest. The values of a state tell less than its line, which is known in doubled
        precision: where ties hide a small loss, the policy before they were broken may still be above.
        """
        if not is_steeper(left, right, self.roundings):
            return None
        coefficient = crossing(left, right, self.roundings)
        noise = sum(self.roundings[line].error.at(abs(coefficient)) for line in (left, right))
        known = Known(self._start, left.at(coefficient) + noise)
        values = self.iteration.better((1.0, coefficient), (0.0, 1.0), known)
        for found in (values, self.iteration.leading):
            middle = right if found is None else self.line_of(found)
            inside = left.auxiliary < middle.auxiliary < right.auxiliary
            if inside and rises_above(left, middle, right, self.roundings):
                return middle
        return None

    def outermost(self, values: PairValues, leading: PairValues, sign: float) -> Line:
        """The steeper one of two lines (sign 1.0; -1.0: the flatter one), the first one where rounding hides which."""
        line, other = self.line_of(values), self.line_of(leading)
        flat, steep = (line, other) if sign > 0.0 else (other, line)
        return other if is_steeper(flat, steep, self.roundings) else line

    def fill(self, left: Line, right: Line, most: float = math.inf) -> tuple[list[Line], list[tuple[Line, Line]]]:
        """Two lines and all between them, slopes ascending; between which of them more may lie.

        most: after how many new lines to stop.
        """
        lines, waiting, enough = [left], [right], len(self._known) + most
        while waiting and len(self._known) < enough and not self.abandoned.is_set():
            middle = self.above(lines[-1], waiting[-1])
            if middle is None:
                lines.append(waiting.pop())
            else:
                waiting.append(middle)
        return lines + waiting[::-1], list(itertools.pairwise([lines[-1], *reversed(waiting)]))


def supporting_lines(found: LineSearch, lowest: Line, highest: Line, threads: int | None = None) -> list[Line]:
    """Two lines and all supporting lines between them, slopes ascending.

    found: a search that has found both; it knows all lines afterwards. threads: None for one a core
    (`engine.compiling.threads.thread_count`).
    """
    if len(found.policies[lowest]) < LARGE:
        return found.fill(lowest, highest)[0]
    lines, gaps = {lowest, highest}, [(found, lowest, highest)]
    rounds = itertools.chain(FIRST_ROUNDS, itertools.repeat(LATER_ROUNDS))
    while gaps:
        most = next(rounds)
        pieces, gaps = [partial(_filled, *gap, most) for gap in gaps], []
        for branch, more, open_gaps in in_order(pieces, thread_count(threads), found.abandoned):
            found.take_in(branch)
            lines.update(more)
            gaps += [(branch, *gap) for gap in open_gaps]
    return sorted(lines, key=lambda line: line.auxiliary)


def _filled(
    found: LineSearch, left: Line, right: Line, most: float
) -> tuple[LineSearch, list[Line], list[tuple[Line, Line]]]:
    """A search for at most so many lines in a gap, and what it has found, as `LineSearch.fill`."""
    branch = found.branch()
    return branch, *branch.fill(left, right, most)
