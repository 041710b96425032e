"""The posterior of care, temperature and slips under one reward, integrated adaptively.

    evidence = int int int  L(c, T, e)  p(c) p(T) p(e)  dc dT de
    p(c): arctan c uniform over the coefficients with finite values;   p(T): log T uniform;   p(e): a Beta distribution

The domain is cut at every kink of an action value and at c = 0, then in halves, in the directions in which the
integrand is not yet smooth: where its two highest Legendre coefficients are not small against the evidence. Boxes whose
proved upper bound is below 2e-12 of the evidence are left out. A box that is kept has its integrals over two
directions at the Gauss-Lobatto nodes of the third: their polynomial gives the distribution function inside the box.
For exact agents (T = 0) the likelihood does not depend on c between kinks and crossings: only e is integrated.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from craftworld.identification.likelihood import (
    NODES,
    POINTS,
    SAME,
    WEIGHTS,
    Choices,
    bound_boxes,
    integrate_boxes,
)
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats

TOLERANCE = 1e-5
LEFT_OUT = 27.0  # a bound this far below the log evidence: 2e-12 of it
UNSEEN_PEAK = 0.1  # a peak between nodes is higher than at nodes by less than this share of their spread
MOST_HALVINGS = 80
MOST_BOXES = 200_000
_DEGREES = np.arange(NODES)
_NORMS = np.append((2 * _DEGREES[:-1] + 1) / 2, (NODES - 1) / 2)
_TO_COEFFICIENTS = (np.polynomial.legendre.legvander(POINTS, NODES - 1) * _NORMS).T
CARE, TEMPERATURE, SLIP = range(3)


@dataclass(frozen=True)
class Prior:
    """The prior of the parameters.

    temperature: log T is uniform between these two. slip: a and b of the Beta distribution of e, each at least 1.
    """

    temperature: tuple[float, float] = (0.05, 20.0)
    slip: tuple[float, float] = (1.0, 9.0)

    def __post_init__(self) -> None:
        cold, hot = self.temperature
        if not (0.0 < cold < hot < math.inf):
            raise BadValue(f"temperatures from {cold} to {hot}", place="prior", remedy="give two, 0 < lowest < highest")
        if not all(1.0 <= each < math.inf for each in self.slip):
            raise BadValue(f"a Beta distribution of {self.slip}", place="prior", remedy="give two numbers from 1 on")

    @property
    def log_beta(self) -> float:
        """The logarithm of the Beta function at a and b."""
        a, b = self.slip
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@dataclass(frozen=True)
class ParameterPosterior:
    """Of one hypothesis: the logarithm of its evidence, and its mass by boxes.

    box: f64[B, 6], (arctan c, log T, e) from and to. marginal: f64[B, 3, n], the share of the posterior at the nodes of
    each direction; it sums to 1 over boxes and nodes of a direction. free: which of (c, T, e) the hypothesis
    leaves open. finite: the coefficients that have a prior.
    """

    log_evidence: float
    box: Floats
    marginal: Floats
    free: tuple[bool, bool, bool] = (True, True, True)
    finite: tuple[float, float] = (-math.inf, math.inf)

    def find_quantile(self, parameter: int, level: float) -> float:
        """Find the quantile of c, T or e (parameter 0, 1, 2), e.g. the median at level 0.5."""
        low, high = float(self.box[:, 2 * parameter].min()), float(self.box[:, 2 * parameter + 1].max())
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self.find_share_below(parameter, middle) < level:
                low = middle
            else:
                high = middle
        return _from_coordinate(parameter, 0.5 * (low + high))

    def find_share_below(self, parameter: int, coordinate: float) -> float:
        """Find the posterior probability that arctan c, log T or e is below a number."""
        begin, end = self.box[:, 2 * parameter], self.box[:, 2 * parameter + 1]
        mass = self.marginal[:, parameter]
        below = float(mass[end <= coordinate].sum())
        inside = (begin < coordinate) & (coordinate < end)
        if inside.any():
            place = 2.0 * (coordinate - begin[inside]) / (end[inside] - begin[inside]) - 1.0
            below += float((mass[inside] * _integrate_to(place)).sum())
        return min(max(below, 0.0), 1.0)

    def find_interval(self, parameter: int, level: float = 0.9) -> tuple[float, float]:
        """Find the central credible interval of c, T or e."""
        return self.find_quantile(parameter, (1 - level) / 2), self.find_quantile(parameter, (1 + level) / 2)

    @property
    def mode(self) -> tuple[float, float, float]:
        """The middle of the densest box, as (c, T, e)."""
        density = self.marginal[:, 0].sum(axis=1) / np.maximum(_volume(self.box), 1e-300)
        at = self.box[int(density.argmax())]
        middle = [_from_coordinate(n, float(0.5 * (at[2 * n] + at[2 * n + 1]))) for n in range(3)]
        if not self.free[TEMPERATURE]:
            middle[TEMPERATURE] = 0.0
        return middle[0], middle[1], middle[2]


@dataclass(frozen=True)
class _Boxes:
    """Boxes with their integrals. most: the logarithm of what each may hold at most, as far as its nodes say."""

    piece: NDArray[np.int64]
    box: Floats
    scale: Floats
    most: Floats
    marginal: Floats

    @classmethod
    def none(cls) -> _Boxes:
        return cls(np.zeros(0, np.int64), np.zeros((0, 6)), np.zeros(0), np.zeros(0), np.zeros((0, 3, NODES)))

    def add(self, more: _Boxes) -> _Boxes:
        names = ("piece", "box", "scale", "most", "marginal")
        return _Boxes(*(np.concatenate([getattr(self, name), getattr(more, name)]) for name in names))

    def select(self, which: Booleans) -> _Boxes:
        return _Boxes(self.piece[which], self.box[which], self.scale[which], self.most[which], self.marginal[which])

    @property
    def log_total(self) -> float:
        return _add_logarithms([self.scale + np.log(self.marginal[:, 0].sum(axis=1))])


def integrate(choices: Choices, prior: Prior, *, tolerance: float = TOLERANCE) -> ParameterPosterior:
    """Integrate the likelihood over the prior. tolerance: of a box's roughness, against the evidence."""
    points = np.arctan(choices.list_points())
    middles = np.tan(0.5 * (points[:-1] + points[1:]))
    lines = choices.select_lines(middles)
    cold, hot = map(math.log, prior.temperature)
    rows = [
        (n, points[n], points[n + 1], t0, t1, e0, e1)
        for n in range(len(middles))
        for t0, t1 in _cut(cold, hot, 3)
        for e0, e1 in ((0.0, 0.02), (0.02, 0.2), (0.2, 1.0))
        if points[n] < points[n + 1]
    ]
    table = np.array(rows)
    piece, box = table[:, 0].astype(np.int64), np.ascontiguousarray(table[:, 1:])
    norm = -math.log(points[-1] - points[0]) - math.log(hot - cold) - prior.log_beta
    density = np.array([*prior.slip, norm])
    done = _Boxes.none()
    total = -math.inf
    unseen_piece, unseen, unseen_bound = piece[:0], box[:0], np.zeros(0)
    for _ in range(MOST_HALVINGS):
        bound = bound_boxes(choices.offset, choices.count, choices.alike, lines, piece, box)
        bound += np.log(_volume(box)) + norm + _bound_density(box, prior)
        piece, box = np.concatenate([unseen_piece, piece]), np.concatenate([unseen, box])
        bound = np.concatenate([unseen_bound, bound])
        alive = bound > total - LEFT_OUT
        unseen_piece, unseen, unseen_bound = piece[~alive], box[~alive], bound[~alive]
        piece, box, bound = piece[alive], np.ascontiguousarray(box[alive]), bound[alive]
        if len(box) + len(done.box) > MOST_BOXES:
            raise BadValue("behaviour too long to integrate", place="identify", remedy="give fewer episodes")
        scale, spread, marginal = integrate_boxes(
            choices.offset, choices.count, choices.alike, lines, piece, box, density, POINTS, WEIGHTS
        )
        most = np.minimum(bound, scale + np.log(_volume(box)) + UNSEEN_PEAK * spread)
        done = done.add(_Boxes(piece, box, scale, most, marginal))
        total = done.log_total
        rough = _measure_roughness(done.marginal) * np.exp(np.minimum(done.most - total, 0.0))[:, None]
        smooth = rough.max(axis=1) <= tolerance
        if smooth.all() and not (unseen_bound > total - LEFT_OUT).any():
            break
        piece, box = _halve(done.piece[~smooth], done.box[~smooth], rough[~smooth], tolerance)
        done = done.select(smooth)
    else:
        raise BadValue("an integral that does not settle", place="identify", remedy="give fewer episodes")
    boxes, marginals, scales = done.box, done.marginal, done.scale
    share = marginals * np.exp(scales - total)[:, None, None]
    return ParameterPosterior(total, boxes, share, finite=(choices.low, choices.high))


