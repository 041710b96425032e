"""The likelihood of observed actions under one reward, on boxes of (arctan c, log T, e), with bounds that are proved.

    P(a|s) = (1 - e) softmax(Q_c(s, .) / T)(a) + e / |A(s)|,    log L = sum over distinct choices n_a(s) log P(a|s)

Between kinks of Q_c every action value is one line in c. On a box of one such piece, differences of action values are
largest and smallest at its corners, hence log L has an upper bound there (`bound_boxes`); boxes whose bound is too
low for the evidence need no nodes. All others get a Gauss-Lobatto rule in log T and e at one c (`integrate_boxes`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.identification.action_values import ChoiceValues, ValueLines
from engine.compiling.kernel import kernel
from engine.mdp.mdp import Floats

NODES = 8
_LAST = np.polynomial.Legendre.basis(NODES - 1)
POINTS: Floats = np.concatenate([[-1.0], np.sort(_LAST.deriv().roots().real), [1.0]])
WEIGHTS: Floats = 2.0 / (NODES * (NODES - 1) * _LAST(POINTS) ** 2)
"""Gauss and Lobatto's rule: the ends are nodes, where the likelihood of cold agents may change within a thin layer."""
SAME = 1e-9
NO_LINE = (-math.inf, 0.0)


@dataclass(frozen=True)
class Choices:
    """The observed choices under one reward; states that offer the same choice count as one.

    offset: int64[G + 1], the first alternative of each choice, and the end. count: f64[N], how often each alternative
    was taken. alike: f64[N], how many actions each alternative stands for: those of equal value at every care. lines:
    the lines of each alternative's value, relative to a line that the whole choice shares.
    """

    offset: NDArray[np.int64]
    count: Floats
    alike: Floats
    lines: tuple[ValueLines, ...]
    low: float
    high: float

    @classmethod
    def of(cls, counted: Iterable[tuple[ChoiceValues, int, Mapping[int, float]]]) -> Choices:
        """Gather choices. counted: the values of a world, a state, and how often each of its actions was taken."""
        gathered: dict[tuple[tuple[bytes, int], ...], list[float]] = {}
        lines_of: dict[tuple[tuple[bytes, int], ...], list[ValueLines]] = {}
        low, high = -np.inf, np.inf
        seen_values = dict[int, dict[int, list[int]]]()
        for values, state, taken in counted:
            low, high = max(low, values.finite[0]), min(high, values.finite[1])
            known = seen_values.get(id(values))
            if known is None:
                known = {}
                for origin, action in values.lines:
                    known.setdefault(origin, []).append(action)
                seen_values[id(values)] = known
            alternatives = known[state]
            shared = next((values.lines[state, a][0] for a in alternatives if len(values.lines[state, a])), np.zeros(2))
            relative = [
                np.asarray(np.round(values.lines[state, a] - shared, 12) + 0.0, dtype=np.float64) for a in alternatives
            ]
            merged: dict[bytes, tuple[ValueLines, int, float]] = {}
            for action, own in zip(alternatives, relative, strict=True):
                _, actions, times = merged.get(own.tobytes(), (own, 0, 0.0))
                merged[own.tobytes()] = own, actions + 1, times + taken.get(action, 0.0)
            ordered = [merged[name] for name in sorted(merged)]
            key = tuple((own.tobytes(), actions) for own, actions, _ in ordered)
            before = gathered.get(key)
            counts = [times for _, _, times in ordered]
            gathered[key] = counts if before is None else [x + y for x, y in zip(before, counts, strict=True)]
            lines_of[key] = [own for own, _, _ in ordered]
        offset = np.concatenate([[0], np.cumsum([len(counts) for counts in gathered.values()])]).astype(np.int64)
        count = np.array([c for counts in gathered.values() for c in counts], dtype=np.float64)
        alike = np.array([alike for key in gathered for _, alike in key], dtype=np.float64)
        lines = tuple(line for key in gathered for line in lines_of[key])
        return cls(offset, count, alike, lines, low, high)

    def without_care(self) -> Choices:
        """Return the same choices at c = 0, whatever c is."""
        at_zero = tuple(np.array([[lines[:, 0].max(), 0.0]]) if len(lines) else lines for lines in self.lines)
        return Choices(self.offset, self.count, self.alike, at_zero, -np.inf, np.inf)

    def list_points(self, crossings: bool = False) -> list[float]:
        """List the kinks of all values, c = 0 and the ends of the range; with crossings of two alternatives as well."""
        found = {0.0} if self.low < 0.0 < self.high else set()
        seen: set[tuple[bytes, bytes]] = set()
        for lines in {each.tobytes(): each for each in self.lines}.values():
            found.update(_meet(lines[:-1], lines[1:]).tolist())
        if crossings:
            for begin, end in zip(self.offset[:-1].tolist(), self.offset[1:].tolist(), strict=True):
                for one in range(begin, end):
                    for other in range(one + 1, end):
                        key = (self.lines[one].tobytes(), self.lines[other].tobytes())
                        if key not in seen:
                            seen.add(key)
                            found.update(_find_crossings(self.lines[one], self.lines[other]))
        inside = sorted(point for point in found if self.low < point < self.high)
        merged: list[float] = []
        for point in inside:
            if not merged or point - merged[-1] > 1e-12 * max(1.0, abs(point)):
                merged.append(point)
        return [self.low, *merged, self.high]

    def select_lines(self, care: Floats) -> Floats:
        """Return f64[P, N, 2], the line of each alternative that is highest at each coefficient; own -inf for none."""
        chosen = np.empty((len(care), len(self.lines), 2))
        known: dict[bytes, Floats] = {}
        for number, lines in enumerate(self.lines):
            key = lines.tobytes()
            if key not in known:
                if len(lines):
                    known[key] = lines[(lines[:, 0] + care[:, None] * lines[:, 1]).argmax(axis=1)]
                else:
                    known[key] = np.broadcast_to(np.array([-np.inf, 0.0]), (len(care), 2))
            chosen[:, number] = known[key]
        return chosen

    @property
    def sizes(self) -> Floats:
        """f64[G], how many actions each choice offers."""
        return np.add.reduceat(self.alike, self.offset[:-1])


