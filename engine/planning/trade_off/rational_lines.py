"""All optimal lines of a small table in fractions: what the search in floating point found, made exact and complete.

The lines found are computed in fractions, and so is their envelope. Where two of them cross, and at the ends of the
range, policy iteration in fractions either finds a line above or shows that there is none. The optimum is convex: once
that holds at all these points, none is above anywhere. Where a range has no end, the outermost line is that of the best
auxiliary return and, among its policies, the best own return.

Stored numbers are read as the fractions that were meant (`engine.planning.certificates.rational`). Tables without
fractions, and those where it would take long, are left as they were found.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.planning.certificates.rational import (
    RationalTable,
    build_rational_table,
    compute_rational_returns,
    improve_in_fractions,
)
from engine.planning.trade_off.envelope import (
    MOST_STEPS,
    ExactLine,
    Range,
    find_exact_crossing,
    find_upper_hull,
    is_at_most,
)

MOST_STATES = 12  # whose values are solved for, where chance decides; elsewhere MOST_STEPS
MOST_LINES = 40
INSIDE = Fraction(1, 2**40)  # of a range, from an end at which a cycle breaks even
END_ROUNDED = Fraction(1, 2**48)  # of such an end, by which it may be off


class RationalPiece(NamedTuple):
    """From one coefficient to another (infinite for none) a line is optimal: of a policy, int32[S]."""

    low: Fraction | float
    high: Fraction | float
    line: ExactLine
    policy: Policy


def find_rational_pieces(
    table: TabularMDP, auxiliary: Floats, allowed: Booleans, start: int, policies: Iterable[Policy], between: Range,
    limited: tuple[bool, bool],
) -> list[RationalPiece] | None:  # fmt: skip
    """Return all pieces of a range, slopes ascending; None where the table is too large or has no fractions.

    allowed: bool[S, A], as in `engine.planning.lexicographic.PairIteration`. policies: those that were found. limited:
    whether a cycle gains beyond the ends of the range.
    """
    known = list(policies)
    live = int(allowed.any(axis=1).sum())
    small = table.next_state.size <= MOST_STEPS and (table.is_deterministic or live <= MOST_STATES)
    if not small or len(known) > MOST_LINES:
        return None
    rational = build_rational_table(table, allowed, (table.reward, auxiliary))
    if rational is None:
        return None
    return _Search(rational, start, between, limited).complete(known)


class _Search:
    def __init__(self, table: RationalTable, start: int, between: Range, limited: tuple[bool, bool]) -> None:
        self._table, self._start, self._between, self._limited = table, start, between, limited
        self._policy: dict[ExactLine, Policy] = {}

    def complete(self, policies: list[Policy]) -> list[RationalPiece] | None:
        """Return all pieces; None where fractions become too long."""
        if not all(self._add(policy) for policy in policies):
            return None
        settled = set[object]()
        while True:
            pieces = self._cut()
            waiting = [check for check in self._list_checks(pieces) if check[0] not in settled]
            if not waiting:
                return pieces
            for point, weights, line in waiting:
                settled.add(point)
                found = self._improve(weights, self._policy[line])
                if found is None:
                    return None

    def _add(self, policy: Policy) -> bool:
        returns = compute_rational_returns(self._table, policy, self._table.rewards, self._table.reward_unit)
        if returns is None:
            return False
        own, extra = (each.get(self._start, Fraction(0)) for each in returns)
        self._policy.setdefault((own, extra), policy)
        return True

    def _improve(self, weights: tuple[ExactLine, ExactLine], policy: Policy) -> bool | None:
        """Add the best line for first weights and, among those, for second ones; None where that fails."""
        table = self._table
        first, second = weights
        found = improve_in_fractions(table, first, policy)
        if found is None:
            return None
        if any(second):  # which may gain for ever where a cycle breaks even by the first
            found = improve_in_fractions(replace(table, allowed=found.tied), second, found.policy) or found
        return self._add(found.policy) or None

    def _cut(self) -> list[RationalPiece]:
        """Return the envelope of the lines known, cut at the ends of the range."""
        hull = find_upper_hull(self._policy)
        edges: list[Fraction | float] = [
            -math.inf,
            *(find_exact_crossing(*pair) for pair in itertools.pairwise(hull)),
            math.inf,
        ]
        low, high = self._between
        kept = [
            (left, line)
            for (left, right), line in zip(itertools.pairwise(edges), hull, strict=True)
            if not is_at_most(float(right), low) and is_at_most(float(left), high)
        ]
        ends: list[Fraction | float] = [low, *(min(left, high) for left, _ in kept[1:]), high]
        return [
            RationalPiece(left, right, line, self._policy[line])
            for (left, right), (_, line) in zip(itertools.pairwise(ends), kept, strict=True)
        ]

    def _list_checks(self, pieces: list[RationalPiece]) -> list[tuple[object, tuple[ExactLine, ExactLine], ExactLine]]:
        """Return points to be checked, their weights, and the line there."""
        one, nothing = Fraction(1), (Fraction(0), Fraction(0))
        checks: list[tuple[object, tuple[ExactLine, ExactLine], ExactLine]] = []
        for piece, sign in ((pieces[0], -1), (pieces[-1], 1)):
            end, other = (piece.low, piece.high) if sign < 0 else (piece.high, piece.low)
            if math.isinf(end):
                checks.append((sign, ((Fraction(0), Fraction(sign)), (one, Fraction(0))), piece.line))
                continue
            point = Fraction(end)
            if self._limited[sign > 0]:
                reach = abs(point - Fraction(other)) if math.isfinite(other) else max(abs(point), Fraction(1))
                point -= sign * max(INSIDE * reach, END_ROUNDED * abs(point))
            checks.append(((sign, point), ((one, point), (Fraction(0), Fraction(1))), piece.line))
        for piece in pieces[1:]:
            point = Fraction(piece.low)
            checks.append((point, ((one, point), nothing), piece.line))
        return checks
