"""Contract: work is refused with its estimate before it is done; numbers are read within bounded length."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.effort import ANY_EFFORT, Effort
from engine.errors import BadValue
from engine.plain_values import MOST_DIGITS, parse_rational, write_rational


def worked(limit: float, sizes: list[int]) -> int:
    """How many steps are begun before the work is refused."""
    work = Effort(limit).in_steps(len(sizes), "things")
    for k, size in enumerate(sizes):
        try:
            work.step(size)
        except BadValue:
            return k
    return len(sizes)


def test_growth_is_extrapolated_and_refused_early() -> None:
    doubling = [2**k for k in range(60)]
    begun = worked(1e6, doubling)
    assert sum(doubling[:begun]) < 1e6 / 20
    assert worked(2**61, doubling) == 60
    work = Effort(1e6).in_steps(60, "things", "here")
    for size in doubling[:begun]:
        work.step(size)
    with pytest.raises(BadValue, match=r"here: about 1e\+18 things to work out; ask for fewer steps, or confirm it"):
        work.step(doubling[begun])


def test_equal_steps_are_added_up() -> None:
    assert worked(1e6, [2] * 400_000) == 400_000
    assert worked(1e6, [2] * 600_000) < 10_000
    assert worked(1e6, list(range(3000))) < 300
    assert worked(1e7, list(range(3000))) == 3000


@given(st.lists(st.integers(0, 10**6), max_size=12))
def test_no_step_goes_beyond_the_limit_and_any_effort_refuses_nothing(sizes: list[int]) -> None:
    assert sum(sizes[: worked(1000, sizes)]) <= 1000
    work = ANY_EFFORT.in_steps(len(sizes), "things")
    for size in sizes:
        work.step(size)
    assert work.done == sum(sizes)


def test_what_is_done_is_shown() -> None:
    seen: list[tuple[int, float]] = []
    work = Effort(show=lambda done, expected: seen.append((done, expected))).in_steps(3, "things")
    for size in (1, 1, 1):
        work.step(size)
    for size in (1, 1, 1):
        work.finish_step(size)
    assert [done for done, _ in seen] == [0, 1, 2, 2, 2, 3]
    assert seen[0][1] == pytest.approx(3)


def test_work_of_a_known_size() -> None:
    Effort(100).require(100, "things")
    with pytest.raises(BadValue, match="place: about 21 things to work out; ask for less"):
        Effort(100).require(21, "things", "place", each=5)
    with pytest.raises(BadValue, match=r"1e\+500"):
        Effort(100).require(10**500, "things")


@pytest.mark.parametrize("text", ["1/3", "0.25", "1e-3", " 2 ", "-4", "1_000", "1E+2", "1e0000000000000000000000003"])
def test_numbers_are_read_as_python_reads_them(text: str) -> None:
    assert parse_rational(text) == Fraction(text)


@pytest.mark.parametrize(
    "text",
    ["1e-100000000", "1e999999999999999999999", "1/" + "9" * 5000, "0." + "3" * 5000, 10**6000, "9" * 5000],
    ids=range(6),
)
def test_long_numbers_are_refused_before_they_are_made(text: object) -> None:
    with pytest.raises(BadValue, match="digits; write it with at most 1,000") as caught:
        parse_rational(text, "discount", "here")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["", "half", "1/0", "nan", "inf", None, True, "1e", "e5", "0x10", "1//2"])
def test_what_is_no_number_is_named(text: object) -> None:
    with pytest.raises(BadValue, match="is not a fraction"):
        parse_rational(text)


def test_floats_are_their_shortest_decimals() -> None:
    assert parse_rational(0.1) == Fraction(1, 10)
    assert parse_rational("9" * MOST_DIGITS) == Fraction(10**MOST_DIGITS - 1)


def test_results_that_cannot_be_printed_say_how_long_they_are() -> None:
    assert write_rational(Fraction(-3, 7)) == "-3/7"
    with pytest.raises(BadValue, match=r"about 6,0\d\d digits; ask for floats"):
        write_rational(Fraction(1, 3**12600))
