"""Theory: values in floats differ from those in fractions by no more than the bound, cancellation included."""

import math
from fractions import Fraction
from random import Random

import pytest

from engine.planning.float_filter import FloatError, fits_floats


def draw_number(random: Random) -> Fraction:
    """Of any size: sums of some cancel nearly, and some are too small for a product of floats."""
    return Fraction(
        random.choice((0, 1, 1, -1)) * random.randint(1, 10**6), random.choice((1, 3, 7, 10**6))
    ) * Fraction(10) ** random.choice((0, 0, 6, 12))


@pytest.mark.slow_cases(beyond=24)
@pytest.mark.parametrize("key", range(60))
def test_no_value_is_further_off_than_the_bound(key: int) -> None:
    """Backward induction over chance and choice, once in floats and once in fractions."""
    random = Random(key)
    discount = random.choice((Fraction(9, 10), Fraction(1), Fraction(1, 3), Fraction(1, 10**30)))
    exact, floats = [Fraction(0)] * 4, [0.0] * 4
    error = FloatError()
    for _ in range(40):
        of_states: list[list[tuple[Fraction, float, float]]] = []
        for _state in range(4):
            of_actions = []
            for _action in range(3):
                weights = [random.randint(0, 5) for _ in range(3)]
                weights[0] += 1
                rewards = [draw_number(random) for _ in range(3)]
                total = sum(weights)
                value = sum(
                    (Fraction(w, total) * (r + discount * v) for w, r, v in zip(weights, rewards, exact, strict=False)),
                    Fraction(0),
                )
                rounded = sum(
                    w * (float(r) + float(discount) * v) for w, r, v in zip(weights, rewards, floats, strict=False)
                )
                largest = max(abs(float(r)) for r in rewards)
                of_actions.append((value, rounded / total, largest + float(discount) * error.magnitude))
            of_states.append(of_actions)
        error.back_up(max(size for actions in of_states for _, _, size in actions), roundings=12)
        for actions in of_states:
            best = max(value for value, _, _ in actions)
            threshold = max(rounded for _, rounded, _ in actions) - error.margin
            assert all(abs(Fraction(rounded) - value) <= error.bound for value, rounded, _ in actions)
            assert all(rounded >= threshold for value, rounded, _ in actions if value == best)
        exact = [max(value for value, _, _ in actions) for actions in of_states]
        floats = [max(rounded for _, rounded, _ in actions) for actions in of_states]
        assert 0 < error.margin < 1e-11 * error.magnitude


def test_where_floats_say_nothing_nothing_is_ruled_out() -> None:
    error = FloatError()
    assert error.margin == 0, "after the last step all values are 0"
    error.back_up(0.0, 20)
    assert error.margin == 0, "no reward has been added up yet"
    error.back_up(1.0, 20)
    assert 0 < error.margin < 1e-12
    for size in (1e-300, 0.0, 1e290, math.inf):
        error.back_up(size, 20)
        assert error.margin == math.inf
    assert [fits_floats(Fraction(n)) for n in (0, 1, Fraction(1, 10**300), 10**300)] == [True, True, False, False]
