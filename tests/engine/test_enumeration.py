"""Worlds that can only be stepped: walks, hidden chance, exact draws, copies, files."""

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadFile, BadValue, ContractBroken
from engine.mdp.enumeration.draws import EveryDraw, NotFinite, every_outcome
from engine.mdp.enumeration.frozen_values import NotPlain, copy_plain_values, freeze_value
from engine.mdp.enumeration.simulated import Simulated, every_draw, random_seeds
from engine.mdp.enumeration.walk import WalkedState, load_walk, save_walk, walk


class Line:
    """Cells 0 to 5; action 0 goes on, action 1 back; the end is cell 5. Subclasses add faults."""

    name, actions, rewards, exact_keys = "line", ("on", "back"), 1, True

    def __init__(self) -> None:
        self.cell, self.generator = 0, np.random.Generator(np.random.PCG64(0))

    def snapshot(self) -> Any:
        return self.cell

    def restore(self, snapshot: Any) -> None:
        self.cell = snapshot

    def key(self) -> Hashable:
        return self.cell

    def use(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        self.cell = self.cell + 1 if action == 0 else max(0, self.cell - 1)
        return (-1.0,), self.cell == 5

    def describe(self, key: Hashable) -> str:
        return f"cell {key}"

    def advice(self, keys: Any) -> str:
        return "shorten it"

    def continuous(self, keys: Any) -> str:
        return ""

    def growing(self, path: Any) -> tuple[str, str]:
        return "", ""


class RarelySlipping(Line):
    """Fails once in ten thousand times: two samples hardly ever show it."""

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        if self.generator.random() < 1e-4:
            return (-1.0,), False
        return super().step(action)


class DrawingInVain(Line):
    """Draws a number that changes nothing."""

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        self.generator.random()
        return super().step(action)


class Endless(Line):
    """Has no last cell."""

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        super().step(action)
        return (-1.0,), False


def walked(simulator: Any, chance: Any = None, **settings: Any) -> Any:
    world = Simulated(simulator, chance)
    return walk(world, {world.remember(): 1.0}, **settings)


def test_a_walk_numbers_states_as_they_are_reached() -> None:
    found = walked(Line())
    assert found.places == (*(WalkedState(cell) for cell in range(5)), WalkedState(5, True))
    assert found.next_state[:, :, 0].tolist() == [[1, 0], [2, 0], [3, 1], [4, 2], [5, 3], [5, 5]]
    assert found.reward[:, 0, 0, 0].tolist() == [-1] * 5 + [0]
    assert found.terminal.tolist() == [False] * 5 + [True]


def test_a_state_passed_and_a_state_ended_in_are_two() -> None:
    class BackEnds(Line):
        def step(self, action: int) -> tuple[tuple[float, ...], bool]:
            self.cell = min(self.cell + 1, 3) if action == 0 else max(0, self.cell - 1)
            return (-1.0,), action == 1

    found = walked(BackEnds())
    assert {WalkedState(1), WalkedState(1, True)} <= set(found.places)
    assert found.terminal.sum() == 3


def test_chance_that_two_samples_miss_is_noticed() -> None:
    with pytest.raises(
        ContractBroken, match=r"line, state cell 0, action 'on': chance: it has several outcomes; declare it"
    ):
        walked(RarelySlipping())


def test_a_draw_without_effect_is_no_chance() -> None:
    assert walked(DrawingInVain()).probability.tolist() == walked(Line()).probability.tolist()


def test_chance_without_a_generator_is_noticed_by_two_samples() -> None:
    class Own(Line):
        calls = 0

        def step(self, action: int) -> tuple[tuple[float, ...], bool]:
            Own.calls += 1
            return (-float(Own.calls % 2),), True

    with pytest.raises(ContractBroken, match="not deterministic: two samples differ"):
        walked(Own())


def test_a_key_that_hides_a_part_of_the_state_is_noticed() -> None:
    class Hidden(Line):
        exact_keys = False
        light = 0

        def snapshot(self) -> Any:
            return self.cell, self.light

        def restore(self, snapshot: Any) -> None:
            self.cell, self.light = snapshot

        def step(self, action: int) -> tuple[tuple[float, ...], bool]:
            if action == 1:
                self.light = 1
                return (0.0,), False
            self.cell += 1
            return (-1.0 - self.light,), self.cell == 5

    world = Simulated(Hidden())
    walk(world, {world.remember(): 1.0})
    with pytest.raises(ContractBroken, match="its key hides a part of the state"):
        world.require_keys_tell_states_apart()


def test_unbounded_worlds_are_refused_with_what_they_cost() -> None:
    with pytest.raises(BadValue, match=r"line: more than 100 states: \d+ are done .* shorten it"):
        walked(Endless(), most_states=100)


def test_keys_that_cannot_be_hashed() -> None:
    class Listed(Line):
        def key(self) -> Any:
            return [self.cell]

    with pytest.raises(ContractBroken, match="known by a list, which cannot be hashed; give fingerprint="):
        walked(Listed())


def test_declared_chance_is_exact() -> None:
    class Slipping(Line):
        def step(self, action: int) -> tuple[tuple[float, ...], bool]:
            if self.generator.random() < 0.25:
                return (-3.0,), False
            return super().step(action)

    found = walked(Slipping(), every_draw)
    assert found.probability[0, 0].tolist() == [0.25, 0.75]
    assert found.next_state[0, 0].tolist() == [0, 1]
    assert found.probability[0, 1].tolist() == [1.0, 0.0]
    assert found.reward[0, 1, 0, 0] == pytest.approx(0.25 * -3 + 0.75 * -1)


def test_sampled_chance_is_the_same_every_time() -> None:
    first, second = (walked(RarelySlipping(), random_seeds(range(20))) for _ in range(2))
    assert np.array_equal(first.probability, second.probability)
    assert first.probability[0, 0].tolist() == pytest.approx([1.0])


def outcomes(run: Any) -> Any:
    result: Counter[Any] = Counter()
    for probability, value in every_outcome(run):
        result[value] += Fraction(probability).limit_denominator(10**6)
    return dict(result)


def test_every_draw_follows_all_kinds_of_draws() -> None:
    assert outcomes(lambda g: int(g.integers(1, 4))) == dict.fromkeys((1, 2, 3), Fraction(1, 3))
    assert outcomes(lambda g: int(g.integers(2, endpoint=True))) == dict.fromkeys((0, 1, 2), Fraction(1, 3))
    assert outcomes(lambda g: str(g.choice(["a", "b"], p=[0.1, 0.9]))) == {"a": Fraction(1, 10), "b": Fraction(9, 10)}
    assert outcomes(lambda g: bool(g.random() < 0.3)) == {True: Fraction(3, 10), False: Fraction(7, 10)}
    assert outcomes(lambda g: bool(g.random() < 0.3)) == {True: Fraction(3, 10), False: Fraction(7, 10)}
    assert outcomes(lambda g: int(g.random() * 4)) == dict.fromkeys(range(4), Fraction(1, 4))
    assert outcomes(lambda g: bool(g.uniform(-1, 3) >= 0)) == {True: Fraction(3, 4), False: Fraction(1, 4)}
    law = np.cumsum([0.2, 0.5, 0.3])
    assert outcomes(lambda g: int(np.argmax(law > g.random()))) == {
        0: Fraction(1, 5),
        1: Fraction(1, 2),
        2: Fraction(3, 10),
    }
    orders = outcomes(lambda g: tuple(g.permutation(3).tolist()))
    assert len(orders) == 6
    assert set(orders.values()) == {Fraction(1, 6)}
    pairs = outcomes(lambda g: tuple(g.choice(3, size=2, replace=False).tolist()))
    assert len(pairs) == 6


def test_a_number_compared_twice_stays_the_same_number() -> None:
    def run(g: EveryDraw) -> str:
        u = g.random()
        return "low" if u < 0.2 else "middle" if u < 0.5 else "high"

    assert outcomes(run) == {"low": Fraction(1, 5), "middle": Fraction(3, 10), "high": Fraction(1, 2)}


@pytest.mark.parametrize("run", [lambda g: g.normal(), lambda g: float(g.random()), lambda g: g.integers(10, size=9)])
def test_draws_without_a_short_list_of_results_are_refused(run: Any) -> None:
    with pytest.raises(NotFinite):
        list(every_outcome(run))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(0, 2**32))
