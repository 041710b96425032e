"""The one draw from a finite distribution: the definition, and the same positions plain, compiled and by rows."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from engine.randomness import compiled
from engine.randomness.counter_based import inverse_cdf, inverse_cdf_rows, uniform

NUMBERS = st.floats(0.0, 1.0, exclude_max=True)
INTEGERS = st.lists(st.integers(0, 6), min_size=1, max_size=7).filter(any)


@given(INTEGERS, st.data())
@settings(max_examples=200, deadline=None)
def test_it_is_the_first_position_whose_running_sum_exceeds_the_number(weights: list[int], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, sum(weights) - 1))
    place = inverse_cdf(weights, number)
    bounds = [0, *accumulate(weights)]
    assert bounds[place] <= number < bounds[place + 1]
    fractions = [Fraction(weight, sum(weights)) for weight in weights]
    assert inverse_cdf(fractions, Fraction(number, sum(weights))) == place


@given(INTEGERS, st.lists(NUMBERS, min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_plain_compiled_and_rows_give_the_same_positions(weights: list[int], numbers: list[float]) -> None:
    chances = np.array(weights) / sum(weights)
    places = [inverse_cdf(chances, number) for number in numbers]
    assert places == [compiled.inverse_cdf(chances, number) for number in numbers]
    assert places == inverse_cdf_rows(np.tile(chances, (len(numbers), 1)), numbers).tolist()
    assert all(weights[place] > 0 for place in places)


def test_rounding_never_leads_past_the_last_position_of_positive_weight() -> None:
    chances = np.array([0.1] * 9 + [0.1 - 1e-9, 0.0])
    beyond = math.nextafter(1.0, 0.0)
    assert inverse_cdf(chances, beyond) == compiled.inverse_cdf(chances, beyond) == 9
    assert inverse_cdf_rows(chances, beyond) == 9
    assert inverse_cdf([math.nan, math.nan], 0.5) == 0


def test_positions_come_as_often_as_they_weigh() -> None:
    chances, n = [0.5, 0.0, 0.2, 0.3], 20_000
    counts = np.bincount([inverse_cdf(chances, uniform(3, k)) for k in range(n)], minlength=4)
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], n * np.array([0.5, 0.2, 0.3])).pvalue > 1e-4
