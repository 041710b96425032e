"""Scenarios whose rules are for one state at a time: their tables are those of the rules, written out one by one."""

import functools
import math
import random
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest

from craftworld.scenario import Newcomer, Scenario
from craftworld.scenario_contract import check_scenario
from craftworld.scenarios.playroom import Playroom
from craftworld.solution.exact_solution import find_break_points
from craftworld.solution.problem import make_problem
from engine.errors import ContractBroken
from engine.mdp.mdp import Outcome
from engine.mdp.tabulate import tabulate
from engine.scene import Scene

CELLS, LAMPS = 7, 3


class Place(NamedTuple):
    cell: int
    lamp: int


class Drawn(Scenario):
    """Rules drawn at random: numbers of outcomes that differ from state to state, with names, without, or certain."""

    one_by_one = True
    art = "#########\n#S      #\n#########\n"
    legend = {"S": "start"}  # noqa: RUF012
    entrance = "start"
    actions = ("left", "right", "wait")
    sizes = (CELLS, LAMPS)
    seed = 0

    def starts(self) -> Any:
        return {Place(0, 0): 0.25, Place(1, 2): 0.75}

    def _draw(self, *asked: Any) -> random.Random:
        return random.Random(repr((self.seed, *map(tuple, asked[:1]), asked[1:])))

    def _draw_state(self, rng: random.Random) -> Place:
        return Place(rng.randrange(CELLS), rng.randrange(LAMPS))

    def step(self, state: Any, action: int) -> Any:
        rng = self._draw(state, action)
        if state.lamp == action:
            return state
        if rng.random() < 0.3:
            return self._draw_state(rng)
        names = rng.sample(("slips", "stays", "", ""), rng.randrange(1, 5))
        chances = [0.5**number for number in range(1, len(names))]
        return [
            (chance, self._draw_state(rng), *([name] if name else []))
            for name, chance in zip(names, [*chances, 1.0 - sum(chances)], strict=True)
        ]

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return -1 if state.lamp else -2.5 - next_state.cell

    def is_terminal(self, state: Any) -> Any:
        return state.cell == CELLS - 1 and state.lamp > 0

    def available(self, state: Any, action: int) -> Any:
        return action == 2 or state.cell % 2 == 0

    def ends(self, state: Any, action: int, next_state: Any) -> Any:
        return action == 2 and next_state.lamp == 1

    def newcomers(self) -> tuple[Newcomer, ...]:
        return (Newcomer("next agent", Playroom()),)

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        if state.lamp == 2:
            return [(0.5, Place(0, 0)), (0.5, Place(state.cell, 1))]
        return Place(state.cell, 0)

    def scene(self, state: Any) -> Scene:
        return self.picture(state.cell)


@pytest.mark.parametrize("seed", range(8))
def test_the_table_is_what_the_rules_say_of_each_state(seed: int) -> None:
    world = Drawn()
    world.seed = seed
    table = tabulate(world, 1.0)
    for number, state in enumerate(table.states):
        assert table.terminal[number] >= world.is_terminal(state)  # where an episode has ended, too
        if table.terminal[number]:
            continue
        for action in range(len(world.actions)):
            if not world.available(state, action):
                continue
            expected: dict[Place, float] = defaultdict(float)
            given = world.step(state, action)
            for chance, after, *_ in [(1.0, given)] if isinstance(given, Place) else given:
                expected[after] += chance
            found: dict[Place, float] = defaultdict(float)
            slots = zip(table.next_state[number, action], table.probability[number, action], strict=True)
            for slot, (following, chance) in enumerate(slots):
                if chance > 0.0:
                    after = table.states[int(following)]
                    found[after] += chance
                    assert table.reward[number, action, slot] == world.reward(state, action, after)
                    assert table.terminal[following] == (world.is_terminal(after) or world.ends(state, action, after))
            assert found == pytest.approx(expected)


class PlainPlayroom(Playroom):
    """The shipped playroom, its rules asked about one state at a time."""

    one_by_one = True

    def step(self, state: Any, action: int) -> Any:
        return type(state)(*map(int, super().step(state, action)))

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return float(super().reward(state, action, next_state))


