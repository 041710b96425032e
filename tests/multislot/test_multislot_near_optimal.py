"""Twin: planning with the filter gives what fractions at every action give, ties and near-ties included."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.errors import ContractBroken
from multislot.contract_checks import check_slot_world
from multislot.futures import Continuation, Future, find_future
from multislot.futures.copy_centred import count_expected_copies, weigh_by_copy_share
from multislot.learning import Mixture, make_single_environment
from multislot.likelihoods import LIKELIHOODS, find_likelihood
from multislot.planning import planner
from multislot.planning.backup import exact_arithmetic, float_arithmetic
from multislot.planning.candidate_actions import NearOptimalActions
from multislot.planning.planner import SlotEvaluation, evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.worlds.environment import (
    AgentHistory,
    CopyOutcome,
    SlotTransition,
    TimeDependentEnvironment,
    copy_observation,
    represent_by_slot_1,
)
from multislot.worlds.table import TableEnvironment, parse_table, read_json

GAMMA = Fraction(2, 3)
VALUES = ("cpy", "cpy_joint", "sta:1", "dyn", "every", "first", "minimal", "prime", "same_history", "slot:2")
DENSE = Path(__file__).resolve().parent.parent / "data" / "multislot" / "bench_belief.json"
SLOTS, STATES = (1, 2, 3, 4), ("p", "q", "r")


def random_content(key: int) -> dict[str, Any]:
    """Few rewards, probabilities in quarters: many actions tie, in some tables nearly; some outcomes are very rare."""
    random = Random(key)
    owner = {target: random.choice(SLOTS) for target in SLOTS}
    rules: list[Any] = []
    for state, slot, action in product(STATES, SLOTS, (0, 1)):
        targets = [target for target in SLOTS if owner[target] == slot]
        first = Fraction(random.randint(0, 4), 4)
        if key % 5 == 0 and random.random() < 0.5:
            first = Fraction(1, 10 ** random.choice((3, 12, 17, 60, 200, 320)))
        laws = [
            [str(p), {str(target): random.choice((0, 1)) for target in targets if random.random() < 0.75}]
            for p in (first, 1 - first)
        ]
        rules.append([state, slot, action, laws])
    update = [[z, a, o, random.choice(STATES)] for z, a, o in product(STATES, (0, 1), (0, 1))]
    one = Fraction(random.choice((0, 1, 1, -2)))
    other = one + random.choice((-1, 1)) * Fraction(1, 10 ** random.choice((0, 0, 6, 14, 15, 16, 17, 30)))
    rewards = {"0": str(one), "1": str(other)}
    content = {"name": f"random {key}", "actions": [0, 1], "z0": "p", "rewards": rewards, "rules": rules}
    return content | {"update": update}


def random_table(key: int) -> TableEnvironment:
    return parse_table(random_content(key), f"random {key}")


@cache
def random_world(key: int) -> Mixture:
    """One for all futures and horizons: its laws are checked once."""
    return make_single_environment(random_table(key))


@cache
def random_class(key: int, likelihood: str) -> Mixture:
    """Two tables with equal rewards; in every third class, nearly the same one, in every fourth, one of tiny weight."""
    one = random_content(key)
    other = random_content(key + 10_000) if key % 3 else one | {"rules": random_content(key + 1)["rules"]}
    members = tuple(parse_table(content | {"rewards": one["rewards"]}, "member") for content in (one, other))
    weight = Fraction(1, 3) if key % 4 else Fraction(1, 10 ** Random(key).choice((9, 16, 40, 300, 330)))
    return Mixture(members, (weight, 1 - weight), find_likelihood(likelihood))


def both_ways(monkeypatch: pytest.MonkeyPatch, *asked: Any) -> Iterator[SlotEvaluation]:
    """With the filter from the first step on, and with fractions at every action."""
    for nodes in (-1, 10**9):
        monkeypatch.setattr(planner, "PLANNED_AT_ONCE", nodes)
        yield evaluate(*asked)


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize("value", VALUES)
def test_random_tables(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in range(60):
        filtered, full = both_ways(monkeypatch, random_world(key), value, 4, GAMMA)
        assert filtered == full, key


@pytest.mark.slow
@pytest.mark.parametrize("value", VALUES)
def test_random_tables_from_later_on(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in range(100, 140):
        for horizon, history in ((4, ()), (3, ((0, 0),))):
            filtered, full = both_ways(monkeypatch, random_world(key), value, horizon, GAMMA, history)
            assert filtered == full, key


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("nodes", [-1, 10**9])
@pytest.mark.parametrize("value", VALUES)
def test_a_plan_that_is_followed_does_what_plans_made_anew_do(
    value: str, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every history of its own, in tables and classes, with and without the filter."""
    monkeypatch.setattr(planner, "PLANNED_AT_ONCE", nodes)
    for key in range(12):
        mixture = make_single_environment(random_table(key)) if key % 3 else random_class(key, "exists")
        policy = make_slot_policy(value, PolicyContext(mixture, last_step=4, discount=GAMMA))
        layer: list[AgentHistory] = [()]
        for step in range(4):
            for history in layer:
                asked = (4 - step, GAMMA, history)
                assert policy(history) == evaluate(mixture, value, *asked).action, (key, history)
            successors = ((*history, (policy(history), o)) for history in layer for o in mixture.rewards)
            layer = [history for history in successors if any(mixture.compute_evidence(history)[0].slots)]


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("likelihood", LIKELIHOODS.names())
def test_random_classes(likelihood: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in range(30):
        value = VALUES[key % len(VALUES)]
        filtered, full = both_ways(monkeypatch, random_class(key, likelihood), value, 3, GAMMA)
        assert filtered == full, (key, value)


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", LIKELIHOODS.names())
def test_random_classes_over_more_steps(likelihood: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in range(100, 112):
        for value in ("cpy", "sta:1", "dyn", "same_history"):
            filtered, full = both_ways(monkeypatch, random_class(key, likelihood), value, 4, GAMMA)
            assert filtered == full, (key, value)


def test_a_class_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = [random_content(key) for key in (1, 2, 7)]
    members = tuple(parse_table(content | {"rewards": contents[0]["rewards"]}, "member") for content in contents)
    mixture = Mixture(members, (Fraction(1), Fraction(2), Fraction(3)), find_likelihood("exists"))
    for value in VALUES:
        filtered, full = both_ways(monkeypatch, mixture, value, 3, GAMMA)
        assert filtered == full, value


def test_futures_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights above 1, multiplicities, and values on the slot under both."""
    doubled = Future(lambda step: {copy: 2 * weight for copy, weight in weigh_by_copy_share(step).items()})
    pooled = Future(weigh_by_copy_share, Continuation.ON_THE_SLOT, multiplicity=count_expected_copies)
    for future in (doubled, pooled):
        for key in range(25):
            filtered, full = both_ways(monkeypatch, random_table(key), future, 4, GAMMA)
            assert filtered == full, key


@pytest.mark.parametrize("value", ["cpy", "dyn", "every"])
def test_the_dense_benchmark(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = parse_table(read_json(DENSE), "dense")
    filtered, full = both_ways(monkeypatch, environment, value, 7, Fraction(1, 2))
    assert filtered == full


def test_most_actions_are_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the dense benchmark next to no two actions tie; where all do, none is ruled out."""
    kept: list[float] = []
    solve = NearOptimalActions._solve

    def watched(self: NearOptimalActions, layers: Any) -> None:
        solve(self, layers)
        kept.append(float(np.mean([mask.mean() for layer in self._kept for mask in layer.values()])))

    monkeypatch.setattr(NearOptimalActions, "_solve", watched)
    monkeypatch.setattr(planner, "PLANNED_AT_ONCE", -1)
    dense = read_json(DENSE)
    evaluate(parse_table(dense, "dense"), "cpy", 7, Fraction(1, 2))
    same = dict.fromkeys(dense["spec"]["rewards"], "1")
    evaluate(parse_table(dense["spec"] | {"rewards": same}, "same"), "dyn", 5, Fraction(1, 2))
    assert kept[0] < 0.55
    assert kept[1] == 1


def test_numbers_beyond_floats_are_planned_in_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    for pay in (10**400, 10**300):
        environment = random_table(3)
        content = {"0": Fraction(-pay), "1": Fraction(pay)}
        object.__setattr__(environment, "rewards", {label: content[str(label)] for label in environment.rewards})
        filtered, full = both_ways(monkeypatch, environment, "cpy", 4, GAMMA)
        assert filtered == full


@pytest.mark.slow_cases(beyond=12)
@pytest.mark.parametrize(
    "name", ["exponential", "factorial", "universal", "universal_exchanged", "threshold:4,2,2,3,1"]
)
@pytest.mark.parametrize("value", ["cpy", "cpy_joint", "every", "minimal", "same_history", "dyn"])
def test_interchangeable_slots_are_planned_as_one(name: str, value: str) -> None:
    environment = slot_scenario(name).environment
    by_number = replace(find_future(value), ignores_slot_numbers=False)
    first = environment.actions[-1]
    seen = environment.law(environment.start(), 1, first)[0].copies[1]
    for history in ((), ((first, seen),)):
        for arithmetic in (exact_arithmetic, float_arithmetic):
            asked = (4, GAMMA, history, arithmetic)
            together, apart = evaluate(environment, value, *asked), evaluate(environment, by_number, *asked)
            assert (together.ties, together.P) == (apart.ties, apart.P)
            assert (apart.Q if arithmetic is exact_arithmetic else pytest.approx(apart.Q, abs=1e-12)) == together.Q
            assert list(together.slot_Q) == list(apart.slot_Q)
            for slot, values in apart.slot_Q.items():
                assert together.slot_Q[slot] == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("name", ["threshold:4,2,2,3,1", "exponential", "universal"])
@pytest.mark.parametrize("continuation", Continuation)
def test_a_future_that_minds_slot_numbers_is_found_where_slots_are_planned_as_one(
    name: str, continuation: Continuation
) -> None:
    """Said to ignore numbers, it would get a wrong value without a word; honest, it gets its own."""

    def even_slots(transition: SlotTransition) -> dict[tuple[int, Any], Fraction]:
        return {key: weight for key, weight in copy_observation(transition.law).items() if key[0] % 2 == 0}

    environment = slot_scenario(name).environment
    honest = Future(even_slots, continuation)
    evaluate(environment, honest, 3, GAMMA)
    with pytest.raises(ContractBroken, match="which stands for it") as caught:
        evaluate(environment, replace(honest, ignores_slot_numbers=True), 3, GAMMA)
    assert "even_slots" in str(caught.value)
    assert "a future without ignores_slot_numbers" in str(caught.value)


@pytest.mark.parametrize("late", [2, 3, 4])
def test_slots_that_differ_only_later_are_found_where_they_are_planned_as_one(late: int) -> None:
    """Slot 2 is paid in step `late` alone: half of gamma^(late - 1) for an agent that may be on either slot."""

    def pay_slot_2(time: int, slot: int, action: Any) -> tuple[CopyOutcome, ...]:
        return (CopyOutcome(Fraction(1), {slot: int(slot == 2 and time == late)}),)

    rewards = {0: Fraction(0), 1: Fraction(1)}
    honest = TimeDependentEnvironment("pays_slot_2", (0, 1), rewards, pay_slot_2, (1, 2))
    assert GAMMA ** (late - 1) / 2 == evaluate(honest, "cpy", 5, GAMMA).V
    with pytest.raises(ContractBroken, match=f"slot 1 for slot 2 in state {late}, whose law under action 0 differs"):
        evaluate(replace(honest, slots_alike=represent_by_slot_1), "cpy", 5, GAMMA)


@pytest.mark.parametrize("late", [2, 3, 4])
def test_a_future_that_minds_slot_numbers_only_later_is_found(late: int) -> None:
    def forget_slot_2(transition: SlotTransition) -> dict[tuple[int, Any], Fraction]:
        skipped = transition.slot == 2 and transition.time == late
        return {} if skipped else copy_observation(transition.law)

    def stay(time: int, slot: int, action: Any) -> tuple[CopyOutcome, ...]:
        return (CopyOutcome(Fraction(1), {slot: "paid"}),)

    environment = TimeDependentEnvironment(
        "stays", (0, 1), {"paid": Fraction(1)}, stay, (1, 2), slots_alike=represent_by_slot_1
    )
    honest = Future(forget_slot_2)
    assert evaluate(environment, honest, 5, GAMMA).V < evaluate(environment, "every", 5, GAMMA).V
    with pytest.raises(ContractBroken, match="other weights for slot 2 than for slot 1, which stands for it"):
        evaluate(environment, replace(honest, ignores_slot_numbers=True), 5, GAMMA)


@pytest.mark.slow
def test_interchangeable_slots_make_growth_polynomial() -> None:
    """2^39 slots after 40 steps, and as many nodes as there are numbers of copies."""
    assert 2 - Fraction(1, 2**39) == evaluate(slot_scenario("exponential").environment, "cpy", 40, Fraction(1, 2)).V


def test_slots_that_stay_and_slots_that_leave_are_not_interchangeable() -> None:
    """Taken for one, they would have one value on the slot; in `factorial` only slot 1 has a copy on itself."""
    environment = slot_scenario("factorial").environment
    assert isinstance(environment, TimeDependentEnvironment)
    check_slot_world(environment)
    with pytest.raises(ContractBroken, match="slot 1 for slot 2 in state 2, whose law under action 0 differs"):
        check_slot_world(replace(environment, slots_alike=represent_by_slot_1))
