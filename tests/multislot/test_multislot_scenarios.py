"""Claims: the numbers of every worked example are exact; the threshold law holds over a grid of offers."""

from fractions import Fraction
from itertools import product

import pytest

from engine.errors import BadValue, UnknownName
from multislot.planning.planner import evaluate
from multislot.scenarios import SLOT_SCENARIOS, WorkedExample, slot_scenario
from multislot.scenarios.threshold import make_threshold_offer

EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name in SLOT_SCENARIOS
    for number, example in enumerate(slot_scenario(name).examples)
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_worked_examples_hold(name: str, example: WorkedExample) -> None:
    assert example.holds(slot_scenario(name).environment), example.statement


def test_every_scenario_has_examples() -> None:
    assert all(slot_scenario(name).examples for name in SLOT_SCENARIOS)


def test_examples_belong_to_the_default_corridor() -> None:
    assert [
        bool(slot_scenario(f"booth_corridor:{words}").examples) for words in ("copy", "delete", "copy,coloured")
    ] == [
        True,
        False,
        False,
    ]


def test_a_wrong_example_does_not_hold() -> None:
    wrong = WorkedExample("stays", "cpy", {0: "27/20", 1: "0"}, horizon=3)
    assert not wrong.holds(slot_scenario("teleport_move").environment)


@pytest.mark.parametrize("discount", ["1/3", "9/10"])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 3), (3, 2), (5, 1)])
def test_the_threshold_law(n: int, k: int, discount: str) -> None:
    """cpy accepts if and only if m R > n r, whatever k, the discount and the horizon."""
    for m, pay in product(range(n + 1), ("1", "3/2", "2", "5")):
        environment = make_threshold_offer(n, m, k, Fraction(pay), Fraction(1))
        for horizon in (k + 1, k + 4):
            answer = evaluate(environment, "cpy", horizon, Fraction(discount))
            assert (answer.action == "accept") == (m * Fraction(pay) > n)
        assert evaluate(environment, "cpy", k, Fraction(discount)).ties == ("refuse", "accept")


@pytest.mark.parametrize("name", ["threshold:2,3,1,1,1", "threshold:x", "mono:1", "booth_corridor:copy,pink"])
def test_bad_words_after_a_name_are_named(name: str) -> None:
    with pytest.raises(BadValue):
        slot_scenario(name)


def test_an_unknown_machine_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="did you mean 'copy'"):
        slot_scenario("booth_corridor:coppy")