def test_a_shipped_world_asked_one_by_one_is_the_same() -> None:
    one, other = PlainPlayroom(), Playroom()
    check_scenario(one)
    mine, theirs = tabulate(one, 1.0), tabulate(other, 1.0)
    assert np.array_equal(mine.next_state, theirs.next_state)
    assert np.array_equal(mine.reward, theirs.reward)
    assert find_break_points(make_problem(one)) == find_break_points(make_problem(other))


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"step": lambda self, state, action: None}, "step, action 'left', gave NoneType"),
        ({"step": lambda self, state, action: (3, 0)}, "step, action 'left', gave tuple"),
        ({"step": lambda self, state, action: []}, "step, action 'left', gave list"),
        ({"step": lambda self, state, action: [(0.4, state)]}, "probabilities that sum to 0.4"),
        ({"step": lambda self, state, action: [(0.5, state, "a"), (0.5, state, "a")]}, "'a'"),
        ({"step": lambda self, state, action: state._replace(lamp=0.5)}, "gave field 'lamp' of type float64"),
        ({"step": lambda self, state, action: state._replace(lamp=state.lamp + 7)}, "lamp"),
        ({"reward": lambda self, state, action, after: None}, "reward, action 'left', gave None"),
        ({"reward": lambda self, state, action, after: math.nan}, "nan is not finite"),
        ({"reward": lambda self, state, action, after: 1 // state.cell}, "ZeroDivisionError"),
        ({"is_terminal": lambda self, state: "no"}, "is_terminal gave 'no'"),
        ({"one_by_one": False, "is_terminal": lambda self, state: False}, "one_by_one = True instead"),
    ],
)
def test_a_mistake_is_one_line_with_the_rule(rule: dict[str, Any], says: str) -> None:
    with pytest.raises(ContractBroken) as caught:
        tabulate(type("Mistaken", (Drawn,), {"reward": Drawn.reward.rule_of_one_state, **rule})(), 1.0)  # type: ignore[attr-defined]
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


class Walk(Drawn):
    """A small world, with rules that any kind of Python may say."""

    def step(self, state: Any, action: int) -> Any:
        return state._replace(cell=min(state.cell + action, CELLS - 1))

    def available(self, state: Any, action: int) -> Any:
        return True


class BesideScenario:
    def step(self, state: Any, action: int) -> Any:
        return state if action == 0 else state._replace(cell=min(state.cell + action, CELLS - 1))


class Mixed(BesideScenario, Walk):
    pass


class Static(Walk):
    @staticmethod
    def step(state: Any, action: int) -> Any:
        return state if action == 0 else state._replace(cell=min(state.cell + action, CELLS - 1))


class OfClass(Walk):
    end = CELLS - 1

    @classmethod
    def step(cls, state: Any, action: int) -> Any:
        return state if action == 0 else state._replace(cell=min(state.cell + action, cls.end))


class Partly(Walk):
    def _move(self, end: int, state: Any, action: int) -> Any:
        return state if action == 0 else state._replace(cell=min(state.cell + action, end))

    step = functools.partialmethod(_move, CELLS - 1)


@pytest.mark.parametrize("kind", [Mixed, Static, OfClass, Partly])
def test_rules_are_bound_as_python_binds_them(kind: type[Walk]) -> None:
    mine, theirs = tabulate(kind(), 0.9), tabulate(Walk(), 0.9)
    assert np.array_equal(mine.next_state, theirs.next_state)
    assert np.array_equal(mine.reward, theirs.reward)


def _make_forgetful_of_chance() -> dict[str, Any]:
    generator = np.random.Generator(np.random.PCG64(0))
    return {"step": lambda self, state, action: Walk.step(self, state, action if generator.random() < 0.5 else 0)}


def _make_counting() -> dict[str, Any]:
    calls: list[Any] = []

    def step(self: Any, state: Any, action: int) -> Any:
        calls.append(state)
        return Walk.step(self, state, action) if len(calls) < 15 else state

    return {"step": step}


def _make_noisy() -> dict[str, Any]:
    generator = np.random.Generator(np.random.PCG64(0))
    return {"reward": lambda self, state, action, after: float(generator.normal())}


class OneValueForAll(Walk):
    """Rules for columns that are not those of each state: they look at the others."""

    one_by_one = False

    def step(self, state: Any, action: int) -> Any:
        return state._replace(cell=np.minimum(state.cell + action, CELLS - 1))

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return next_state.cell - 1.0 * next_state.cell.max()

    def is_terminal(self, state: Any) -> Any:
        return state.cell < 0

    def available(self, state: Any, action: int) -> Any:
        return True

    def ends(self, state: Any, action: int, next_state: Any) -> Any:
        return state.cell < 0


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (type("Chance", (Walk,), _make_forgetful_of_chance()), "the next states of action"),
        (type("Counting", (Walk,), _make_counting()), "the next states of action"),
        (type("Noisy", (Walk,), _make_noisy()), "rewards of action"),
        (OneValueForAll, "rewards of action"),
    ],
)
def test_rules_that_answer_otherwise_when_asked_again_are_refused(kind: type[Walk], says: str) -> None:
    with pytest.raises(ContractBroken) as caught:
        tabulate(kind(), 0.9)
    assert says in str(caught.value)
    assert "were others when it was asked again" in str(caught.value)


class DrawnOutcomes:
    """A model of single states, whose outcomes are drawn in place of listed."""

    actions = ("go",)

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(0))

    def starts(self) -> Any:
        return {0: 1.0}

    def is_terminal(self, state: int) -> bool:
        return state >= CELLS

    def outcomes(self, state: int, action: int) -> Any:
        return [Outcome(state + 1, float(self.generator.integers(100)))]


def test_models_of_single_states_are_asked_again_too() -> None:
    with pytest.raises(ContractBroken, match="rewards of action 'go' in 6 were others when it was asked again"):
        tabulate(DrawnOutcomes(), 0.9)