def integrate_exact(choices: Choices, prior: Prior) -> ParameterPosterior:
    """Integrate the likelihood of exact agents: T = 0, optimal actions within 1e-9 equally likely, slips as ever."""
    points = np.arctan(choices.list_points(crossings=True))
    middles = np.tan(0.5 * (points[:-1] + points[1:]))
    chosen = choices.select_lines(middles)
    value = chosen[:, :, 0] + middles[:, None] * chosen[:, :, 1]
    kinds: dict[tuple[float, float], int] = {}
    histogram = np.zeros((len(middles), 0))
    for begin, end in zip(choices.offset[:-1].tolist(), choices.offset[1:].tolist(), strict=True):
        best = value[:, begin:end].max(axis=1)
        optimal = value[:, begin:end] >= best[:, None] - SAME
        tied = optimal @ choices.alike[begin:end]
        size = float(choices.alike[begin:end].sum())
        for n in np.flatnonzero(choices.count[begin:end]).tolist():
            share = np.where(optimal[:, n], 1.0 / tied, 0.0)
            for each in np.unique(share).tolist():
                column = kinds.setdefault((each, size), len(kinds))
                if column == histogram.shape[1]:
                    histogram = np.pad(histogram, ((0, 0), (0, 1)))
                histogram[share == each, column] += choices.count[begin + n]
    edges = _cut_slips(float(choices.count.sum()))
    half = 0.5 * np.diff(edges)
    slip = (0.5 * (edges[:-1] + edges[1:]))[:, None] + half[:, None] * POINTS
    a, b = prior.slip
    with np.errstate(divide="ignore"):
        density = (a - 1) * np.log(slip) if a > 1 else np.zeros_like(slip)
        density = density + ((b - 1) * np.log1p(-slip) if b > 1 else 0.0)
    weight = np.log(half[:, None] * WEIGHTS) + density - prior.log_beta
    patterns, which = np.unique(histogram, axis=0, return_inverse=True)
    chance = np.array([[share, 1.0 / size] for share, size in kinds]).reshape(-1, 2)
    log_chance = np.log(np.maximum((1 - slip)[..., None] * chance[:, 0] + slip[..., None] * chance[:, 1], 1e-300))
    by_pattern = np.stack([weight + log_chance @ pattern for pattern in patterns])
    width = np.log(np.diff(points)) - math.log(points[-1] - points[0])
    log_mass = by_pattern[which.reshape(-1)] + width[:, None, None]
    total = _add_logarithms([log_mass])
    mass = np.exp(log_mass - total)
    worth = mass.sum(axis=2) > 1e-14
    piece, panel = np.nonzero(worth)
    zeros = np.zeros(len(piece))
    box = np.stack([points[piece], points[piece + 1], zeros, zeros, edges[panel], edges[panel + 1]], axis=1)
    kept = mass[piece, panel]
    flat = kept.sum(axis=1)[:, None] * (WEIGHTS / 2.0)
    marginal = np.stack([flat, flat, kept], axis=1)
    return ParameterPosterior(total, box, marginal, (True, False, True), (choices.low, choices.high))


