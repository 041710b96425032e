"""Theory: values of an infinite horizon lie within their printed bound of closed forms and of much longer horizons."""

from fractions import Fraction
from typing import Any

import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadValue
from multislot.futures import Future
from multislot.learning import Mixture
from multislot.likelihoods import find_likelihood
from multislot.planning import infinite_horizon
from multislot.planning.infinite_horizon import evaluate_endlessly
from multislot.planning.planner import evaluate
from multislot.worlds.environment import copy_observation
from multislot.worlds.table import parse_table
from tests.multislot.test_multislot_near_optimal import random_class, random_table
from tests.printed_json import printed_content

THIRD = Fraction(1, 3)


def table(*rules: list[Any]) -> dict[str, Any]:
    return {"name": "own", "actions": [0], "z0": "s", "rewards": {"0": "0", "1": "1"}, "rules": list(rules)}


@pytest.mark.parametrize("discount", ["0", "1/3", "1/2", "9/10"])
@pytest.mark.parametrize("within", ["3", "1/10", "1/1000000"])
def test_one_reward_in_every_step_is_a_geometric_series(discount: str, within: str) -> None:
    world = table(["s", 1, 0, [["1", {"1": 1}]]])
    values = caregrid.slots(world, within=within, discount=discount)
    exact = 1 / (1 - Fraction(discount))
    assert values.error is not None
    assert values.horizon is not None
    assert abs(values.Q[0] - exact) <= values.error <= Fraction(within)
    assert values.horizon == 1 or caregrid.slots(world, horizon=values.horizon - 1, discount=discount).Q[0] < (
        exact - Fraction(within)
    ), "it looks no further ahead than is needed"


def test_all_copies_of_an_agent_that_leaves_one_behind_in_every_step() -> None:
    """Slot 1 leaves a copy on slot 2, which is paid once and gone: v_1 = 1 + 1 + g v_1 at each step, and v_2 = 0."""
    world = table(["s", 1, 0, [["1", {"1": 1, "2": 1}]]], ["s", 2, 0, [["1", {}]]])
    every = Future(lambda transition: copy_observation(transition.law))
    evaluation, _, error = evaluate_endlessly(parse_table(world, "own"), every, Fraction(1, 10**6), THIRD)
    longer = evaluate(parse_table(world, "own"), every, 60, THIRD).Q[0]
    assert abs(evaluation.Q[0] - longer) <= error <= Fraction(1, 10**6)


@pytest.mark.parametrize("value", ["cpy", "cpy_joint", "every", "first", "minimal", "same_history"])
def test_much_longer_horizons_stay_within_the_bound(value: str) -> None:
    """Four copies at most, so that a discount of 1/9 outweighs them whatever counts."""
    for key in range(12):
        world = random_table(key)
        found = evaluate_endlessly(world, value, Fraction(1, 1 + key), Fraction(1, 9))
        longer = evaluate(world, value, found.horizon + 4, Fraction(1, 9)).Q
        assert found.error <= Fraction(1, 1 + key)
        assert all(abs(longer[action] - q) <= found.error for action, q in found.evaluation.Q.items()), key


def test_discounts_near_1_cost_steps_and_no_digits() -> None:
    """1,600 steps of fractions that gain three digits a step: the sum is 1 / (1 - 999/1000)."""
    alone = caregrid.slots(table(["s", 1, 0, [["1", {"1": 1}]]]), within="200", discount="999/1000")
    assert alone.error is not None
    assert alone.horizon is not None
    assert alone.horizon > 1_000
    assert abs(alone.Q[0] - 1000) <= alone.error <= 200
    assert alone.Q[0].denominator < 10**9


def test_a_horizon_of_millions_is_refused_with_its_cost_at_once() -> None:
    """T = log(within (1 - g) .999) / log g, rounded up; fractions of millions of digits would take minutes."""
    with pytest.raises(BadValue, match=r"horizon 2302674: about [\d,]+ values of actions on slots to work out"):
        caregrid.slots(table(["s", 1, 0, [["1", {"1": 1}]]]), within="1/100000", discount="99999/100000")


