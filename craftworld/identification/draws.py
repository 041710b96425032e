"""Draws from the posterior of care, temperature and slips together, for programs that take draws.

The marginals are known; the dependence of the three is in the likelihood. So the unit cube of their quantiles is cut
into cells. Each has the posterior's density at its middle quantiles, and rows, columns and layers are scaled until all
marginals are uniform, as they are in quantiles (iterative proportional fitting: Deming and Stephan 1940). A draw is a
cell by its weight, then a uniform place in it. What is neglected is how the dependence changes within a cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from craftworld.identification.likelihood import SAME, Choices
from craftworld.identification.posterior import ParameterPosterior, Prior
from engine.mdp.mdp import Floats
from engine.randomness.compiled import randrange_array
from engine.randomness.counter_based import split

CELLS = (64, 24, 24)
"""For c, T and e, of those that are open."""
UNITS = 2**52
LEAST, ROUNDS = -600.0, 100


class _Axis(NamedTuple):
    """One parameter's cells. edges, middles: coordinates at quantiles. values: the parameter at the middles."""

    edges: Floats
    middles: Floats
    values: Floats

    def place(self, share: Floats) -> Floats:
        """Return the coordinates at quantiles from 0 to 1."""
        known = np.stack([self.edges[:-1], self.middles]).T.ravel()
        coordinates: Floats = np.interp(
            share, np.linspace(0.0, 1.0, 2 * len(self.middles) + 1), [*known, self.edges[-1]]
        )
        return coordinates


def draw_parameters(choices: Choices, posterior: ParameterPosterior, prior: Prior, number: int, seed: int) -> Floats:
    """Draw f64[number, 3]: c, T and e, 0 where the hypothesis leaves no choice. choices: as `integrate` takes them."""
    axes = [_make_axis(posterior, parameter) for parameter in range(3)]
    mass = _weigh_cells(choices, axes, prior)
    key = split(seed, "draws of the posterior")
    below = np.cumsum(mass.ravel())
    chosen = np.searchsorted(below, below[-1] * _draw_uniform(split(key, "cell"), (number,)), side="right")
    cells = np.unravel_index(np.minimum(chosen, mass.size - 1), mass.shape)
    inside = _draw_uniform(split(key, "place"), (3, number))
    drawn = np.zeros((number, 3))
    for parameter, (axis, cell) in enumerate(zip(axes, cells, strict=True)):
        if posterior.free[parameter]:
            coordinate = axis.place((cell + inside[parameter]) / len(axis.middles))
            drawn[:, parameter] = (np.tan, np.exp, np.asarray)[parameter](coordinate)
    return drawn


def _draw_uniform(key: int, shape: tuple[int, ...]) -> Floats:
    return np.asarray((randrange_array(UNITS, key, shape) + 0.5) / UNITS)


def _make_axis(posterior: ParameterPosterior, parameter: int) -> _Axis:
    if not posterior.free[parameter]:
        return _Axis(np.array([0.0, 1.0]), np.zeros(1), np.zeros(1))
    number = CELLS[parameter]
    found = [posterior.find_quantile(parameter, level) for level in np.linspace(0.0, 1.0, 2 * number + 1)]
    values = np.array(found)
    coordinates = (np.arctan, np.log, np.asarray)[parameter](values)
    return _Axis(coordinates[::2], coordinates[1::2], values[1::2])


def _weigh_cells(choices: Choices, axes: list[_Axis], prior: Prior) -> Floats:
    """f64[C, T, E], with uniform marginals."""
    care, temperature, slip = (axis.values for axis in axes)
    a, b = prior.slip
    log_prior = (a - 1.0) * np.log(np.maximum(slip, 1e-300)) + (b - 1.0) * np.log1p(-slip)
    result = np.empty((len(care), len(temperature), len(slip)))
    for row, lines in enumerate(choices.select_lines(care)):
        value = lines[:, 0] + care[row] * np.where(np.isfinite(lines[:, 0]), lines[:, 1], 0.0)
        for column, warm in enumerate(temperature.tolist()):
            chance = compute_alternative_chances(choices, value, warm)
            likely = (1.0 - slip)[:, None] * chance + slip[:, None] / np.repeat(choices.sizes, np.diff(choices.offset))
            taken = choices.count > 0.0
            result[row, column] = (choices.count[taken] * np.log(np.maximum(likely[:, taken], 1e-300))).sum(axis=1)
    result += log_prior
    mass = np.exp(np.maximum(result - result.max(), LEAST))
    for _ in range(ROUNDS):
        for axis in range(3):
            others = tuple(each for each in range(3) if each != axis)
            mass = mass / (mass.sum(axis=others, keepdims=True) * mass.shape[axis])
    return np.asarray(mass)


def compute_alternative_chances(choices: Choices, value: Floats, temperature: float) -> Floats:
    """f64[N], how likely each alternative's actions are, one of them, slips aside. value: f64[N]; -inf: none ends."""
    begin = choices.offset[:-1]
    length = np.diff(choices.offset)
    best = np.repeat(np.maximum.reduceat(value, begin), length)
    hopeless = ~np.isfinite(best)
    above = np.where(hopeless, 0.0, value - np.where(hopeless, 0.0, best))
    weight = (above >= -SAME).astype(np.float64) if temperature == 0.0 else np.exp(above / temperature)
    return np.asarray(weight / np.repeat(np.add.reduceat(choices.alike * weight, begin), length))
