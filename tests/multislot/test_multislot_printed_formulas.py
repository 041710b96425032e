"""Twin: the planner against the printed formulas of section 4, in known environments and for learning agents."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue
from multislot.learning import Mixture, make_single_environment
from multislot.likelihoods import LIKELIHOODS, find_likelihood
from multislot.planning.plain_recursions import cpy, dyn, evaluate_as_printed, sta
from multislot.planning.planner import evaluate
from multislot.worlds.table import TableEnvironment, parse_table, read_json
from tests.multislot.slot_worlds import contents, environments

DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"
GAMMA = Fraction(2, 3)
PRINTED = {"cpy": cpy, "sta:1": sta(1), "sta:2": sta(2), "dyn": dyn}


@pytest.mark.parametrize(
    "name", ["kitchen_sink", "split_tree", "half_dup", "half_copy", "sleeping_beauty", "consistency", "there_and_back"]
)
@pytest.mark.parametrize("value", PRINTED)
def test_reference_tables(name: str, value: str) -> None:
    table = parse_table(read_json(DATA / f"{name}.json"), name)
    world = make_single_environment(table)
    for history in [(), ((world.actions[0], next(iter(world.rewards))),)]:
        assert (
            evaluate_as_printed(world, PRINTED[value], 3, GAMMA, history) == evaluate(table, value, 3, GAMMA, history).Q
        )


@settings(deadline=None, max_examples=40)
@given(environments())
def test_random_tables(table: TableEnvironment) -> None:
    world = make_single_environment(table)
    for value, printed in PRINTED.items():
        for history in [(), ((0, "0"),)]:
            assert evaluate_as_printed(world, printed, 2, GAMMA, history) == evaluate(table, value, 2, GAMMA, history).Q


@settings(deadline=None, max_examples=30)
@given(contents(), contents(), st.sampled_from(LIKELIHOODS.names()), st.sampled_from(sorted(PRINTED)))
def test_learning_agents(one: dict[str, object], other: dict[str, object], likelihood: str, value: str) -> None:
    tables = parse_table(one, "one"), parse_table(other | {"rewards": one["rewards"]}, "other")
    mixture = Mixture(tables, (Fraction(1, 3), Fraction(2, 3)), find_likelihood(likelihood))
    for history in [(), ((0, "0"),)]:
        try:
            planned = evaluate(mixture, value, 2, GAMMA, history).Q
        except BadValue:
            assert not any(evaluate(table, "cpy", 1, GAMMA, history).P for table in tables)
            continue
        assert planned == evaluate_as_printed(mixture, PRINTED[value], 2, GAMMA, history)
