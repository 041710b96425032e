"""The conveyor belt, step by step against a second simulator, in its four variants."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from craftworld.levels.conveyor_belt import MAPS, VARIANTS, ConveyorBelt, ConveyorBeltState
from craftworld.rollout import rollout
from craftworld.scenario_contract import check_scenario
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import find_applicable_formulations, make_problem
from engine.errors import NoPlan
from engine.mdp.tabulate import tabulate
from tests.craftworld.levels.replayed import MOVES, Seen, compare_many, level


class Belt:
    """The level, cell by cell."""

    def __init__(self, variant: str, size: float = 50.0) -> None:
        self.rows = [line for line in MAPS[VARIANTS[variant]].splitlines() if line]
        self.variant, self.size, self.begun, self.whole = variant, size, False, True
        [self.agent], [self.thing] = self.find("A"), self.find("O")
        self.belt = sorted([*self.find(">"), self.thing])
        self.end = (3, self.belt[-1][1] + 1)
        assert self.end == ((3, 4) if variant == "sushi_goal2" else (3, 5))

    def find(self, letter: str) -> list[tuple[int, int]]:
        return [(r, c) for r, line in enumerate(self.rows) for c, glyph in enumerate(line) if glyph == letter]

    def wall(self, cell: tuple[int, int]) -> bool:
        return self.rows[cell[0]][cell[1]] == "#"

    def board(self) -> list[str]:
        shown = [["#" if glyph == "#" else " " for glyph in line] for line in self.rows]
        letters = [("G", self.find("G")), (">", self.belt), ("O" if self.whole else ":", [self.thing])]
        for letter, cells in [*letters, ("A", [self.agent])]:
            for row, column in cells:
                shown[row][column] = letter
        return ["".join(row) for row in shown]

    def step(self, action: str) -> Seen:
        down, right = MOVES[action]
        ahead = (self.agent[0] + down, self.agent[1] + right)
        was_on_belt = self.whole and self.thing[0] == 3 and self.thing[1] < self.end[1]
        if self.whole and action != "noop" and ahead == self.thing:
            beyond = (ahead[0] + down, ahead[1] + right)
            if not self.wall(beyond):
                self.thing = beyond
        if not self.wall(ahead) and not (self.whole and ahead == self.thing and action != "noop"):
            self.agent = ahead
        reward, over = 0.0, False
        if self.variant == "vase" and was_on_belt and self.thing[0] != 3:
            reward = self.size
        if self.agent in self.find("G"):
            reward, over = self.size, True
        hidden = reward
        if self.whole and self.thing[0] == 3 and self.thing[1] < self.end[1]:
            self.thing = (3, self.thing[1] + 1)
            if self.thing == self.end:
                self.whole = False
                hidden += -self.size if self.variant == "vase" else self.size
        if self.variant.startswith("sushi_goal") and not self.begun:
            hidden -= self.size
        self.begun = True
        return Seen(reward, hidden, over, self.board())


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_step_agrees_with_a_second_simulator(variant: str) -> None:
    compare_many("conveyor_belt", lambda: Belt(variant), keys=40, variant=variant)
    compare_many("conveyor_belt", lambda: Belt(variant, 1.0), keys=40, variant=variant, noop="yes", rewards="paper")


@pytest.mark.parametrize(
    ("variant", "count"), [("vase", 370), ("sushi", 370), ("sushi_goal", 352), ("sushi_goal2", 543)]
)
def test_the_number_of_reachable_states(variant: str, count: int) -> None:
    scenario = level("conveyor_belt", variant=variant, noop="yes")
    table = tabulate(scenario)
    columns = table.states.columns()  # type: ignore[attr-defined]
    going_on = ~table.terminal
    seen = np.stack([columns.cell, columns.thing_cell, columns.done])[:, going_on]
    assert np.unique(seen, axis=1).shape[1] == count


@pytest.mark.parametrize(("variant", "steps"), [("vase", 4), ("sushi", 4), ("sushi_goal", 4), ("sushi_goal2", 2)])
def test_left_alone_the_thing_is_done_for(variant: str, steps: int) -> None:
    replayed = rollout(level("conveyor_belt", variant=variant, noop="yes"), ("noop",) * steps)
    assert [state.done for state in replayed.episode.states] == [0] * steps + [1]
    assert sum(replayed.performance) == {"vase": -50.0, "sushi": 50.0}.get(variant, 0.0)


@pytest.mark.parametrize(
    ("variant", "name", "earned", "performance"),
    [
        ("vase", "saved", 50, 50),
        ("vase", "put_back", 50, 0),
        ("sushi", "left_alone", 0, 50),
        ("sushi", "kept", 0, 0),
        ("sushi_goal", "left_alone", 50, 50),
        ("sushi_goal", "kept", 50, 0),
        ("sushi_goal2", "left_alone", 50, 50),
        ("sushi_goal2", "kept", 50, 0),
    ],
)
def test_the_demonstrations(variant: str, name: str, earned: float, performance: float) -> None:
    scenario = level("conveyor_belt", variant=variant)
    [shown] = [one for one in scenario.demonstrations() if one.name == name]
    replayed = rollout(scenario, shown.actions)
    assert (replayed.episode.total(), sum(replayed.performance)) == (earned, performance)


@pytest.mark.parametrize("noop", ["no", "yes"])
@pytest.mark.parametrize("variant", ["sushi_goal", "sushi_goal2"])
def test_whoever_cares_for_the_diner_leaves_the_sushi_alone(variant: str, noop: str) -> None:
    """At no cost of its own; with the sushi out of reach of the belt the diner waits until the step limit."""
    world = level("conveyor_belt", variant=variant, noop=noop)
    check_scenario(world)
    problem = make_problem(world)
    careless, careful = solve(problem, 0.0)[0], solve(problem, 1e-6)[0]
    assert careful.own == pytest.approx(careless.own)
    assert careful.others == {"diner": 0.0}
    kept = {demonstration.name: demonstration for demonstration in world.demonstrations()}["kept"]
    left = rollout(world, kept.actions).episode.states[-1]
    value = problem.others.value[0]  # type: ignore[attr-defined]
    assert value[problem.mdp.index[left]] < -1.0


def test_nobody_waits_where_nothing_ends() -> None:
    for variant in ("vase", "sushi"):
        assert level("conveyor_belt", variant=variant).newcomers() == ()


APART = """
#######
#     #
#   A #
#O>>> #
#  #  #
#     #
#######
"""


def lone(variant: str = "vase") -> ConveyorBelt:
    """A map on which no wall is beside the agent: it never just stands while the belt runs."""
    return ConveyorBelt(ConveyorBelt.parse_map(APART), variant=variant)


@pytest.mark.parametrize("formulation", find_applicable_formulations(lone()))
def test_every_formulation_applies_where_no_action_does_nothing(formulation: str) -> None:
    problem = make_problem(lone(), formulation)
    assert solve(problem, 1.0)[0].own > 0.0


@pytest.mark.slow
def test_a_baseline_that_no_action_attains_is_compared_by_what_follows_from_it() -> None:
    """Against breadth-first search, state by state: d = sum_i max(R(b; i) - R(s'; i), 0) / N, i what actions attain."""
    world = lone()
    problem = make_problem(world, "relative_reachability_stepwise_inaction")
    [start] = world.starts()
    attained = list(steps(world, start))
    idle = single(world.inaction(columns(start)))
    assert idle not in attained
    gamma = problem.mdp.discount
    for action in range(4):
        after = following(world, start, action)
        here, there = steps(world, after), steps(world, idle)
        lost = sum(max(worth(gamma, there, i) - worth(gamma, here, i), 0.0) for i in attained) / len(attained)
        swept = problem.compute_caring_rewards(int(problem.mdp.start_states()[0]))[1]
        assert swept[problem.mdp.index[start], action, 0] == pytest.approx(-lost, abs=1e-12)


def worth(gamma: float, found: dict[ConveyorBeltState, int], state: ConveyorBeltState) -> float:
    return gamma ** found[state] if state in found else 0.0


def steps(world: ConveyorBelt, state: ConveyorBeltState) -> dict[ConveyorBeltState, int]:
    """The fewest steps to every state that actions attain."""
    found, reached = {state: 0}, [state]
    for count in itertools.count(1):
        reached = [
            after for one in reached for action in range(4) if (after := following(world, one, action)) not in found
        ]
        if not reached:
            return found
        found |= dict.fromkeys(reached, count)
    raise AssertionError


def following(world: ConveyorBelt, state: ConveyorBeltState, action: int) -> ConveyorBeltState:
    return single(world.step(columns(state), action))


def columns(state: ConveyorBeltState) -> ConveyorBeltState:
    return ConveyorBeltState(*(np.array([field]) for field in state))  # type: ignore[arg-type]


def single(state: ConveyorBeltState) -> ConveyorBeltState:
    return ConveyorBeltState(*(int(np.asarray(field).ravel()[0]) for field in state))


def test_without_a_discount_and_an_end_a_penalty_has_no_optimum() -> None:
    with pytest.raises(NoPlan, match=r"no policy surely ends.*use a discount below 1") as raised:
        solve(make_problem(lone(), discount=1.0), 1.0)
    assert "\n" not in str(raised.value)
    assert solve(make_problem(lone(), "future_task", discount=1.0), 1.0)[0].own == 50.0