@pytest.mark.parametrize("exponent", [0, 1, 2, 1_001, 4_321])
def test_powers_are_rounded_up_by_little(exponent: int) -> None:
    for base in (Fraction(0), THIRD, Fraction(999, 1000), Fraction(1)):
        exact, found = base**exponent, infinite_horizon.raise_rounding_up(base, exponent)
        assert exact <= found <= exact * (1 + Fraction(1, 10**60))


@pytest.mark.parametrize("value", ["cpy", "same_history", "minimal", "dyn", "sta:1"])
def test_rounded_values_stay_within_the_bound_of_exact_ones(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every horizon were long: with a share of the error that is large, so that the grid is coarse."""
    monkeypatch.setattr(infinite_horizon, "LONGEST_EXACT", 0)
    monkeypatch.setattr(infinite_horizon, "ROUNDED_SHARE", Fraction(9, 10))
    policy = None if value in ("cpy", "same_history", "minimal") else lambda history: len(history) % 2
    rounded = 0
    for key in range(8):
        world = random_table(key)
        found = evaluate_endlessly(world, value, Fraction(1, 1 + key), Fraction(1, 9), policy=policy)
        longer = evaluate(world, value, found.horizon + 4, Fraction(1, 9), policy=policy).Q
        assert found.error <= Fraction(1, 1 + key)
        assert all(abs(longer[action] - q) <= found.error for action, q in found.evaluation.Q.items()), key
        rounded += found.evaluation.Q != evaluate(world, value, found.horizon, Fraction(1, 9), policy=policy).Q
    assert rounded


@pytest.mark.parametrize("value", ["cpy", "dyn", "sta:1"])
def test_a_policy_has_values_on_slots_and_in_classes(value: str) -> None:
    for key in range(6):
        mixture = random_class(key, "exists")
        found = evaluate_endlessly(mixture, value, Fraction(1, 2), THIRD, policy=lambda history: len(history) % 2)
        asked = (found.horizon + 3, THIRD)
        longer = evaluate(mixture, value, *asked, policy=lambda history: len(history) % 2).Q
        assert all(abs(longer[action] - q) <= found.error for action, q in found.evaluation.Q.items()), key


def count_time(transition: Any) -> dict[Any, Fraction]:
    return {copy: Fraction(transition.time) for copy in copy_observation(transition.law)}


def test_what_has_no_bound_is_refused_in_one_line() -> None:
    world = parse_table(table(["s", 1, 0, [["1", {"1": 1}]]]), "own")
    pair = Mixture((world, world), (THIRD, THIRD), find_likelihood("exists"))
    for asked, message in (
        ((world, "cpy", THIRD, Fraction(1)), "copies can weigh 1 in the next step"),
        ((world, "cpy", Fraction(0), THIRD), "values within 0; give a number above 0"),
        ((world, "dyn", THIRD, THIRD), "values on a slot need not settle"),
        ((pair, "cpy", THIRD, THIRD), "a class has no values of an infinite horizon"),
        ((world, Future(count_time), THIRD, THIRD), "other copies at other time steps"),
        ((random_table(1), "prime", THIRD, THIRD), "other copies at other time steps"),
    ):
        with pytest.raises(BadValue, match=message):
            evaluate_endlessly(*asked)


@pytest.mark.slow
def test_the_command_prints_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["multislot", "mono", "--within", "1/1000"]) == 0
    assert "infinite horizon: 11 steps ahead, each value is off by at most 0.0009766" in capsys.readouterr().out
    assert main(["multislot", "mono", "--within", "9771/10000000", "--discount", "1/2"]) == 0
    assert "at most 0.0009766" in capsys.readouterr().out, "1/1024, rounded up, and never above what is asked for"
    assert main(["multislot", "half_dup", "--within", "1/100", "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)
    assert (printed["horizon"], printed["error"]) == (8, "1/128")
    for words in (["--horizon", "3"], ["--arithmetic", "float"], ["--simulate", "3", "--policy", "0"]):
        assert main(["multislot", "mono", "--within", "1/9", *words]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert main(["multislot", "exponential", "--within", "1/100"]) == 2
    assert "states of slots can follow, or endlessly many" in capsys.readouterr().err
