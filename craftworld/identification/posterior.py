"""The posterior of care, temperature and slips under one reward, integrated adaptively.

    evidence = int int int  L(c, T, e)  p(c) p(T) p(e)  dc dT de
    p(c): arctan c uniform over the coefficients with finite values;   p(T): log T uniform;   p(e): a Beta distribution

Coefficients are cut at every kink and crossing of the action values and at c = 0, then in halves; at each of their
nodes log T and e are integrated over boxes, which are halved in the directions in which the integrand is not yet
smooth: where its two highest Legendre coefficients are not small against the evidence. So a ridge along which care and
temperature rise together costs no more than a peak. Boxes whose proved upper bound is below e^-40 of the evidence are
left out. What is kept of each direction is an integral over the other two at Gauss-Lobatto nodes: its polynomial gives
the distribution function. For exact agents (T = 0) the likelihood does not depend on c between cuts: only e is
integrated.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.identification.likelihood import (
    NODES,
    POINTS,
    SAME,
    WEIGHTS,
    Choices,
    PieceChoices,
    bound_boxes,
    integrate_boxes,
)
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats

TOLERANCE = 1e-5
LEFT_OUT = 40.0  # a bound this far below the log evidence, whose first estimate may be too high
LOOKED_AT = 4  # pieces that are integrated for a first estimate
SLACK = 10.0  # by which the first estimate of the evidence may be too high
UNCOUNTED = 1e-13  # a share of the posterior that no quantile needs
UNSEEN_PEAK = 0.1  # a peak between nodes is higher than at nodes by less than this share of their spread
MOST_HALVINGS = 80
MOST_BOXES = 200_000
_DEGREES = np.arange(NODES)
_NORMS = np.append((2 * _DEGREES[:-1] + 1) / 2, (NODES - 1) / 2)
_TO_COEFFICIENTS = (np.polynomial.legendre.legvander(POINTS, NODES - 1) * _NORMS).T
MOST_ARCTAN = math.atan(1e9)
CARE, TEMPERATURE, SLIP = range(3)
BoxNumbers = NDArray[np.int64]


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
class ParameterMarginal:
    """The posterior of one parameter by panels, f64[P] from and to; panels may overlap. mass: f64[P, n], the share of
    the posterior at each node of each panel; it sums to 1."""

    begin: Floats
    end: Floats
    mass: Floats

    def find_share_below(self, coordinate: float) -> float:
        """Find the posterior probability of less than a number."""
        below = float(self.mass[self.end <= coordinate].sum())
        inside = (self.begin < coordinate) & (coordinate < self.end)
        if inside.any():
            begin, end = self.begin[inside], self.end[inside]
            place = 2.0 * (coordinate - begin) / (end - begin) - 1.0
            below += float((self.mass[inside] * _integrate_to(place)).sum())
        return min(max(below, 0.0), 1.0)


@dataclass(frozen=True)
class ParameterPosterior:
    """Of one hypothesis: the logarithm of its evidence, and the marginals of arctan c, log T and e.

    mode: about where the posterior is densest, (c, T, e). free: which of them the hypothesis leaves open. finite: the
    coefficients that have a prior.
    """

    log_evidence: float
    marginal: tuple[ParameterMarginal, ParameterMarginal, ParameterMarginal]
    mode: tuple[float, float, float]
    free: tuple[bool, bool, bool] = (True, True, True)
    finite: tuple[float, float] = (-math.inf, math.inf)

    def find_quantile(self, parameter: int, level: float) -> float:
        """Find the quantile of c, T or e (parameter 0, 1, 2), e.g. the median at level 0.5."""
        of = self.marginal[parameter]
        low, high = float(of.begin.min()), float(of.end.max())
        for _ in range(48):
            middle = 0.5 * (low + high)
            if of.find_share_below(middle) < level:
                low = middle
            else:
                high = middle
        return _from_coordinate(parameter, 0.5 * (low + high))

    def find_share_below(self, parameter: int, coordinate: float) -> float:
        """Find the posterior probability that arctan c, log T or e is below a number."""
        return self.marginal[parameter].find_share_below(coordinate)

    def find_interval(self, parameter: int, level: float = 0.9) -> tuple[float, float]:
        """Find the central credible interval of c, T or e."""
        return self.find_quantile(parameter, (1 - level) / 2), self.find_quantile(parameter, (1 + level) / 2)


@dataclass(frozen=True)
class _Boxes:
    """Boxes of (log T, e) at one c each, f64[B, 6], with their integrals as `integrate_boxes` gives them. owner: the
    node of care. most: the logarithm of what each may add to the evidence at most, as far as its nodes say."""

    owner: BoxNumbers
    box: Floats
    scale: Floats
    most: Floats
    marginal: Floats

    @classmethod
    def none(cls) -> _Boxes:
        return cls(np.zeros(0, np.int64), np.zeros((0, 6)), np.zeros(0), np.zeros(0), np.zeros((0, 2, NODES)))

    def add(self, more: _Boxes) -> _Boxes:
        names = ("owner", "box", "scale", "most", "marginal")
        return _Boxes(*(np.concatenate([getattr(self, name), getattr(more, name)]) for name in names))

    def select(self, which: Booleans | BoxNumbers | slice) -> _Boxes:
        return _Boxes(self.owner[which], self.box[which], self.scale[which], self.most[which], self.marginal[which])

    @property
    def log_mass(self) -> Floats:
        """f64[B], the logarithm of each box's integral."""
        return np.asarray(self.scale + np.log(self.marginal[:, 0].sum(axis=1)))


