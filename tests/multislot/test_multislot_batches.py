"""Twin: planning in batches gives what planning one history after another gives, and what fractions give."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue
from multislot.futures import admit_any_slot
from multislot.learning import Mixture
from multislot.likelihoods import LIKELIHOODS, find_likelihood
from multislot.planning.backup import exact_arithmetic, float_arithmetic
from multislot.planning.batches import merge_equal_columns
from multislot.planning.belief import compute_belief
from multislot.planning.planner import evaluate
from multislot.worlds.environment import Label
from multislot.worlds.table import TableEnvironment, parse_table, read_json
from tests.multislot.slot_worlds import contents, environments

DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"
HALF = Fraction(1, 2)
VALUES = ("cpy", "cpy_joint", "sta:1", "dyn", "every", "first", "minimal", "prime", "same_history", "slot:2")
one_by_one = replace(float_arithmetic, columns=False)


def table(rules: list[Any], actions: list[Any], update: Any = ()) -> TableEnvironment:
    content = {"name": "made", "actions": actions, "z0": "s", "rewards": {"lost": "0", "won": "1"}, "rules": rules}
    return parse_table(content | {"update": list(update)}, "made")


def dense() -> TableEnvironment:
    return parse_table(read_json(DATA / "bench_belief.json"), "bench_belief")


@settings(deadline=None, max_examples=25)
@given(environments(), st.sampled_from(VALUES), st.lists(st.tuples(st.sampled_from((0, 1)), st.sampled_from("01"))))
def test_batches_agree_with_single_histories_and_with_exact(
    environment: TableEnvironment, value: str, past: list[tuple[Label, Label]]
) -> None:
    history = tuple(past[:2])
    precise = evaluate(environment, value, 6, HALF, history)
    single = evaluate(environment, value, 6, HALF, history, one_by_one)
    batched = evaluate(environment, value, 6, HALF, history, float_arithmetic)
    assert batched.ties == single.ties == precise.ties
    assert list(batched.Q.values()) == pytest.approx([float(q) for q in precise.Q.values()], abs=1e-9)
    for slot, values in precise.slot_Q.items():
        wanted = [float(q) for q in values.values()]
        assert list(batched.slot_Q[slot].values()) == pytest.approx(wanted, abs=1e-9)
    assert {type(q) for q in batched.Q.values()} == {float}


@pytest.mark.parametrize("value", ["cpy", "dyn"])
def test_the_dense_benchmark(value: str) -> None:
    precise = evaluate(dense(), value, 8, HALF)
    quick = evaluate(dense(), value, 8, HALF, arithmetic=float_arithmetic)
    for action, number in precise.Q.items():
        assert quick.Q[action] == pytest.approx(float(number), abs=1e-12)


def test_as_many_estimates_are_distinct_as_fractions_tell_apart() -> None:
    environment = dense()
    histories = product(product(environment.actions, environment.rewards), repeat=5)
    found = {history: compute_belief(environment, history, admit_any_slot) for history in histories}
    beliefs = [belief for belief in found.values() if belief]
    estimates = np.array([float_arithmetic.estimates(belief.masses) for belief in beliefs]).T
    noise = np.random.default_rng(0).uniform(-1e-15, 1e-15, estimates.shape)
    different, columns = merge_equal_columns(estimates + noise)
    assert different.shape[1] == len({belief.masses for belief in beliefs}) < len(beliefs)
    assert different[:, columns] == pytest.approx(estimates, abs=1e-13)


def test_estimates_that_differ_by_more_than_rounding_stay_apart() -> None:
    estimates = np.array([[0.25, 0.75, 0.25 + 1e-12], [0.75, 0.25, 0.75 - 1e-12]])
    different, columns = merge_equal_columns(estimates)
    assert different.shape == estimates.shape
    assert (different[:, columns] == estimates).all()


@pytest.mark.parametrize("value", ["cpy", "dyn", "same_history"])
@pytest.mark.parametrize("tiny", [Fraction(1, 10**200), Fraction(1, 10**400)])
def test_probabilities_below_what_a_float_holds(value: str, tiny: Fraction) -> None:
    """Slot 2 is reached by next to nothing; only from there can anybody win."""
    environment = table(
        [
            ["s", 1, "*", [[str(1 - tiny), {"1": "lost"}], [str(tiny), {"1": "lost", "2": "lost"}]]],
            ["t", 1, "*", [["1", {"1": "lost"}]]],
            ["t", 2, 0, [["1/3", {"2": "won"}], ["2/3", {"2": "lost"}]]],
            ["t", 2, 1, [["1", {"2": "won"}]]],
        ],
        [0, 1],
        [["s", "*", "*", "t"]],
    )
    precise = evaluate(environment, value, 6, HALF)
    quick = evaluate(environment, value, 6, HALF, arithmetic=float_arithmetic)
    assert list(quick.Q.values()) == pytest.approx([float(q) for q in precise.Q.values()], abs=1e-9)


def test_histories_that_are_only_reached_by_improbable_outcomes() -> None:
    """All masses of a history may be tiny together: the estimate after it is a proportion, as ever."""
    tiny = Fraction(1, 10**400)
    environment = table(
        [
            ["s", 1, "*", [[str(1 - 3 * tiny), {}], [str(tiny), {"1": "won"}], [str(2 * tiny), {"2": "won"}]]],
            ["s", 2, "*", [["1", {"2": "lost"}]]],
        ],
        [0],
    )
    for history in ((), ((0, "won"),)):
        precise = evaluate(environment, "cpy", 5, HALF, history)
        quick = evaluate(environment, "cpy", 5, HALF, history, float_arithmetic)
        assert pytest.approx(float(precise.V), abs=1e-9) == quick.V
        assert {slot: float(share) for slot, share in precise.P.items()} == quick.P


def test_the_first_of_very_many_actions_wins() -> None:
    """All actions tie but one, which does not copy and pays more: it is taken, now and later."""
    states, rules = ("s", "s1", "s2", "s3"), []
    for k, state in enumerate(states):
        for slot in range(1, 2**k + 1):
            rules.append([state, slot, 50, [["1", {str(slot): "won"}]]])
            rules.append([state, slot, "*", [["1", {str(slot): "won", str(slot + 2**k): "lost"}]]])
    environment = table(rules, list(range(70)), ([a, "*", "*", b] for a, b in pairwise(states)))
    for value in ("cpy", "dyn"):
        precise, quick = (evaluate(environment, value, 4, HALF, arithmetic=b) for b in (one_by_one, float_arithmetic))
        assert (quick.action, quick.ties) == (precise.action, precise.ties)
        assert list(quick.Q.values()) == pytest.approx(list(precise.Q.values()), abs=1e-12)


def later_choice(one: Fraction, two: Fraction, more: Fraction) -> TableEnvironment:
    """Copied to three slots; then action 0 pays one + two on slot 1, and action 1 pays one and two + more elsewhere."""
    pays = {"0": Fraction(0), "one": one, "two": two + more, "both": one + two}
    rules = [
        ["start", 1, "*", [["1", {"1": "0", "2": "0", "3": "0"}]]],
        *(["later", slot, 0, [["1", {str(slot): o}]]] for slot, o in ((1, "both"), (2, "0"), (3, "0"))),
        *(["later", slot, 1, [["1", {str(slot): o}]]] for slot, o in ((1, "0"), (2, "one"), (3, "two"))),
    ]
    content = {"name": "later", "actions": [0, 1], "z0": "start", "rules": rules}
    rewards = {o: str(pay) for o, pay in pays.items()}
    return parse_table(content | {"rewards": rewards, "update": [["start", "*", "*", "later"]]}, "later")


@pytest.mark.parametrize(("more", "first"), [(Fraction(0), True), (Fraction(1, 10**9), False)])
def test_later_choices_tie_within_rounding_and_no_further(more: Fraction, first: bool) -> None:
    """The agent on slot 1 gets something only if its later self takes the first action: a tie, however floats round."""
    for one, two in product(range(1, 10), repeat=2):
        environment = later_choice(Fraction(one, 10), Fraction(two, 10), more)
        precise, quick = (
            evaluate(environment, "dyn", 2, HALF, arithmetic=arithmetic)
            for arithmetic in (exact_arithmetic, float_arithmetic)
        )
        assert (precise.V > 0) is first
        assert pytest.approx(float(precise.V), abs=1e-9) == quick.V


def test_deletion_ends_a_batch() -> None:
    environment = table([["s", "*", "*", [["1", {}]]]], [0, 1])
    assert evaluate(environment, "dyn", 5, HALF, arithmetic=float_arithmetic).Q == {0: 0.0, 1: 0.0}


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    contents(),
    contents(),
    st.sampled_from(LIKELIHOODS.names()),
    st.sampled_from(VALUES),
    st.lists(st.tuples(st.sampled_from((0, 1)), st.sampled_from("01")), max_size=1),
)
def test_classes_in_batches_agree_with_single_histories_and_with_exact(
    one: dict[str, Any], other: dict[str, Any], likelihood: str, value: str, past: list[tuple[Label, Label]]
) -> None:
    tables = parse_table(one, "one"), parse_table(other | {"rewards": one["rewards"]}, "other")
    mixture = Mixture(tables, (Fraction(1, 3), Fraction(2, 3)), find_likelihood(likelihood))
    try:
        precise = evaluate(mixture, value, 5, HALF, tuple(past))
    except BadValue:
        return
    single = evaluate(mixture, value, 5, HALF, tuple(past), one_by_one)
    batched = evaluate(mixture, value, 5, HALF, tuple(past), float_arithmetic)
    assert batched.ties == single.ties == precise.ties
    assert list(batched.Q.values()) == pytest.approx([float(q) for q in precise.Q.values()], abs=1e-9)
    for slot, values in precise.slot_Q.items():
        wanted = [float(q) for q in values.values()]
        assert list(batched.slot_Q[slot].values()) == pytest.approx(wanted, abs=1e-9)


def dense_class(likelihood: str) -> Mixture:
    """The dense environment, and the same one with its actions exchanged."""
    content = read_json(DATA / "bench_belief.json")["spec"]
    exchanged = [[z, slot, {0: 1, 1: 0}.get(a, a), law] for z, slot, a, law in content["rules"]]
    members = parse_table(content, "dense"), parse_table(content | {"rules": exchanged}, "exchanged")
    return Mixture(members, (HALF, HALF), find_likelihood(likelihood))


@pytest.mark.parametrize("value", ["cpy", "dyn"])
@pytest.mark.parametrize("likelihood", ["exists", "count"])
def test_a_dense_class(value: str, likelihood: str) -> None:
    precise = evaluate(dense_class(likelihood), value, 5, HALF)
    quick = evaluate(dense_class(likelihood), value, 5, HALF, arithmetic=float_arithmetic)
    assert quick.ties == precise.ties
    for action, number in precise.Q.items():
        assert quick.Q[action] == pytest.approx(float(number), abs=1e-12)
