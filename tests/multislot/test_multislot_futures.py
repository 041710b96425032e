"""Theory: the other futures of section 4, on tables small enough to count by hand; crowds under a given policy."""

from fractions import Fraction
from typing import Any

import pytest

from engine.errors import BadValue, UnknownName
from multislot.crowds import evaluate_crowd, find_crowd
from multislot.futures import find_future
from multislot.futures.slot_centred import find_nth_prime
from multislot.learning import make_single_environment
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.worlds.table import table_environment

HALF = Fraction(1, 2)
PAID = {"a": "1", "b": "2", "c": "4", "d": "8"}


def triplets(probability: str = "1") -> Any:
    """Action 0 makes three copies on slots 2, 3 and 5, paid 1, 4 and 2, with some probability, else deletes."""
    law = [[probability, {"2": "a", "3": "c", "5": "b"}], [str(1 - Fraction(probability)), {}]]
    stay = [["s", slot, "*", [["1", {str(slot): "d"}]]] for slot in (1, 2, 3, 5)]
    return table_environment(
        name="triplets",
        actions=[0, 1],
        rewards=PAID,
        z0="first",
        rules=[["first", 1, 0, law], ["first", 1, 1, [["1", {"1": "b"}]]], *stay],
        update=[["first", "*", "*", "s"]],
    )


@pytest.mark.parametrize(
    ("value", "one_step", "two_steps"),
    [
        ("every", "7", "19"),
        ("cpy", "7/3", "19/3"),
        ("cpy_joint", "7/3", "19/3"),
        ("first", "1", "5"),
        ("minimal", "1", "5"),
        ("same_history", "7/3", "19/3"),
        ("slot:3", "4", "8"),
        ("slot:1", "0", "0"),
        ("prime", "1", "1"),
        ("sta:1", "0", "0"),
        ("dyn", "0", "0"),
    ],
)
def test_what_each_future_counts(value: str, one_step: str, two_steps: str) -> None:
    """One step later every copy is paid 8; "slot:3" and "prime" count it for the copy on slot 3 or not at all."""
    environment = triplets()
    assert evaluate(environment, value, 1, HALF).Q[0] == Fraction(one_step)
    assert evaluate(environment, value, 2, HALF).Q[0] == Fraction(two_steps)


COUNTED = ("cpy", "cpy_joint", "dyn", "every", "first", "minimal", "prime", "same_history")


def test_chances_of_copying() -> None:
    """Three copies with probability 1/3: the printed weights are 1/3 each, times the chance; first and minimal too."""
    worth = {value: evaluate(triplets("1/3"), value, 1, HALF).Q[0] for value in COUNTED}
    assert worth == {
        "cpy": Fraction(7, 9),
        "cpy_joint": Fraction(7, 9),
        "dyn": 0,
        "every": Fraction(7, 3),
        "first": Fraction(1, 3),
        "minimal": Fraction(1, 3),
        "prime": Fraction(1, 3),
        "same_history": Fraction(7, 3) / Fraction(5, 3),
    }


def test_minimal_shares_between_equally_bad_copies_and_primes_go_on() -> None:
    law = [["1", {"1": "a", "2": "a", "3": "b"}]]
    environment = table_environment(name="equal", actions=[0], rewards=PAID, z0="s", rules=[["s", "*", 0, law]])
    assert evaluate(environment, "minimal", 1, HALF).V == 1
    assert [find_nth_prime(n) for n in range(1, 8)] == [2, 3, 5, 7, 11, 13, 17]


def test_agents_with_one_history_have_a_say_by_their_copies() -> None:
    """In the split tree slots 1 and 2 share a history; slot 2 makes two copies and slot 1 one."""
    environment = table_environment(
        name="say",
        actions=[0],
        rewards=PAID,
        z0="1",
        rules=[
            ["1", 1, 0, [["1", {"1": "a", "2": "a"}]]],
            ["2", 1, 0, [["1", {"1": "d"}]]],
            ["2", 2, 0, [["1", {"2": "a", "3": "a"}]]],
        ],
        update=[["1", "*", "*", "2"]],
    )
    assert Fraction(9, 2) == evaluate(environment, "cpy", 1, HALF, ((0, "a"),)).V
    assert Fraction(10, 3) == evaluate(environment, "same_history", 1, HALF, ((0, "a"),)).V


