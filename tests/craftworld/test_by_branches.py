"""Rules with `if` are those with `where`: what many states are answered at once is what each is answered alone."""

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from craftworld.one_by_one import answer_columns
from craftworld.scenario import MOVES, Scenario, move, where
from craftworld.scenario_contract import check_rules
from engine.errors import ContractBroken
from engine.mdp.by_branches import NotByBranches, ask_by_branches
from engine.mdp.tabulate import tabulate
from engine.scene import Scene

ROWS = 600
TABLE = np.arange(12) % 5
PLACES = [4, 1, 3, 0, 2, 5, 9, 8, 7, 6, 11, 10]


class Two(NamedTuple):
    a: int
    b: int


def catch(s: Any) -> Any:
    try:
        return 7 // s.b
    except Exception:
        return -1


def go_on(s: Any) -> Any:
    steps = 0
    while s.a + steps < 9:
        steps += 2
    return steps


AT_ONCE: list[Callable[[Any], Any]] = [
    lambda s: s.a if s.b else -s.a,
    lambda s: min(s.a, s.b) * 2 - max(s.a, 3),
    lambda s: bool(s.a == 3 and s.b) or s.a > 5,
    lambda s: 2 <= s.a < 5,
    lambda s: s.a in (1, 4),
    lambda s: s.a in {1, 4},
    lambda s: PLACES[s.a],
    lambda s: {0: 1.5, 1: 2.5}.get(s.b, 0.0),
    lambda s: 1.0 if f"{s.a}" == "3" else 0.0,
    lambda s: sum(range(s.a)),
    lambda s: s.a // (s.b + 1) % 3,
    lambda s: s.a / 4 - 0.5 * s.b,
    lambda s: (s.a == 2) + (s.b == 1),
    lambda s: -(s.a == 2) if s.b else +(s.a > 1),
    lambda s: (s.a > 2) & (s.b == 1) | (s.a ^ 1 == 4),
    lambda s: 1.0 if (s.a, s.b) == (3, 1) else 0.0,
    lambda s: Two(3, 0) if s.a > 4 else s,
    lambda s: s._replace(b=1) if s.a == 2 else s,
    lambda s: [(0.25, s), (0.75, Two(0, s.b), "slips")] if s.b else s,
    lambda s: (s.a * 1, s.b + 1),
    lambda s: math.sqrt(s.a),
    lambda s: True,
    go_on,
]
HOSTILE: list[Callable[[Any], Any]] = [
    lambda s: abs(s.a - 4) ** 2,
    lambda s: s.a * 2**40 * (s.a * 2**30) % 7,
    lambda s: (s.a + 2**53) / 3,
    lambda s: 1.0 if isinstance(s.a, int) else 0.0,
    lambda s: 1.0 if type(s.a) is int else 0.0,
    lambda s: float(np.max(s.a)),
    lambda s: int(TABLE[s.a]),
    lambda s: ~(s.a > 2),
    lambda s: (0.1 * s.a) % 0.3,
    lambda s: 1.0 / (s.a + 1) if s.a / 3.0 else 0.0,
    lambda s: round(s.a / 3, 1),
    lambda s: str(s).count("1"),
    lambda s: -0.0 if s.a < 3 else s.a * -0.0,
    catch,
]


def make_columns(count: int) -> Two:
    rng = np.random.default_rng(7)
    return Two(rng.integers(0, 12, count), rng.integers(0, 3, count))  # type: ignore[arg-type]


def take_row(answer: Any, row: int) -> Any:
    """One state's part of an answer in columns; branches of chance 0 are left out."""
    if isinstance(answer, list):
        return [(float(p[row]), take_row(s, row), *name) for p, s, *name in answer if p[row] > 0.0]
    if isinstance(answer, tuple):
        row_of_each = [column[row].item() for column in answer]
        return Two(*row_of_each) if isinstance(answer, Two) else tuple(row_of_each)
    return answer[row].item()


def assert_as_alone(rule: Callable[[Any], Any], columns: Any) -> None:
    """A column holds numbers of one type: Python's True and 1 in one column are both 1 there."""
    answer = answer_columns(rule, (columns,), len(columns.a))
    for row, state in enumerate(zip(*columns, strict=True)):
        alone, found = rule(Two(*map(int, state))), take_row(answer, row)
        if isinstance(found, list):
            assert sorted(found) == sorted(alone if isinstance(alone, list) else [(1.0, alone)])
        else:
            assert repr(found) == repr(alone if isinstance(alone, tuple) else type(found)(alone))


