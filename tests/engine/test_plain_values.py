"""Values as Python's own and as JSON can hold them."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from engine.plain_values import finite_or_none, make_json_value, make_python_value


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.float64(0.5), 0.5), (np.int32(3), 3), (np.bool_(True), True), (np.array(2.0), 2.0), (7, 7), ("x", "x")],
)
def test_scalars_become_pythons_own(value: object, expected: object) -> None:
    assert make_python_value(value) == expected
    assert type(make_python_value(value)) is type(expected)


def test_arrays_and_other_objects_stay() -> None:
    for value in (np.zeros(2), None, (1, 2), Fraction(1, 2)):
        assert make_python_value(value) is value


def test_only_finite_numbers_stay() -> None:
    numbers = (0.5, -2.0, math.inf, -math.inf, math.nan)
    assert [finite_or_none(number) for number in numbers] == [0.5, -2.0, None, None, None]


def test_json_values_are_strict_json() -> None:
    value = {
        1: (math.nan, math.inf, -math.inf, np.float32(0.25)),
        "half": Fraction(1, 2),
        "whole": Fraction(3),
        "table": {"rows": np.array([[1.0, math.nan]])},
        "flags": [True, None, "text"],
    }
    text = json.dumps(make_json_value(value), allow_nan=False)
    assert json.loads(text) == {
        "1": [None, None, None, 0.25],
        "half": "1/2",
        "whole": "3",
        "table": {"rows": [[1.0, None]]},
        "flags": [True, None, "text"],
    }