class PieceChoices(NamedTuple):
    """The choices between two cuts, where each value is one line; those that are alike there count as one.

    first: int64[P + 1], the first choice of each piece, and the end. offset and alike as in `Choices`; taken: its
    count. lines: f64[N, 2], own -inf for none.
    """

    first: NDArray[np.int64]
    offset: NDArray[np.int64]
    taken: Floats
    alike: Floats
    lines: Floats

    @classmethod
    def of(cls, choices: Choices, care: Floats) -> PieceChoices:
        """Merge choices on the pieces in which these coefficients lie."""
        first = [0]
        offset = [0]
        count: list[float] = []
        alike: list[float] = []
        lines: list[tuple[float, float]] = []
        bounds = list(itertools.pairwise(choices.offset.tolist()))
        taken, standing = choices.count.tolist(), choices.alike.tolist()
        for chosen in choices.select_lines(care):
            # infinite differences are of alternatives from which nothing ends
            merged: dict[tuple[tuple[float, float, float], ...], dict[tuple[float, float], float]] = {}
            here = chosen.tolist()
            for begin, end in bounds:
                base = max(here[begin:end])
                base = base if base[0] > -math.inf else [0.0, 0.0]
                actions: dict[tuple[float, float], float] = {}
                counts: dict[tuple[float, float], float] = {}
                for n in range(begin, end):
                    line = round(here[n][0] - base[0], 11) + 0.0, round(here[n][1] - base[1], 11) + 0.0
                    line = line if line[0] > -math.inf else NO_LINE
                    actions[line] = actions.get(line, 0.0) + standing[n]
                    counts[line] = counts.get(line, 0.0) + taken[n]
                key = tuple(sorted((*line, number) for line, number in actions.items()))
                known = merged.setdefault(key, {})
                for line, times in counts.items():
                    known[line] = known.get(line, 0.0) + times
            for key, known in merged.items():
                lines += [(own, slope) for own, slope, _ in key]
                alike += [number for _, _, number in key]
                count += [known[own, slope] for own, slope, _ in key]
                offset.append(len(lines))
            first.append(len(offset) - 1)
        whole = np.array(first, dtype=np.int64), np.array(offset, dtype=np.int64)
        return cls(*whole, np.array(count), np.array(alike), np.array(lines).reshape(-1, 2))