def test_unreachable_histories_are_worth_nothing() -> None:
    for value in ("cpy", "cpy_joint", "dyn", "sta:1", "every", "first", "minimal", "prime", "same_history", "slot:1"):
        answer = evaluate(triplets(), value, 3, HALF, ((1, "d"),))
        assert (set(answer.Q.values()), answer.V, answer.action, answer.ties) == ({0}, 0, 0, (0, 1))
        assert (answer.P, answer.slot_Q) == ({}, {})


def test_a_horizon_of_zero_steps() -> None:
    answer = evaluate(triplets(), "cpy", 0, HALF)
    assert (answer.Q, answer.slot_Q) == ({0: 0, 1: 0}, {1: {0: 0, 1: 0}})
    assert not evaluate(triplets(), "sta:2", 0, HALF).slot_Q, "the agent has never been on slot 2"


@pytest.mark.parametrize("name", ["sta", "sta:0", "sta:x", "cpy:1", "slot:"])
def test_futures_say_what_slot_they_need(name: str) -> None:
    with pytest.raises(BadValue, match=name):
        find_future(name)


def test_unknown_futures_get_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="did you mean 'cpy_joint'"):
        find_future("cpy_jont")


@pytest.mark.parametrize(("horizon", "discount"), [(-1, HALF), (1, Fraction(3, 2)), (1, Fraction(-1))])
def test_bad_numbers_are_named(horizon: int, discount: Fraction) -> None:
    with pytest.raises(BadValue):
        evaluate(triplets(), "cpy", horizon, discount)


def test_policies_are_evaluated_by_any_future() -> None:
    """Cycling 1, 0: 2 on slot 1, then 8 where one is; action 0 first, then the policy goes on at the same time."""
    mixture = make_single_environment(triplets())
    cycle = make_slot_policy("cycle:1,0", PolicyContext(mixture))
    answer = evaluate(mixture, "cpy", 2, HALF, policy=cycle)
    assert (answer.action, answer.V) == (1, 6)
    assert answer.Q[0] == Fraction(19, 3)
    trick = slot_scenario("consistency").environment
    bad = make_slot_policy("always:0", PolicyContext(make_single_environment(trick)))
    worth = {value: evaluate(trick, value, 2, HALF, policy=bad).Q for value in ("dyn", "cpy")}
    assert worth == {"dyn": {0: Fraction(1, 5), 1: Fraction(1, 3)}, "cpy": {0: Fraction(1, 5), 1: Fraction(1, 6)}}


@pytest.mark.parametrize("value", ["cpy", "dyn", "sta:1"])
def test_optimal_agents_do_later_what_they_expect_to_do(value: str) -> None:
    """Time consistency: evaluating an optimal agent's own policy gives its own value, at every horizon."""
    for name in ("consistency", "split_tree", "rooms_alike", "half_copy", "there_and_back"):
        environment = slot_scenario(name).environment
        for horizon in (1, 2, 3):
            own = make_slot_policy(value, PolicyContext(make_single_environment(environment), horizon))
            optimal = evaluate(environment, value, horizon, HALF)
            assert evaluate(environment, value, horizon, HALF, policy=own).V == optimal.V


def test_crowds_count_others() -> None:
    """All agents of the split tree choose 1: 0, 0, then 4/5 on slots 2 and 3; those that chose 0 first are counted."""
    mixture = make_single_environment(slot_scenario("split_tree").environment)
    always = make_slot_policy("always:1", PolicyContext(mixture))
    everyone = evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), always, 3, HALF)
    assert {0: Fraction(2, 5), 1: Fraction(2, 5)} == everyone.Q
    assert (everyone.action, everyone.V) == (1, Fraction(2, 5))
    said = evaluate_crowd(mixture, find_crowd("has_output:01", mixture), always, 3, HALF)
    assert {0: Fraction(2, 5), 1: 0} == said.Q
    later = evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), always, 1, HALF, ((1, 0), (1, 0)))
    assert {0: 1, 1: Fraction(8, 5)} == later.Q