def integrate_random(choices: Choices) -> float:
    """Compute the logarithm of the likelihood of actions at random, all available ones equally likely."""
    taken = np.add.reduceat(choices.count, choices.offset[:-1])
    return float(-(taken * np.log(choices.sizes)).sum())


def _cut_slips(steps: float) -> Floats:
    """Panels of e on which (1 - e)^m e^n is smooth for all m + n <= steps: near 0 geometric, else as wide as a peak."""
    width = min(0.25, 4.0 / math.sqrt(steps + 16.0))
    first = [0.0, *(width * 0.5**k for k in range(max(1, math.ceil(math.log2(steps + 1.0)) + 2), 0, -1))]
    rest = np.linspace(width, 1.0, math.ceil((1.0 - width) / (0.5 * width)) + 1)
    return np.array([*first, *rest])


def _cut(low: float, high: float, parts: int) -> list[tuple[float, float]]:
    edges = np.linspace(low, high, parts + 1).tolist()
    return list(itertools.pairwise(edges))


def _volume(box: Floats) -> Floats:
    sides = box[:, 1::2] - box[:, 0::2]
    return np.asarray(np.where(sides > 0.0, sides, 1.0).prod(axis=1))


def _bound_density(box: Floats, prior: Prior) -> Floats:
    """The logarithm of the largest value of e^(a-1) (1-e)^(b-1) on each box."""
    a, b = prior.slip
    peak = (a - 1.0) / (a + b - 2.0) if a + b > 2.0 else 0.0
    at = np.clip(peak, box[:, 4], box[:, 5])
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = np.where(a > 1.0, (a - 1.0) * np.log(at), 0.0)
        falling = np.where(b > 1.0, (b - 1.0) * np.log1p(-at), 0.0)
    return np.asarray(rising + falling)


