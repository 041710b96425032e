"""States that are continuous are noticed early, lattices and pictures are not taken for them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.mdp.enumeration.frozen_values import freeze_value
from engine.mdp.enumeration.walk import FIRST_LOOK, count_continuous_values, keeps_growing

COUNT = 600


def column(value_of: Any) -> list[Any]:
    return [freeze_value(value_of(n)) for n in range(COUNT)]


@pytest.mark.parametrize(
    "value_of",
    [
        lambda n: (n + 0.5) ** 0.5,
        lambda n: np.array([n % 3, np.sin(n + 1.0)], dtype=np.float32),
        lambda n: {"speed": [1, (0.0, np.sin(n + 1.0))]},
        lambda n: (float("nan"), float("inf"), np.sin(n + 1.0)),
    ],
)
def test_a_number_that_hardly_comes_back_is_continuous(value_of: Any) -> None:
    assert count_continuous_values(column(value_of)) > 0.9 * COUNT


@pytest.mark.parametrize(
    "value_of",
    [
        lambda n: n,
        lambda n: float(n),
        lambda n: (0.1 * (n % 25), 0.1 * (n // 25)),
        lambda n: np.array([n % 25, n // 25], dtype=np.float64) / 10,
        lambda n: str(n / 7),
        lambda n: np.full((8, 8, 3), n % 256, dtype=np.uint8),
        lambda n: float("nan"),
        lambda n: None,
    ],
)
def test_what_is_counted_is_not(value_of: Any) -> None:
    assert count_continuous_values(column(value_of)) == 0


def test_few_states_say_nothing() -> None:
    assert count_continuous_values([n / 7 for n in range(FIRST_LOOK - 1)]) == 0
    assert not keeps_growing(FIRST_LOOK - 1, 0)
    assert not keeps_growing(10_000, 9_000)
    assert keeps_growing(10_000, 5_000)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.recursive(st.floats() | st.integers() | st.text(max_size=3), st.lists, max_leaves=6), min_size=1))
def test_any_frozen_values_are_looked_at(parts: list[Any]) -> None:
    """Keys of any shape, of different lengths too, give a number."""
    keys = [freeze_value(parts[n % len(parts)]) for n in range(FIRST_LOOK)]
    assert count_continuous_values(keys) in range(FIRST_LOOK + 1)
