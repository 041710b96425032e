"""What is printed of a bound: never as certified where it is above 1e-9 of its scale."""

import math
from fractions import Fraction

import pytest

from caregrid.programmes.caring.outcome_json import describe_loss, write_error, write_exact_number, write_loss
from engine.planning.certificates.interval import Interval, enclose_exactly
from engine.planning.certificates.trade_off import Loss


@pytest.mark.parametrize(
    ("error", "text"),
    [(0.0, "0"), (2e-12, "2.0e-12"), (1e-9, "1.0e-09"), (3e-7, "uncertified: 3.0e-07"), (math.inf, "uncertified")],
)
def test_errors_of_a_table(error: float, text: str) -> None:
    assert write_error(error, 1.0) == text
    assert write_error(1e6 * error, 1e6) == text.replace("-12", "-06").replace("-09", "-03").replace("-07", "-01")


def test_numbers_between_far_bounds_are_not_certified() -> None:
    far = Interval(Fraction(10**8), Fraction(10**8) + Fraction(1, 1000))
    assert write_exact_number(far, 1e8, 1e5) == "not certified to 1e-09 of 100000: within 1.0e-03"
    assert write_exact_number(far, 1e8, 1e8) == "within 1.0e-03"
    assert write_exact_number(enclose_exactly(Fraction(1, 3)), 1 / 3, 1.0) == "exactly 1/3"
    assert write_exact_number(enclose_exactly(Fraction(1, 3)), 0.33, 1.0) == "exactly 1/3, 3.3e-03 away"
    assert write_exact_number(None, 1.0, 1.0) == "not certified: no bound"


@pytest.mark.parametrize(
    ("loss", "epsilon", "begins", "certified"),
    [
        (Loss(Fraction(0), 1.0), 0.0, "certificate: no policy earns more, exactly", True),
        (Loss(Fraction(1, 10**11), 1.0), 0.0, "certificate: no policy earns more by over 1.0e-11", True),
        (
            Loss(Fraction(1, 10**6), 1.0),
            0.0,
            "not certified to 1e-09 of 1: no policy earns more by over 1.0e-06",
            False,
        ),
        (Loss(Fraction(1, 10**6), 1.0, scale=1e4), 0.0, "certificate: no policy earns more by over 1.0e-06", True),
        (Loss(Fraction(1, 2), 1.0), 0.5, "certificate: no policy earns more by over 5.0e-01", True),
        (Loss(Fraction(0), 1.0, Fraction(0), Fraction(1, 100)), 0.0, "not certified to 1e-09", False),
        (Loss(None, 1.0, None, None), 0.0, "not certified: no bound was found", False),
    ],
)
def test_losses(loss: Loss, epsilon: float, begins: str, certified: bool) -> None:
    assert describe_loss(loss, epsilon).startswith(begins)
    assert write_loss(loss, epsilon)["certified"] is certified
