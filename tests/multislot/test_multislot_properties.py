"""Property: what must hold in every environment, on random conflict-free tables."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot.crowds import evaluate_crowd, find_crowd
from multislot.learning import Mixture, make_single_environment
from multislot.planning.backup import float_arithmetic
from multislot.planning.planner import evaluate
from multislot.worlds.table import TableEnvironment, parse_table
from tests.multislot.slot_worlds import contents, environments, mono_contents, relabelled

HALF = Fraction(1, 2)
VALUES = ("cpy", "cpy_joint", "sta:1", "dyn", "every", "first", "minimal", "prime", "same_history", "slot:2")
quickly = settings(deadline=None, max_examples=25)


def worth(environment: TableEnvironment | Mixture, value: str, horizon: int = 3, history: Any = ()) -> list[Fraction]:
    return [Fraction(q) for q in evaluate(environment, value, horizon, HALF, history).Q.values()]


def aimu(environment: TableEnvironment, state: Any, horizon: int) -> list[Fraction]:
    """Eq. 1, written out: the optimal values of an agent that stays on slot 1."""
    if not horizon:
        return [Fraction(0), Fraction(0)]
    values = []
    for action in environment.actions:
        total = Fraction(0)
        for probability, copies in environment.law(state, 1, action):
            after = environment.update(state, action, copies[1])
            total += probability * (environment.rewards[copies[1]] + HALF * max(aimu(environment, after, horizon - 1)))
        values.append(total)
    return values


@pytest.mark.slow
@quickly
@given(mono_contents())
def test_without_copies_all_values_are_aimu_at_every_history(content: dict[str, Any]) -> None:
    environment = parse_table(content, "mono")
    known = make_single_environment(environment)
    steps = list(product(environment.actions, environment.rewards))
    for history in [(), *((step,) for step in steps), *product(steps, repeat=2)]:
        state = environment.start()
        reachable = True
        for action, observation in history:
            laws = environment.law(state, 1, action)
            reachable &= any(p and copies[1] == observation for p, copies in laws)
            state = environment.update(state, action, observation)
        wanted = aimu(environment, state, 2) if reachable else [Fraction(0), Fraction(0)]
        for value in ("cpy", "cpy_joint", "sta:1", "dyn", "every", "first", "minimal", "same_history", "slot:1"):
            assert worth(known, value, 2, history) == wanted


@quickly
@given(environments())
def test_dyn_is_at_most_sta_at_the_root(environment: TableEnvironment) -> None:
    dynamic, static = (evaluate(environment, value, 4, HALF).V for value in ("dyn", "sta:1"))
    assert dynamic <= static


@quickly
@given(contents(), st.permutations((1, 2, 3, 4)))
def test_names_of_slots_do_not_matter(content: dict[str, Any], order: list[int]) -> None:
    slots = dict(zip((1, 2, 3, 4), order, strict=True))
    one, other = parse_table(content, "one"), parse_table(relabelled(content, slots), "other")
    for value in ("cpy", "cpy_joint", "dyn", "every", "minimal", "same_history"):
        assert worth(one, value) == worth(other, value)
    for slot in slots:
        assert worth(one, f"sta:{slot}") == worth(other, f"sta:{slots[slot]}")
    history = ((0, "0"),)
    first, second = (evaluate(environment, "cpy", 1, HALF, history).P for environment in (one, other))
    assert {slots[slot]: share for slot, share in first.items()} == second


@quickly
@given(contents(), st.fractions(min_value=Fraction(1, 5), max_value=5, max_denominator=7))
def test_values_scale_with_rewards(content: dict[str, Any], factor: Fraction) -> None:
    one = parse_table(content, "one")
    scaled = {o: str(factor * Fraction(r)) for o, r in content["rewards"].items()}
    other = parse_table(content | {"rewards": scaled}, "other")
    for value in VALUES:
        assert [factor * q for q in worth(one, value)] == worth(other, value)


@quickly
@given(environments(), st.sampled_from(VALUES))
def test_float_agrees_with_exact(environment: TableEnvironment, value: str) -> None:
    precise = evaluate(environment, value, 4, Fraction(2, 3))
    quick = evaluate(environment, value, 4, Fraction(2, 3), arithmetic=float_arithmetic)
    assert quick.ties == precise.ties
    assert list(quick.Q.values()) == pytest.approx([float(q) for q in precise.Q.values()], abs=1e-9)


@quickly
@given(environments())
def test_q_is_the_average_of_slot_q_over_the_estimate(environment: TableEnvironment) -> None:
    for value in ("cpy", "dyn"):
        answer = evaluate(environment, value, 2, HALF, ((0, "0"),))
        assert sum(answer.P.values()) in (0, 1)
        for action, number in answer.Q.items():
            assert number == sum(share * answer.slot_Q[slot][action] for slot, share in answer.P.items())


@quickly
@given(environments())
def test_deterministic_copy_sets_make_both_readings_of_cpy_equal(environment: TableEnvironment) -> None:
    sure = parse_table(
        {
            "name": "sure",
            "actions": [0, 1],
            "z0": "p",
            "rewards": {str(o): str(r) for o, r in environment.rewards.items()},
            "rules": [
                [rule.state, rule.slot, rule.action, [["1", {str(j): o for j, o in rule.law[0].copies.items()}]]]
                for rule in environment.rules
            ],
        },
        "sure",
    )
    assert worth(sure, "cpy") == worth(sure, "cpy_joint")


@quickly
@given(mono_contents())
def test_without_copies_the_family_is_the_agent_alone(content: dict[str, Any]) -> None:
    """Whatever was seen, the crowd of one agent is worth what the agent's own policy is worth to it."""
    environment = parse_table(content, "mono")
    mixture = make_single_environment(environment)
    for history in [(), ((0, "0"),), ((1, "1"), (0, "0"))]:
        alone = evaluate(mixture, "cpy", 2, HALF, history, policy=_mirror)
        crowd_of_one = evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), _mirror, 2, HALF, history)
        assert crowd_of_one.Q == alone.Q


def _mirror(history: Any) -> int:
    """Do what was seen last."""
    return int(history[-1][1]) if history else 0