def test_a_common_ancestor_is_estimated_where_there_are_several() -> None:
    """Two founders with one history: each is mine with probability 1/2, and slot 2's line is paid 8."""
    rules = [["s", 1, 0, [["1", {"1": "a"}]]], ["s", 2, 0, [["1", {"2": "a", "3": "d"}]]]]
    mixture = make_single_environment(
        table_environment(name="founders", actions=[0], rewards=PAID, init=[1, 2], z0="s", rules=rules)
    )
    answer = evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), lambda history: 0, 1, HALF)
    assert answer.V == HALF * 1 + HALF * 9


def test_a_crowd_is_what_the_history_lets_it_be() -> None:
    """Half the time slot 2 is woken beside slot 1: who woke up there knows of both, who woke up on slot 1 does not."""
    rules: list[Any] = [["s", 1, 0, [["1/2", {"1": "a"}], ["1/2", {"1": "a", "2": "b"}]]]]
    rules += [["later", slot, 0, [["1", {str(slot): "c"}]]] for slot in (1, 2)]
    update = [["s", "*", "*", "later"]]
    mixture = make_single_environment(
        table_environment(name="beside", actions=[0], rewards=PAID, z0="s", rules=rules, update=update)
    )
    worth = {
        seen: evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), lambda past: 0, 1, HALF, ((0, seen),)).V
        for seen in ("a", "b", "c")
    }
    assert worth == {"a": 4 + HALF * 4, "b": 8, "c": 0}


def test_crowds_need_a_policy_and_one_world() -> None:
    mixture = make_single_environment(triplets())
    with pytest.raises(BadValue, match="given policy"):
        evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), None, 1, HALF)
    with pytest.raises(UnknownName, match="unknown action '7'"):
        find_crowd("has_output:17", mixture)


def test_agents_that_plan_know_the_present_step() -> None:
    """The bonus of being copied is worth its price at the last step alone: the short-sighted agent takes it at once."""
    environment = slot_scenario("copy_bonus").environment
    context = PolicyContext(make_single_environment(environment), last_step=3)
    patient, hasty = make_slot_policy("optimal:cpy", context), make_slot_policy("lookahead:1,cpy", context)
    stay = (0, "home")
    assert [patient((stay,) * n) for n in range(3)] == [0, 0, 1]
    assert [hasty((stay,) * n) for n in range(5)] == [1] * 5
    assert [make_slot_policy("lookahead:2", context)((stay,) * n) for n in range(5)] == [0] * 5
    with pytest.raises(BadValue, match=r"plans to time step 3 and is asked at .*4; give a longer horizon"):
        patient((stay,) * 3)
    for name in ("lookahead:0", "lookahead:x", "lookahead:", "lookahead:" + "9" * 2000):
        with pytest.raises(BadValue):
            make_slot_policy(name, context)


def test_policies_by_name() -> None:
    setting = PolicyContext(make_single_environment(triplets()), last_step=2)
    assert make_slot_policy("1", setting)(()) == 1
    assert make_slot_policy("always_1", setting)(()) == 1
    assert make_slot_policy("dyn", setting)(()) == 1
    assert make_slot_policy("every", setting)(()) == 0
    drawn = [make_slot_policy("random:7", setting)(((0, "a"),) * n) for n in range(60)]
    assert drawn == [make_slot_policy("random:7", setting)(((0, "a"),) * n) for n in range(60)]
    assert 15 < sum(map(int, drawn)) < 45
    for name in ("always:9", "cycle:0,9", "rndom", "always"):
        with pytest.raises(UnknownName):
            make_slot_policy(name, setting)
