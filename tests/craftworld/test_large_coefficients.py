"""Coefficients that rewards cannot be weighted with are refused; the largest that are taken overflow nothing."""

from collections.abc import Callable
from typing import Any

import pytest

import caregrid
from engine.errors import BadValue

LARGEST = 1e300


@pytest.mark.parametrize(
    "asked",
    [
        lambda x: caregrid.problem().solve(x),
        lambda x: caregrid.problem(own=x).solve(),
        lambda x: caregrid.problem(own=x).solve(x),
        lambda x: caregrid.problem().sweep([-x, 0.0, x]),
        lambda x: caregrid.problem().breakpoints(care_min=-x, care_max=x),
        lambda x: caregrid.problem("garden").compare([0.0, x]),
        lambda x: caregrid.problem("playroom").train(care=x, steps=100),
    ],
)
def test_the_largest_overflow_nothing_and_more_is_refused(asked: Callable[[float], Any]) -> None:
    asked(LARGEST)  # warnings are errors
    for beyond in (1e301, 1e308):
        with pytest.raises(BadValue) as refused:
            asked(beyond)
        assert "\n" not in str(refused.value)