class _Cut(NamedTuple):
    """Coefficients from and to, as arctan c, within a piece."""

    piece: int
    begin: float
    end: float

    def halve(self) -> tuple[_Cut, _Cut]:
        middle = 0.5 * (self.begin + self.end)
        return _Cut(self.piece, self.begin, middle), _Cut(self.piece, middle, self.end)


@dataclass(frozen=True)
class _Panel:
    """Coefficients with what they add to the evidence. log_parts: f64[n], the logarithm of what each node adds. error:
    about the logarithm of what their sum may be wrong by. boxes: those of each node, by owner modulo n."""

    cut: _Cut
    log_parts: Floats
    error: float
    boxes: _Boxes

    @classmethod
    def of(cls, cut: _Cut, boxes: _Boxes) -> _Panel:
        """Add up the boxes of a panel."""
        log_mass = boxes.log_mass
        highest = float(log_mass.max(initial=-np.inf))
        if highest == -np.inf:
            return cls(cut, np.full(NODES, -np.inf), -np.inf, boxes)
        weight = 0.5 * (cut.end - cut.begin) * WEIGHTS
        parts = weight * np.bincount(boxes.owner % NODES, np.exp(log_mass - highest), NODES)
        with np.errstate(divide="ignore"):
            log_density = np.log(parts / weight)
        seen = log_density[np.isfinite(log_density)]
        rough = float(_measure_roughness(parts[None, None, :])[0, 0])
        most = float(seen.max()) + UNSEEN_PEAK * float(seen.max() - seen.min()) + math.log(cut.end - cut.begin)
        with np.errstate(divide="ignore"):
            return cls(cut, highest + np.log(parts), highest + most + math.log(max(rough, 1e-300)), boxes)

    @property
    def log_weight(self) -> Floats:
        """f64[B], the logarithm of the weight of each box's node."""
        return np.asarray(np.log(0.5 * (self.cut.end - self.cut.begin) * WEIGHTS)[self.boxes.owner % NODES])