def compute_chances(value: Floats, temperature: float, slip: float) -> Floats:
    """Compute f64[A], P(a|s) of the model from the action values of the available actions; -inf where none ends."""
    best = value.max()
    if best == -np.inf:
        return np.full(len(value), 1.0 / len(value))
    if temperature == 0.0:
        weight = (value >= best - SAME).astype(np.float64)
    else:
        weight = np.exp((value - best) / temperature)
    return np.asarray((1.0 - slip) * weight / weight.sum() + slip / len(value))


def _meet(flat: ValueLines, steep: ValueLines) -> Floats:
    """Where lines of different slope meet."""
    return np.asarray(-(steep[:, 0] - flat[:, 0]) / (steep[:, 1] - flat[:, 1]))


def _find_crossings(one: ValueLines, other: ValueLines) -> list[float]:
    """Where two maxima of lines cross or touch."""
    if not len(one) or not len(other):
        return []
    difference = one[:, None, :] - other[None, :, :]
    crossing = difference[:, :, 1] != 0.0
    points = np.unique(-difference[:, :, 0][crossing] / difference[:, :, 1][crossing])
    if not len(points):
        return []
    first = (one[:, 0] + points[:, None] * one[:, 1]).max(axis=1)
    second = (other[:, 0] + points[:, None] * other[:, 1]).max(axis=1)
    meets = np.abs(first - second) <= SAME * np.maximum(1.0, np.abs(first))
    return list(map(float, points[meets]))


@kernel
def bound_boxes(first, offset, count, alike, lines, piece, box):  # type: ignore[no-untyped-def]
    """f64[B], an upper bound of log L on each box [u0, u1] x [t0, t1] x [e0, e1], f64[B, 6].

    first, offset, count, alike, lines: `PieceChoices`; piece: int64[B].
    """
    at = lines
    result = np.zeros(len(box))
    for b in range(len(box)):
        c0, c1 = np.tan(box[b, 0]), np.tan(box[b, 1])
        cold, hot = np.exp(box[b, 2]), np.exp(box[b, 3])
        total = 0.0
        for g in range(first[piece[b]], first[piece[b] + 1]):
            begin, end = offset[g], offset[g + 1]
            size = alike[begin:end].sum()
            for a in range(begin, end):
                if count[a] == 0.0:
                    continue
                if at[a, 0] == -np.inf:
                    some = False
                    for other in range(begin, end):
                        some = some or at[other, 0] > -np.inf
                    chance = 0.0 if some else 1.0 / size
                else:
                    norm = 0.0
                    for other in range(begin, end):
                        if at[other, 0] == -np.inf:
                            continue
                        own, slope = at[other, 0] - at[a, 0], at[other, 1] - at[a, 1]
                        less = min(own + c0 * slope, own + c1 * slope)
                        norm += alike[other] * np.exp(min(less / hot if less > 0.0 else less / cold, 700.0))
                    chance = 1.0 / norm
                most = max((1.0 - box[b, 4]) * chance + box[b, 4] / size, (1.0 - box[b, 5]) * chance + box[b, 5] / size)
                total += count[a] * (np.log(most) if most > 0.0 else -np.inf)
        result[b] = total
    return result


