"""Tabulation: state by state and by columns gives the same table; broken contracts are refused."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

from engine.errors import BadValue, ContractBroken
from engine.mdp import tabulate as tabulation
from engine.mdp.mdp import Outcome, check_discount
from engine.mdp.tabulate import tabulate
from tests.engine.worlds import Columns, OneByOne, Place, columns


@given(columns())
@settings(max_examples=150, deadline=None)
def test_columns_and_single_states_give_the_same_table(world: Columns) -> None:
    fast, plain = tabulate(world, 0.9), tabulate(OneByOne(world), 0.9)
    assert list(fast.states) == list(plain.states)
    assert fast.actions == plain.actions
    for name in ("next_state", "probability", "reward", "terminal", "start"):
        one, other = getattr(fast, name), getattr(plain, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    for number, state in enumerate(plain.states):
        assert fast.index[state] == plain.index[state] == number
        assert fast.states[number] == state
        assert all(type(field) is int for field in fast.states[number])


@given(columns())
@settings(max_examples=50, deadline=None)
def test_a_table_keeps_its_promises(world: Columns) -> None:
    table = tabulate(world)
    np.testing.assert_allclose(table.probability.sum(axis=2), 1.0)
    ends = np.flatnonzero(table.terminal)
    assert (table.next_state[ends] == ends[:, None, None]).all()
    assert (table.reward[ends] == 0.0).all()
    assert table.start.sum() == pytest.approx(1.0)
    assert table.is_deterministic


def world_of(rows: int = 2, columns: int = 3) -> Columns:
    """A small world: "a" counts up, "b" and "c" stay; the last state is the end."""
    count = rows * columns
    stay = np.arange(count)
    return Columns(
        (rows, columns),
        [np.minimum(stay + 1, count - 1), stay, stay],
        [np.full(count, -1.0)] * 3,
        stay == count - 1,
        {Place(0, 0): 1.0},
    )


def test_states_answer_like_a_sequence_and_the_index_like_a_mapping() -> None:
    table = tabulate(world_of())
    assert table.states[-1] == Place(1, 2)
    assert table.states[1:3] == [Place(0, 1), Place(0, 2)]
    with pytest.raises(IndexError):
        table.states[6]
    assert table.index.get(Place(0, 0)) == 0
    for nowhere in (Place(5, 5), Place(-1, 0)):
        assert nowhere not in table.index
        with pytest.raises(KeyError):
            table.index[nowhere]
    assert dict(table.index) == {state: n for n, state in enumerate(table.states)}
    lone = tabulate(world_of(), starts={Place(1, 1): 1.0})
    assert list(lone.states) == [Place(1, 1), Place(1, 2)]
    assert Place(0, 0) not in lone.index
    assert list(lone.index.numbers(Place(np.array([0, 1]), np.array([0, 2])))) == [-1, 1]  # type: ignore[attr-defined]


def test_a_column_world_that_leaves_its_sizes_breaks_the_contract() -> None:
    world = world_of()
    world.target = [target + 3 for target in world.target]
    with pytest.raises(ContractBroken, match=r"Columns: step, action 'a', gave 2 to 2 in field 'row'; its size is 2"):
        tabulate(world)
    world = world_of()
    world.sizes = (2, 3, 4)  # type: ignore[assignment]
    with pytest.raises(ContractBroken, match="3 sizes for the 2 fields of Place"):
        tabulate(world)


@pytest.mark.parametrize("reward", [np.nan, np.inf, -np.inf])
def test_rewards_must_be_finite(reward: float) -> None:
    world = world_of()
    world.rewards = [np.full(6, reward)] * 3
    for model in (world, OneByOne(world)):
        with pytest.raises(ContractBroken, match=r"reward .* is not finite"):
            tabulate(model)  # type: ignore[arg-type]


class Die(NamedTuple):
    """A state of `Dice`."""

    eyes: int


class Dice:
    """One throw of a die, given state by state; `law`: eyes -> probability."""

    actions = ("throw",)

    def __init__(self, law: Mapping[int, float]) -> None:
        self.law = law

    def starts(self) -> Mapping[Die, float]:
        return {Die(0): 1.0}

    def outcomes(self, state: Die, action: int) -> Iterable[Outcome]:
        return [Outcome(Die(eyes), float(eyes), chance) for eyes, chance in self.law.items()]

    def is_terminal(self, state: Die) -> bool:
        return state.eyes > 0


def test_a_stochastic_world_keeps_every_outcome() -> None:
    table = tabulate(Dice({1: 0.25, 2: 0.75}))
    assert table.states == (Die(0), Die(1), Die(2))
    assert not table.is_deterministic
    np.testing.assert_array_equal(table.next_state[0, 0], [1, 2])
    np.testing.assert_array_equal(table.probability[0, 0], [0.25, 0.75])
    np.testing.assert_array_equal(table.probability[1, 0], [1.0, 0.0])


@pytest.mark.parametrize(
    "law", [{1: 0.5}, {1: 0.7, 2: 0.7}, {1: 0.0}, {1: 1.5, 2: -0.5}, {1: float("nan")}, {1: float("nan"), 2: 1.0}]
)
def test_probabilities_must_be_a_distribution(law: dict[int, float]) -> None:
    with pytest.raises(ContractBroken, match=r"Dice, state Die.eyes=0., action 'throw'"):
        tabulate(Dice(law))


@pytest.mark.parametrize("starts", [{}, {Die(0): 0.5}, {Die(0): 1.5, Die(1): -0.5}, {Die(0): float("nan")}])
def test_start_probabilities_must_be_a_distribution(starts: dict[Any, float]) -> None:
    with pytest.raises(BadValue, match="Dice: start probabilities"):
        tabulate(Dice({1: 1.0}), starts=starts)


@pytest.mark.parametrize("discount", [-0.1, 1.1, float("nan"), float("inf")])
def test_discounts_outside_0_and_1(discount: float) -> None:
    with pytest.raises(BadValue, match="discount"):
        check_discount(discount)
    with pytest.raises(BadValue, match="discount"):
        tabulate(Dice({1: 1.0}), discount)


def test_the_same_world_with_another_reward() -> None:
    table = tabulate(Dice({1: 1.0}))
    assert table.with_reward(2 * table.reward).reward[0, 0, 0] == 2.0
    assert table.with_discount(0.5).discount == 0.5
    with pytest.raises(BadValue, match="a reward of shape"):
        table.with_reward(np.zeros(3))


def test_too_many_possible_states_are_refused_before_they_are_allocated() -> None:
    world = world_of()
    world.sizes = (2**20, 2**20)
    with pytest.raises(BadValue, match="possible states; draw a smaller map"):
        tabulate(world)


class Step(NamedTuple):
    n: int


class Corridor:
    """One place after the other."""

    actions = ("on",)
    sizes = (10_000,)

    def starts(self) -> dict[Step, float]:
        return {Step(0): 1.0}

    def step(self, state: Any, action: int) -> Any:
        return Step(np.minimum(state.n + 1, 9_999))

    def reward(self, state: Any, action: int, next_state: Any) -> float:
        return -1.0

    def is_terminal(self, state: Any) -> Any:
        return state.n == 9_999


def test_a_table_that_does_not_fit_is_refused_with_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabulation, "available_bytes", lambda: 100.5 * tabulation.BYTES)
    with pytest.raises(BadValue, match=r"at least 101 states take 0\.0 GiB of memory.* draw a smaller map"):
        tabulate(Corridor())


class Slippery(Corridor):
    """A step may fail."""

    def step(self, state: Any, action: int) -> Any:
        return [(0.5, super().step(state, action)), (0.5, state)]


def test_every_outcome_of_a_step_counts_in_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabulation, "available_bytes", lambda: 100.5 * tabulation.BYTES)
    with pytest.raises(BadValue, match="at least 51 states"):
        tabulate(Slippery())


class Square(NamedTuple):
    row: int
    column: int


class Plain:
    """A square of places, or its diagonal alone."""

    actions = ("down", "right")

    def __init__(self, side: int, diagonal: bool = False) -> None:
        self.sizes, self.last, self.diagonal, self.asked = (side, side), side - 1, diagonal, 0

    def starts(self) -> dict[Square, float]:
        return {Square(0, 0): 1.0}

    def step(self, state: Any, action: int) -> Any:
        self.asked += 1
        row = np.minimum(state.row + (action == 0 or self.diagonal), self.last)
        return Square(row, np.minimum(state.column + (action == 1 or self.diagonal), self.last))

    def reward(self, state: Any, action: int, next_state: Any) -> float:
        return -1.0

    def is_terminal(self, state: Any) -> Any:
        return (state.row == self.last) & (state.column == self.last)


def test_a_table_that_is_far_too_large_is_refused_after_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabulation, "SAMPLE", 500)
    monkeypatch.setattr(tabulation, "available_bytes", lambda: 50_000.0 * tabulation.BYTES)
    world = Plain(1000)
    with pytest.raises(BadValue, match=r"about \d{3},\d{3} states take 0\.1 GiB of memory.* draw a smaller map"):
        tabulate(world)
    assert world.asked < 100
    assert len(tabulate(Plain(1000, diagonal=True)).states) == 1000
    assert len(tabulate(Plain(150)).states) == 150 * 150


def test_memory_is_known_or_unlimited() -> None:
    assert tabulation.available_bytes() > 2**20


@given(columns())
@settings(max_examples=50, deadline=None)
def test_enumeration_stops_where_there_are_more_states_than_asked_for(world: Columns) -> None:
    for model in (world, OneByOne(world)):
        count = len(tabulate(model).states)
        assert len(tabulate(model, most_states=count).states) == count
        with pytest.raises(BadValue, match=f"more than {count - 1} states"):
            tabulate(model, most_states=count - 1)


def test_a_table_takes_few_bytes_a_state_and_action_while_it_is_made() -> None:
    """Four of the next state and eight of the reward are kept; nothing is there twice, and no state is an object."""
    world = Plain(300)
    tracemalloc.start()
    tabulate(world)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * 300**2 * len(world.actions)