class _Integrator:
    """Integrates log T and e at coefficients that lie in pieces, each with one line for every alternative."""

    def __init__(self, choices: PieceChoices, prior: Prior, norm: float, tolerance: float) -> None:
        self.choices, self.prior, self.tolerance = choices, prior, tolerance
        self.norm = norm - prior.log_beta
        cold, hot = map(math.log, prior.temperature)
        slips = [0.0, 0.02, 0.2, 1.0]
        self.cells = np.array([(*t, *e) for t in _cut(cold, hot, 3) for e in itertools.pairwise(slips)])
        self.whole = np.array([[cold, hot, 0.0, 1.0]])

    def guess_evidence(self, cuts: list[_Cut]) -> float:
        """The logarithm of about the evidence: a look at the middle of each piece, then a good look at the best."""
        piece, begin, end = (np.array(each) for each in zip(*cuts, strict=True))
        care, log_width = 0.5 * (begin + end), np.log(end - begin)
        box = np.column_stack([care, care, np.repeat(self.whole, len(cuts), axis=0)])
        rough = self._integrate_boxes(piece, box, log_width).log_mass + log_width
        best = np.argsort(rough)[-LOOKED_AT:]
        cell = np.tile(self.cells, (len(best), 1))
        owner = np.repeat(np.arange(len(best)), len(self.cells))
        good = self._integrate_nodes(piece[best], care[best], log_width[best], owner, cell, -math.inf)
        return _add_logarithms([good.log_mass + log_width[best][good.owner]])

    def make_panels(self, cuts: list[_Cut], others: float, guess: float) -> list[_Panel]:
        """Integrate over T and e at the nodes of panels. others: the logarithm of the evidence of all other panels;
        guess: of about all."""
        cut, cell = self._find_cells(cuts, guess)
        alive = np.unique(cut)
        cuts, cut = [cuts[n] for n in alive.tolist()], np.searchsorted(alive, cut)
        if not cuts:
            return []
        piece, begin, end = (np.array(each) for each in zip(*cuts, strict=True))
        half = 0.5 * (end - begin)
        care = (0.5 * (begin + end)[:, None] + half[:, None] * POINTS).ravel()
        log_weight = np.log(half[:, None] * WEIGHTS).ravel()
        owner = (cut[:, None] * NODES + np.arange(NODES)).ravel()
        done = self._integrate_nodes(
            np.repeat(piece, NODES), care, log_weight, owner, np.repeat(cell, NODES, axis=0), max(others, guess - SLACK)
        )
        order = np.argsort(done.owner, kind="stable")
        done = done.select(order)
        ends = np.searchsorted(done.owner // NODES, np.arange(len(cuts) + 1))
        return [_Panel.of(one, done.select(slice(*ends[n : n + 2].tolist()))) for n, one in enumerate(cuts)]

    def _bound(self, piece: BoxNumbers, box: Floats) -> Floats:
        """f64[B], the logarithm of what a unit of arctan c in each box may add at most."""
        bound = bound_boxes(*self.choices, piece, box)
        return np.asarray(bound + np.log(_area(box)) + self.norm + _bound_density(box, self.prior))

    def _find_cells(self, cuts: list[_Cut], guess: float) -> tuple[BoxNumbers, Floats]:
        """For each panel the cells of (log T, e) that may count: the number of the panel, and f64[M, 4].

        A cell is quartered while at most half of its quarters remain.
        """
        piece, begin, end = (np.array(each) for each in zip(*cuts, strict=True))
        cut, cell = np.repeat(np.arange(len(cuts)), len(self.cells)), np.tile(self.cells, (len(cuts), 1))
        kept_cut, kept = [np.zeros(0, np.int64)], [np.zeros((0, 4))]
        first = True
        while len(cell):
            quarters = cell if first else np.concatenate([_take_quarter(cell, n) for n in range(4)])
            of = cut if first else np.tile(cut, 4)
            box = np.column_stack([begin[of], end[of], quarters])
            alive = self._bound(piece[of], box) + np.log(end - begin)[of] > guess - LEFT_OUT
            if first:
                cut, cell, first = cut[alive], cell[alive], False
                continue
            left = alive.reshape(4, -1)
            final = left.sum(axis=0) > 2
            kept_cut.append(cut[final])
            kept.append(cell[final])
            going = (left & ~final).ravel()
            cut, cell = of[going], quarters[going]
        return np.concatenate(kept_cut), np.concatenate(kept)

    def _integrate_boxes(self, piece: BoxNumbers, box: Floats, log_weight: Floats) -> _Boxes:
        density = np.array([*self.prior.slip, self.norm])
        scale, spread, marginal = integrate_boxes(*self.choices, piece, box, density, POINTS, WEIGHTS)
        most = scale + np.log(_area(box)) + UNSEEN_PEAK * spread + log_weight
        return _Boxes(np.arange(len(box)), box, scale, most, marginal)

    def _integrate_nodes(
        self, piece: BoxNumbers, care: Floats, log_weight: Floats, owner: BoxNumbers, cell: Floats, others: float
    ) -> _Boxes:
        """Integrate cells of (log T, e), f64[M, 4], each at the coefficient of its owner."""
        done, total = _Boxes.none(), others
        box = np.column_stack([care[owner], care[owner], cell])
        for _ in range(MOST_HALVINGS):
            bound = self._bound(piece[owner], box) + log_weight[owner]
            alive = bound > total - LEFT_OUT
            owner, box, bound = owner[alive], np.ascontiguousarray(box[alive]), bound[alive]
            if len(box) + len(done.box) > MOST_BOXES:
                raise BadValue("behaviour too long to integrate", place="identify", remedy="give fewer episodes")
            new = self._integrate_boxes(piece[owner], box, log_weight[owner])
            done = done.add(replace(new, owner=owner, most=np.minimum(bound, new.most)))
            total = float(np.logaddexp(others, _add_logarithms([done.log_mass + log_weight[done.owner]])))
            rough = _measure_roughness(done.marginal) * np.exp(np.minimum(done.most - total, 0.0))[:, None]
            smooth = rough.max(axis=1, initial=0.0) <= self.tolerance
            if smooth.all():
                return done
            owner, box = _halve(done.owner[~smooth], done.box[~smooth], rough[~smooth], self.tolerance)
            done = done.select(smooth)
        raise BadValue("an integral that does not settle", place="identify", remedy="give fewer episodes")


def integrate(choices: Choices, prior: Prior, *, tolerance: float = TOLERANCE) -> ParameterPosterior:
    """Integrate the likelihood over the prior. tolerance: of a panel's roughness, against the evidence."""
    points = np.arctan(choices.list_points(crossings=True))
    middles = np.tan(0.5 * (points[:-1] + points[1:]))
    cold, hot = map(math.log, prior.temperature)
    norm = -math.log(points[-1] - points[0]) - math.log(hot - cold)
    integrator = _Integrator(PieceChoices.of(choices, middles), prior, norm, tolerance)
    cuts = [_Cut(n, points[n], points[n + 1]) for n in range(len(middles)) if points[n] < points[n + 1]]
    total = guess = integrator.guess_evidence(cuts)
    panels: list[_Panel] = []
    others = -math.inf
    for _ in range(MOST_HALVINGS):
        panels += integrator.make_panels(cuts, others, guess)
        total = _add_logarithms([each.log_parts for each in panels])
        settled = [each.error <= math.log(tolerance) + total for each in panels]
        if all(settled):
            return _gather_posterior(panels, total, (choices.low, choices.high))
        cuts = [half for each, fine in zip(panels, settled, strict=True) if not fine for half in each.cut.halve()]
        panels = [each for each, fine in zip(panels, settled, strict=True) if fine]
        others = _add_logarithms([each.log_parts for each in panels])
        guess = total
    raise BadValue("an integral that does not settle", place="identify", remedy="give fewer episodes")


def _gather_posterior(panels: list[_Panel], total: float, finite: tuple[float, float]) -> ParameterPosterior:
    panels = [each for each in panels if len(each.boxes.box)]
    begin, end = (np.array([each.cut[n] for each in panels]) for n in (1, 2))
    care = ParameterMarginal(begin, end, np.exp(np.stack([each.log_parts for each in panels]) - total))
    box = np.concatenate([each.boxes.box for each in panels])
    scale = np.concatenate([each.boxes.scale + each.log_weight for each in panels]) - total
    mass = np.concatenate([each.boxes.marginal for each in panels]) * np.exp(scale)[:, None, None]
    densest = box[
        int(np.concatenate([each.boxes.log_mass - np.log(_area(each.boxes.box)) for each in panels]).argmax())
    ]
    inside = min(max(densest[0], -MOST_ARCTAN), MOST_ARCTAN)
    middle = (math.tan(inside), math.exp(0.5 * (densest[2] + densest[3])), 0.5 * float(densest[4] + densest[5]))
    counts = mass[:, 0].sum(axis=1) > UNCOUNTED
    box, mass = box[counts], mass[counts]
    temperature, slip = (
        ParameterMarginal(box[:, 2 * n], box[:, 2 * n + 1], mass[:, n - 1]) for n in (TEMPERATURE, SLIP)
    )
    return ParameterPosterior(total, (care, temperature, slip), middle, finite=finite)


def integrate_exact(choices: Choices, prior: Prior) -> ParameterPosterior:
    """Integrate the likelihood of exact agents: T = 0, optimal actions within 1e-9 equally likely, slips as ever."""
    points = np.unique(np.arctan(choices.list_points(crossings=True)))  # huge ones have one arctan
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
    edges, slip, weight = _weigh_slips(float(choices.count.sum()), prior)
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
    kept = mass[piece, panel]
    flat = kept.sum(axis=1)[:, None] * (WEIGHTS / 2.0)
    zeros = np.zeros(len(piece))
    marginal = (
        ParameterMarginal(points[piece], points[piece + 1], flat),
        ParameterMarginal(zeros, zeros, flat),
        ParameterMarginal(edges[panel], edges[panel + 1], kept),
    )
    densest = int((kept.sum(axis=1) / (points[piece + 1] - points[piece]) / np.diff(edges)[panel]).argmax())
    inside = float(np.tan(0.5 * (points[piece[densest]] + points[piece[densest] + 1])))
    slips = float(0.5 * (edges[panel[densest]] + edges[panel[densest] + 1]))
    return ParameterPosterior(total, marginal, (inside, 0.0, slips), (True, False, True), (choices.low, choices.high))


def integrate_random(choices: Choices) -> float:
    """Compute the logarithm of the likelihood of actions at random, all available ones equally likely."""
    taken = np.add.reduceat(choices.count, choices.offset[:-1])
    return float(-(taken * np.log(choices.sizes)).sum())


def _weigh_slips(steps: float, prior: Prior) -> tuple[Floats, Floats, Floats]:
    """The ends of panels of e, f64[P + 1], their nodes, and the logarithm of the nodes' weights, f64[P, n] each."""
    edges = _cut_slips(steps)
    half = 0.5 * np.diff(edges)
    slip = (0.5 * (edges[:-1] + edges[1:]))[:, None] + half[:, None] * POINTS
    a, b = prior.slip
    with np.errstate(divide="ignore"):
        density = (a - 1) * np.log(slip) if a > 1 else np.zeros_like(slip)
        density = density + ((b - 1) * np.log1p(-slip) if b > 1 else 0.0)
    return edges, slip, np.log(half[:, None] * WEIGHTS) + density - prior.log_beta


def list_slip_nodes(steps: float, prior: Prior) -> tuple[Floats, Floats]:
    """List slips by rising rate, f64[N], at which to add up the likelihood of so many steps; and log weights."""
    _, slip, weight = _weigh_slips(steps, prior)
    order = np.argsort(slip, axis=None, kind="stable")
    return slip.reshape(-1)[order], weight.reshape(-1)[order]


def _cut_slips(steps: float) -> Floats:
    """Panels of e on which (1 - e)^m e^n is smooth for all m + n <= steps: near 0 geometric, else as wide as a peak."""
    width = min(0.25, 4.0 / math.sqrt(steps + 16.0))
    first = [0.0, *(width * 0.5**k for k in range(max(1, math.ceil(math.log2(steps + 1.0)) + 2), 0, -1))]
    rest = np.linspace(width, 1.0, math.ceil((1.0 - width) / (0.5 * width)) + 1)
    return np.array([*first, *rest])


def _cut(low: float, high: float, parts: int) -> list[tuple[float, float]]:
    edges = np.linspace(low, high, parts + 1).tolist()
    return list(itertools.pairwise(edges))


def _take_quarter(cell: Floats, number: int) -> Floats:
    """f64[M, 4], one of the four quarters of each cell."""
    quarter = cell.copy()
    for direction in range(2):
        middle = 0.5 * (cell[:, 2 * direction] + cell[:, 2 * direction + 1])
        quarter[:, 2 * direction + (number >> direction & 1)] = middle
    return quarter


def _area(box: Floats) -> Floats:
    return np.asarray((box[:, 3] - box[:, 2]) * (box[:, 5] - box[:, 4]))


def _bound_density(box: Floats, prior: Prior) -> Floats:
    """Return the logarithm of the largest value of e^(a-1) (1-e)^(b-1) on each box."""
    a, b = prior.slip
    peak = (a - 1.0) / (a + b - 2.0) if a + b > 2.0 else 0.0
    at = np.clip(peak, box[:, 4], box[:, 5])
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = np.where(a > 1.0, (a - 1.0) * np.log(at), 0.0)
        falling = np.where(b > 1.0, (b - 1.0) * np.log1p(-at), 0.0)
    return np.asarray(rising + falling)


def _measure_roughness(marginal: Floats) -> Floats:
    """f64[B, D], the two highest Legendre coefficients of each marginal density, as a share of its mean."""
    coefficient = marginal @ _TO_COEFFICIENTS.T
    highest = np.abs(coefficient[:, :, -1]) + np.abs(coefficient[:, :, -2])
    return np.asarray(highest / np.maximum(np.abs(coefficient[:, :, 0]), 1e-300))


def _halve(owner: BoxNumbers, box: Floats, rough: Floats, tolerance: float) -> tuple[BoxNumbers, Floats]:
    """Halve boxes of (log T, e) in all directions that are nearly as rough as the roughest."""
    cut = (rough > tolerance) & (rough >= 0.1 * rough.max(axis=1, keepdims=True))
    for direction in range(2):
        chosen, first = cut[:, direction], 2 * direction + 2
        left, right = box[chosen].copy(), box[chosen].copy()
        left[:, first + 1] = right[:, first] = 0.5 * (left[:, first] + left[:, first + 1])
        box = np.concatenate([box[~chosen], left, right])
        owner = np.concatenate([owner[~chosen], owner[chosen], owner[chosen]])
        cut = np.concatenate([cut[~chosen], cut[chosen], cut[chosen]])
    return owner, np.ascontiguousarray(box)


def _add_logarithms(parts: list[Floats]) -> float:
    """Return the logarithm of a sum of exponentials."""
    every = np.concatenate([np.array([-np.inf]), *(part.reshape(-1) for part in parts)])
    top = float(every.max())
    if top == -math.inf:
        return top
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