def test_exact_draws_agree_with_sampling(sizes: list[int], seed: int) -> None:
    """The law that is found is one: it sums to 1, and what a real generator gives has a probability above 0."""

    def run(generator: Any) -> tuple[int, ...]:
        return tuple(int(generator.integers(size)) for size in sizes)

    law = outcomes(run)
    assert sum(law.values()) == 1
    assert law[run(np.random.Generator(np.random.PCG64(seed)))] > 0


def test_frozen_values_are_equal_where_values_are() -> None:
    class Thing:
        def __init__(self, at: Any) -> None:
            self.at = at

    assert freeze_value(np.array([1, 2])) == freeze_value(np.array([1, 2])) != freeze_value(np.array([1, 3]))
    assert freeze_value({"a": [1, {2, 3}]}) == freeze_value({"a": [1, {3, 2}]})
    assert freeze_value(Thing((1, 2))) == freeze_value(Thing((1, 2))) != freeze_value(Thing((2, 1)))
    assert freeze_value(-0.0) == freeze_value(0.0)
    assert freeze_value([float("nan"), 1.5]) == freeze_value([float("nan"), 1.5])
    assert freeze_value({"a": np.float64("nan")}) == freeze_value({"a": float("nan")})
    one = Thing(0)
    assert freeze_value([one, one]) != freeze_value([Thing(0), Thing(0)])
    one.at = one
    assert isinstance(hash(freeze_value(one)), int)
    assert freeze_value(np.random.Generator(np.random.PCG64(1))) == freeze_value(
        np.random.Generator(np.random.PCG64(2))
    )


