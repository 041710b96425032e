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
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.planning.certificates.interval import as_fraction
from engine.planning.certificates.rational import (
    RationalTable,
    build_rational_table,
    compute_rational_returns,
    improve_in_fractions,
)
from engine.planning.trade_off.envelope import Line, Range, find_envelope, is_at_most

MOST_STATES = 12  # whose values are solved for, where chance decides
MOST_STEPS = 150  # elsewhere
MOST_LINES = 40
NEAR, MOST_NEAR = 1e-12, 1000  # of the size of a return; lines
INSIDE = Fraction(1, 2**40)  # of a range, from an end at which a cycle breaks even
END_ROUNDED = Fraction(1, 2**48)  # of such an end, by which it may be off
ExactLine = tuple[Fraction, Fraction]


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
        hull = find_exact_hull(self._policy)
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


def find_exact_hull(lines: Iterable[ExactLine]) -> list[ExactLine]:
    """Return the lines of the upper envelope, slopes ascending; a lone point of contact makes none."""
    hull: list[ExactLine] = []
    for line in sorted(lines, key=lambda line: (line[1], line[0])):
        if hull and hull[-1][1] == line[1]:
            hull.pop()
        while len(hull) > 1 and find_exact_crossing(hull[-2], line) <= find_exact_crossing(hull[-2], hull[-1]):
            hull.pop()
        hull.append(line)
    return hull


class ExactEnvelope(NamedTuple):
    """The envelope of lines in fractions: (from, to, line) as numbers, and the lines that tie where each begins."""

    pieces: list[tuple[float, float, Line]]
    ties: list[tuple[Line, ...]]

    def find_ties(self, start: float, line: Line) -> tuple[Line, ...]:
        """Return the lines that tie where a line's piece begins; none where the piece was cut there."""
        found = [ties for piece, ties in zip(self.pieces, self.ties, strict=True) if piece[2] == line]
        begins = [piece[0] for piece in self.pieces if piece[2] == line]
        return found[0] if begins and is_at_most(begins[0], start) and is_at_most(start, begins[0]) else ()


def find_exact_envelope(lines: Sequence[Line]) -> ExactEnvelope | None:
    """Return the envelope of lines, read as the fractions that were meant; None without these, or for too many lines.

    Lines that are far below it are left out first.
    """
    rough = find_envelope(lines)
    edges = np.array([left for left, _, _ in rough[1:]])
    top = np.array([line for _, _, line in rough])
    numbers = np.array(lines)
    place = np.searchsorted(top[:, 1], numbers[:, 1])
    points = np.append(edges, np.inf)[np.maximum(place - 1, 0)] if len(edges) else np.zeros(len(numbers))
    points = np.where(np.isfinite(points), points, edges[-1] if len(edges) else 0.0)
    over = top[np.minimum(place, len(top) - 1)]
    size = np.abs(numbers[:, 0]) + np.abs(points * numbers[:, 1]) + np.abs(over[:, 0]) + np.abs(points * over[:, 1])
    below = over[:, 0] - numbers[:, 0] + points * (over[:, 1] - numbers[:, 1])
    near = [line for line, low in zip(lines, (below > NEAR * size).tolist(), strict=True) if not low]
    if len(near) > MOST_NEAR:
        return None
    read = [(as_fraction(line.own), as_fraction(line.auxiliary)) for line in near]
    exact = {(own, extra): line for (own, extra), line in zip(read, near, strict=True) if None not in (own, extra)}
    if len(exact) < len(near):
        return None
    known: dict[ExactLine, Line] = exact  # type: ignore[assignment]
    hull = find_exact_hull(known)
    points_exact = [find_exact_crossing(*pair) for pair in itertools.pairwise(hull)]
    ends = [-math.inf, *map(float, points_exact), math.inf]
    pieces = [(left, right, known[line]) for (left, right), line in zip(itertools.pairwise(ends), hull, strict=True)]
    ties: list[tuple[Line, ...]] = [()]
    for point, line in zip(points_exact, hull[1:], strict=True):
        best = line[0] + point * line[1]
        through = [each for each in known if each[0] + point * each[1] == best]
        ties.append(tuple(known[each] for each in sorted(through, key=lambda each: each[1])))
    return ExactEnvelope(pieces, ties)


def find_exact_crossing(flat: ExactLine, steep: ExactLine) -> Fraction:
    """Return the coefficient at which two lines of different slope meet."""
    return (flat[0] - steep[0]) / (steep[1] - flat[1])