def _measure_roughness(marginal: Floats) -> Floats:
    """f64[B, 3], the two highest Legendre coefficients of each marginal density, as a share of its mean."""
    coefficient = marginal @ _TO_COEFFICIENTS.T
    highest = np.abs(coefficient[:, :, -1]) + np.abs(coefficient[:, :, -2])
    return np.asarray(highest / np.maximum(np.abs(coefficient[:, :, 0]), 1e-300))


def _halve(piece: NDArray[np.int64], box: Floats, rough: Floats, tolerance: float) -> tuple[NDArray[np.int64], Floats]:
    """Halve boxes in all directions that are nearly as rough as the roughest."""
    cut = (rough > tolerance) & (rough >= 0.1 * rough.max(axis=1, keepdims=True))
    for direction in range(3):
        chosen = cut[:, direction]
        left, right = box[chosen].copy(), box[chosen].copy()
        middle = 0.5 * (left[:, 2 * direction] + left[:, 2 * direction + 1])
        left[:, 2 * direction + 1] = right[:, 2 * direction] = middle
        box = np.concatenate([box[~chosen], left, right])
        piece = np.concatenate([piece[~chosen], piece[chosen], piece[chosen]])
        cut = np.concatenate([cut[~chosen], cut[chosen], cut[chosen]])
    return piece, np.ascontiguousarray(box)


def _add_logarithms(parts: list[Floats]) -> float:
    """The logarithm of a sum of exponentials."""
    every = np.concatenate([part.reshape(-1) for part in parts])
    top = float(every.max())
    return top + math.log(float(np.exp(every - top).sum()))


def _integrate_to(place: Floats) -> Floats:
    """f64[M, n], the share of each node's polynomial from -1 to a place in [-1, 1], relative to its weight."""
    degrees = np.polynomial.legendre.legvander(place, NODES)
    integral = np.empty((len(place), NODES))
    integral[:, 0] = place + 1.0
    for degree in range(1, NODES):
        integral[:, degree] = (degrees[:, degree + 1] - degrees[:, degree - 1]) / (2 * degree + 1)
    return np.asarray(integral @ _TO_COEFFICIENTS)


def _from_coordinate(parameter: int, coordinate: float) -> float:
    return (
        math.tan(coordinate) if parameter == CARE else math.exp(coordinate) if parameter == TEMPERATURE else coordinate
    )