def test_plain_copies_are_independent() -> None:
    values = [1, "a", [1, 2], {"k": 1}, np.zeros(2), (1, (2, 3))]
    copies = copy_plain_values(values)
    values[2].append(3)  # type: ignore[union-attr]
    values[4][0] = 5  # type: ignore[index]
    assert copies[2] == [1, 2]
    assert copies[4].tolist() == [0, 0]
    shared = [1]
    for odd in ([[[1]]], [{"a": [1]}], [object()], [shared, shared]):
        with pytest.raises(NotPlain):
            copy_plain_values(odd)


def test_a_walk_is_kept_in_a_file(tmp_path: Any) -> None:
    path, found = tmp_path / "line.npz", walked(Line())
    save_walk(path, found, "mark")
    world = Simulated(Line())
    starts = {world.remember(): 1.0}
    kept = load_walk(path, "mark", world, starts)
    assert kept is not None
    assert kept.places == found.places
    assert np.array_equal(kept.next_state, found.next_state)
    assert load_walk(path, "another mark", world, starts) is None
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadFile, match="not a readable file of a walk; delete it"):
        load_walk(path, "mark", world, starts)


def test_a_file_of_another_world_with_the_same_mark_is_made_again(tmp_path: Any) -> None:
    class Longer(Line):
        def step(self, action: int) -> tuple[tuple[float, ...], bool]:
            super().step(action)
            return (-1.0,), self.cell == 4

    path = tmp_path / "line.npz"
    save_walk(path, walked(Line()), "mark")
    world = Simulated(Longer())
    assert load_walk(path, "mark", world, {world.remember(): 1.0}) is None


def test_a_dict_that_shrinks_while_it_is_frozen_is_frozen_as_it_was() -> None:
    """As the content of a weak dictionary does, where garbage is collected meanwhile."""

    class Removing:
        __slots__ = ()

        def __reduce_ex__(self, protocol: Any) -> Any:
            entries.pop("last", None)
            return dict, ()

    entries: dict[str, Any] = {"first": Removing(), "last": 1}
    frozen = freeze_value(entries)
    assert "last" not in entries
    assert freeze_value({"first": Removing(), "last": 1}) == frozen