@kernel
def integrate_boxes(first, offset, count, alike, lines, piece, box, prior, points, weights):  # type: ignore[no-untyped-def]
    """Integrate L times the prior's density over boxes of (log T, e) at one c; returns scale f64[B], spread f64[B] and
    marginal f64[B, 2, n].

    box: f64[B, 6] as in `bound_boxes`, with u0 = u1. scale: the largest logarithm at a node; spread: by how much the
    smallest is lower. The marginals, over e^scale, are the integrals over the other direction at the nodes of each
    direction, times the node's weight: their sum is the integral over the box. prior: (a, b, the logarithm of what the
    density is divided by) of e^(a - 1) (1 - e)^(b - 1).
    """
    at = lines
    n = len(points)
    scale, spread, marginal = np.zeros(len(box)), np.zeros(len(box)), np.zeros((len(box), 2, n))
    for b in range(len(box)):
        care = np.tan(box[b, 0])
        half = np.empty(2)
        node = np.empty((2, n))
        for d in range(2):
            half[d] = 0.5 * (box[b, 2 * d + 3] - box[b, 2 * d + 2])
            for i in range(n):
                node[d, i] = 0.5 * (box[b, 2 * d + 3] + box[b, 2 * d + 2]) + half[d] * points[i]
        log_likelihood = np.zeros((n, n))
        product = np.ones((n, n))
        for g in range(first[piece[b]], first[piece[b] + 1]):
            begin, end = offset[g], offset[g + 1]
            size = alike[begin:end].sum()
            several = end - begin
            value, weight = np.zeros(several), np.empty(several)
            # lines are subtracted first: where c is huge, equal slopes still differ by their own return
            top = -1
            for a in range(begin, end):
                if at[a, 0] == -np.inf:
                    continue
                if top < 0 or at[a, 0] - at[top, 0] + care * (at[a, 1] - at[top, 1]) > 0.0:
                    top = a
            if top >= 0:
                for a in range(several):
                    more = at[begin + a, 0] - at[top, 0] + care * (at[begin + a, 1] - at[top, 1])
                    value[a] = min(more, 0.0)
            for j in range(n):
                cooled = np.exp(-node[0, j])
                norm = 0.0
                for a in range(several):
                    weight[a] = np.exp(value[a] * cooled)
                    norm += alike[begin + a] * weight[a]
                for a in range(several):
                    times = count[begin + a]
                    if times == 0.0:
                        continue
                    chance = weight[a] / norm
                    if times <= 8.0:
                        for k in range(n):
                            each = (1.0 - node[1, k]) * chance + node[1, k] / size
                            power = each
                            for _ in range(int(times) - 1):
                                power *= each
                            product[j, k] *= power
                            if product[j, k] < 1e-100:
                                log_likelihood[j, k] += np.log(product[j, k])
                                product[j, k] = 1.0
                    else:
                        for k in range(n):
                            each = (1.0 - node[1, k]) * chance + node[1, k] / size
                            log_likelihood[j, k] += times * np.log(each)
        log_likelihood += np.log(product)
        highest, lowest = -np.inf, np.inf
        for k in range(n):
            e = node[1, k]
            density = prior[2]
            if prior[0] > 1.0:
                density += (prior[0] - 1.0) * np.log(e)
            if prior[1] > 1.0:
                density += (prior[1] - 1.0) * np.log1p(-e)
            for j in range(n):
                log_likelihood[j, k] += density
                highest = max(highest, log_likelihood[j, k])
                if log_likelihood[j, k] > -np.inf:
                    lowest = min(lowest, log_likelihood[j, k])
        area = half[0] * half[1]
        for j in range(n):
            for k in range(n):
                mass = area * weights[j] * weights[k] * np.exp(log_likelihood[j, k] - highest)
                marginal[b, 0, j] += mass
                marginal[b, 1, k] += mass
        scale[b], spread[b] = highest, highest - lowest
    return scale, spread, marginal
