"""Answers along a number line: break points are exact, and between them the page's numbers are the packages'."""

from bisect import bisect_right
from fractions import Fraction

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.number_lines import LiveSweep, find_break_points, find_simplest_fraction, write_sweep
from caregrid.lessons.page.html_page import SCRIPTS
from caregrid.programmes.extended.film import EnvironmentLabels
from caregrid.programmes.extended.lesson_answers import CopyGame, write_copy_game
from caregrid.programmes.programme import SweepAnswer
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import TERMINAL_WORLDS
from engine.errors import BadValue
from engine.randomness.counter_based import randrange, split
from tests.caregrid.lessons.test_page_solver import page_context

QUICK = ("teleport", "as_if", "self_reflection")


@pytest.mark.parametrize("number", range(20))
def test_break_points_anywhere_are_found_exactly(number: int) -> None:
    key = split(3, number)
    parts = [Fraction(randrange(90, key, i) + 5, 100) + 2 * i for i in range(3)]
    simple = [Fraction(point.numerator, point.denominator) for point in parts]
    found = find_break_points(lambda value: bisect_right(simple, value), Fraction(0), Fraction(6), 9)
    assert found == simple


def test_behaviours_of_one_value_alone_and_irrational_break_points() -> None:
    def touching(value: Fraction) -> int:
        return 2 if value == Fraction(1, 2) else 1

    sweep = LiveSweep(
        "x", "x", Fraction(0), Fraction(1), lambda value: SweepAnswer(str(touching(value)), {"y": value}), "y", "", 2
    )
    assert [each["numbers"]["y"] for each in write_sweep(sweep)["segments"]] == [[0.0, 1.0]]
    (root,) = find_break_points(lambda value: value * value > 2, Fraction(0), Fraction(2), 5)
    assert abs(float(root) - 2**0.5) < 1e-8


@pytest.mark.parametrize(
    ("low", "high", "simplest"),
    [
        ("1/3", "2/5", "1/3"),
        ("0.31", "0.32", "5/16"),
        ("-3", "-2.5", "-3"),
        ("-1", "1", "0"),
        ("-0.4", "-0.35", "-2/5"),
    ],
)
def test_the_simplest_fraction(low: str, high: str, simplest: str) -> None:
    found = find_simplest_fraction(Fraction(low), Fraction(high))
    assert found == Fraction(simplest)


def test_numbers_that_are_no_polynomials_are_refused() -> None:
    answer = SweepAnswer("always", {"y": Fraction(0)})
    sweep = LiveSweep(
        "here", "x", Fraction(0), Fraction(1), lambda x: answer._replace(numbers={"y": 1 / (x + 1)}), "y", ""
    )
    with pytest.raises(BadValue, match="here: 'y' is no polynomial of x; make it part of the behaviour"):
        write_sweep(sweep)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", QUICK)
def test_the_page_says_what_the_packages_say_at_any_value(name: str) -> None:
    page = page_context(*SCRIPTS[: SCRIPTS.index("sweep") + 1])
    for live in LESSONS[name].live():
        if not isinstance(live, LiveSweep):
            continue
        data = write_sweep(live)
        ends = [segment["from"] for segment in data["segments"]]
        for number in range(6):
            key = split(5, live.label)
            value = live.low + (live.high - live.low) * Fraction(randrange(997, key, number) + 1, 999)
            segment = data["segments"][bisect_right(ends, float(value)) - 1]
            answer = live.answer(value)
            assert segment["does"] == answer.does
            for title, exact in answer.numbers.items():
                shown = page.eval(f"sweeps.number({segment['numbers'][title]}, {float(value)})")
                assert shown == pytest.approx(float(exact), rel=1e-9, abs=1e-6)


def test_the_terminal_numbers_are_the_simulations_and_the_break_point_is_a_tie() -> None:
    sweep = LESSONS["input_terminal"].live()[0]
    assert isinstance(sweep, LiveSweep)
    for value in (Fraction(3), Fraction(8)):
        world = TERMINAL_WORLDS["tamper-grid"].make({"payment": str(value)})
        for title, number in sweep.answer(value).numbers.items():
            assert number == simulate(world, PLANNING_AGENTS[title.lower()]).real_return
    tie = Fraction(76, 15)
    below, above = (sweep.answer(tie + side).numbers["ITF"] for side in (Fraction(-1, 10**6), Fraction(1, 10**6)))
    assert below == 26 < above < Fraction(26001, 1000)


def test_the_teleporter_breaks_where_the_rewards_say() -> None:
    by_reward, _, by_probability, _ = LESSONS["teleport"].live()
    assert [each["from"] for each in write_sweep(by_reward)["segments"]] == [-1, 0, 1]
    assert [each["from"] for each in write_sweep(by_probability)["segments"]] == [0, 0.6]


@pytest.mark.parametrize(
    "environment", ["ignore_observations", "crying_baby", "false_memories", "after_images", "deja_vu"]
)
def test_an_environment_that_is_no_table_is_refused(environment: str) -> None:
    labels = EnvironmentLabels(
        {number: str(number) for number in range(4)}, {number: str(number) for number in range(9)}
    )
    with pytest.raises(BadValue, match="play it with 'caregrid play'"):
        write_copy_game(CopyGame("x", environment, 12, 0, labels, "", {}))