@pytest.mark.parametrize("rule", AT_ONCE)
def test_states_that_take_one_way_are_one_question(rule: Callable[[Any], Any]) -> None:
    columns, calls = make_columns(ROWS), 0

    def count(s: Any) -> Any:
        nonlocal calls
        calls += 1
        return rule(s)

    ask_by_branches(count, (columns,), ROWS)
    assert calls < ROWS // 4
    assert_as_alone(rule, columns)


@pytest.mark.parametrize("rule", HOSTILE)
def test_no_rule_is_answered_otherwise_than_alone(rule: Callable[[Any], Any]) -> None:
    assert_as_alone(rule, make_columns(ROWS))


@pytest.mark.parametrize("rule", HOSTILE[:6])
def test_what_columns_would_answer_otherwise_is_asked_alone(rule: Callable[[Any], Any]) -> None:
    with pytest.raises(NotByBranches):
        ask_by_branches(rule, (make_columns(ROWS),), ROWS)


def write_expression(rng: random.Random, depth: int) -> str:
    """Draw an expression of a state's two numbers, with every kind of choice that Python has."""
    if depth == 0:
        return rng.choice(["s.a", "s.b", "s.a", "3", "1", "0.5", "True", "-2"])
    one, two, three = (write_expression(rng, depth - 1) for _ in range(3))
    forms = [f"({one} {sign} {two})" for sign in ("+", "-", "*", "<", "==", ">=", "and", "or", "!=")]
    forms += [f"({one} if {three} else {two})", f"min({one}, {two})", f"max({one}, {two})", f"(not {one})"]
    forms += [f"({one} // (1 + abs({two})))", f"({one} in ({two}, {three}))", f"int({one})", f"({one} % 7)"]
    return rng.choice([*forms, f"({one} / 3)", f"abs({one})", f"(-{one})"])


def test_random_rules_are_answered_as_alone() -> None:
    rng, columns = random.Random(3), make_columns(80)
    for _ in range(150):
        assert_as_alone(eval(f"lambda s: {write_expression(rng, 3)}"), columns)


class Yard(Scenario):
    """A light that is switched on at one place; rules with `where`."""

    art = "##########\n#S       #\n#        #\n#   #    #\n##########\n"
    legend = {"S": "start"}  # noqa: RUF012
    entrance = "start"
    actions = (*MOVES, "switch")

    def __init__(self, grid: Any = None) -> None:
        super().__init__(grid)
        self.sizes = (len(self.grid.floor), 2)

    def starts(self) -> Any:
        return {Two(self.cell("start"), 0): 1.0}

    def step(self, state: Any, action: int) -> Any:
        if action < len(MOVES):
            return state._replace(a=move(self, state.a, action))
        return [(0.75, state._replace(b=where(state.a == 5, 1, state.b))), (0.25, state, "jams")]

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return where(next_state.b == 1, -1.0, -2.0)

    def is_terminal(self, state: Any) -> Any:
        return (state.a == 20) & (state.b == 1)

    def scene(self, state: Any) -> Scene:
        return self.picture(state.a)


class YardWithIf(Yard):
    """The same with `if`, and nothing else said."""

    def step(self, state: Any, action: int) -> Any:
        if action < len(MOVES):
            return state._replace(a=move(self, state.a, action))
        if state.a == 5:
            return [(0.75, state._replace(b=1)), (0.25, state, "jams")]
        return [(0.75, state), (0.25, state, "jams")]

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return -1.0 if next_state.b else -2.0

    def is_terminal(self, state: Any) -> Any:
        return state.a == 20 and state.b == 1


def test_the_same_rules_with_if_are_the_same_table_and_a_line_says_what_it_costs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mine, theirs = tabulate(YardWithIf(), 1.0), tabulate(Yard(), 1.0)
    for name in ("next_state", "probability", "reward", "terminal"):
        assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name
    check_rules(YardWithIf())
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "class YardWithIf: rules such as is_terminal are written for one state" in error


def test_a_class_that_asks_for_columns_only_is_refused_an_if() -> None:
    own = YardWithIf.is_terminal.rule_of_one_state  # type: ignore[attr-defined]
    with pytest.raises(ContractBroken, match="write where"):
        tabulate(type("Strict", (Yard,), {"one_by_one": False, "is_terminal": own})(), 1.0)


def test_a_mistake_in_a_rule_with_if_is_named_as_python_names_it() -> None:
    def step(self: Any, state: Any, action: int) -> Any:
        return [state, state][5] if state.a > 3 else state._replace(a=state.a + 1)

    with pytest.raises(ContractBroken, match="IndexError: list index out of range"):
        tabulate(type("Mistaken", (YardWithIf,), {"step": step})(), 1.0)
