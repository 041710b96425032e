"""The kitchen tasks transition by transition against a second program, on the published map and on own ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.main import main
from craftworld.formulations import FORMULATIONS
from craftworld.others.auxiliary_tasks import AuxiliaryTasks
from craftworld.rollout import rollout
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.kitchen_tasks import Kitchen
from craftworld.solution.exact_solution import find_alternative_outcomes, find_ties, solve, solve_trade_off
from craftworld.solution.problem import find_applicable_formulations, make_problem
from craftworld.solution.sweep import sweep_by_learning
from engine.errors import CaregridError, MapError
from engine.grid import Cell
from engine.mdp.tabulate import tabulate
from tests.craftworld import kitchen_simulator as second

TASKS = tuple(second.FLAGS)
ROLES = ("acting", "own", "other")
STARTS = {
    "salad": {"untouched": {}, "spoiled": {"spoiled": 1}},
    "peanut": {"untouched": {}, "dirty": {"dirt": 1}, "very_dirty": {"dirt": 2}},
    "salt": {
        "untouched": {},
        "open": {"open": 1},
        "up": {"up": 1},
        "damp": {"damp": 1},
        "damp_up": {"damp": 1, "up": 1},
    },
    "cookie": {"untouched": {}, "hot": {"hot": 1}},
}
CASES = [(task, role, start) for task in TASKS for role in ROLES for start in STARTS[task]]
KINDS = {"salad": ("next cook", "next cook"), "peanut": ("cook without allergy", "allergic cook")}
KINDS |= {"salt": ("tall cook", "short cook"), "cookie": ("cook", "baker")}


def kitchen(task: str, drawing: list[str] | None = None, **options: Any) -> Kitchen:
    kind: Any = SCENARIOS[f"kitchen_{task}"]
    grid = None if drawing is None else kind.parse_map("\n".join(drawing) + "\n")
    made = make_scenario(kind, grid, **options)
    assert isinstance(made, Kitchen)
    return made


def plain(world: Kitchen, state: Any) -> second.State:
    """Our state as the second program has it."""
    row, column = world.grid.floor[state.cell]
    return {"at": (column, row), **{name: int(getattr(state, name)) for name in state._fields[1:]}}


def columns(world: Kitchen, states: list[second.State]) -> Any:
    """Many states of the second program as ours."""
    cells = [world.grid.number[Cell(state["at"][1], state["at"][0])] for state in states]
    rest = [[state[name] for state in states] for name in world.state._fields[1:]]
    return world.state(*(np.array(field, dtype=np.int64) for field in (cells, *rest)))


def every_state(task: str, drawing: list[str]) -> list[second.State]:
    """Every cell with every combination of flags, reachable or not."""
    floor = [(x, y) for y, row in enumerate(drawing) for x, glyph in enumerate(row) if glyph != "#"]
    result: list[second.State] = [{"at": at} for at in floor]
    for name in second.FLAGS[task]:
        values = range(3 if name == "dirt" else 2)
        result = [{**state, name: value} for state in result for value in values]
    return result


def assert_same_rules(task: str, role: str, drawing: list[str]) -> None:
    """Each action from each state leads to the same state, reward and ending; the same is handed over."""
    world = kitchen(task, drawing, role=role)
    states = every_state(task, drawing)
    given_states = columns(world, states)
    assert list(world.actions) == second.action_names(task, role)
    for number, action in enumerate(world.actions):
        after = world.step(given_states, number)
        ours = [plain(world, world.state(*row)) for row in zip(*after, strict=True)]
        ended = np.broadcast_to(world.is_terminal(after), len(states))
        reward = np.broadcast_to(world.reward(given_states, number, after), len(states))
        for n, state in enumerate(states):
            expected = second.step(task, role, drawing, state, action)
            assert (ours[n], reward[n], bool(ended[n])) == expected, (state, action)
    for newcomer in world.newcomers():
        begins = world.handover(given_states, newcomer)
        for n, state in enumerate(states):
            found = second.fresh(task, drawing, **second.handed_over(task, state))
            assert plain(world, world.state(*(field[n] for field in begins))) == found


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("task", TASKS)
def test_every_transition_is_the_second_programs(task: str, role: str) -> None:
    assert_same_rules(task, role, second.MAPS[task])


@pytest.mark.parametrize(("task", "role", "start"), CASES)
def test_episodes_begin_and_end_as_in_the_second_program(task: str, role: str, start: str) -> None:
    """The whole table from a start: walked side by side, breadth first."""
    world, drawing = kitchen(task, role=role, start=start), second.MAPS[task]
    mdp = tabulate(world)
    [begin] = mdp.start_states()
    assert plain(world, mdp.states[int(begin)]) == second.fresh(task, drawing, **STARTS[task][start])
    assert len(mdp.states) < 200
    for number in range(len(mdp.states)):
        if mdp.terminal[number]:
            continue
        for action in range(len(mdp.actions)):
            after, reward, ended = second.step(
                task, role, drawing, plain(world, mdp.states[number]), mdp.actions[action]
            )
            target = int(mdp.next_state[number, action, 0])
            assert plain(world, mdp.states[target]) == after
            assert (float(mdp.reward[number, action, 0]), bool(mdp.terminal[target])) == (reward, ended)


@pytest.mark.parametrize("task", TASKS)
def test_training_may_begin_with_each_published_start(task: str) -> None:
    world = kitchen(task, start="uniform")
    found = [plain(world, state) for state in world.starts()]
    assert set(world.starts().values()) == {1 / len(found)}
    published = [start for start in STARTS[task] if not start.startswith("damp")]
    assert found == [second.fresh(task, second.MAPS[task], **STARTS[task][start]) for start in published]


def assert_same_optima(task: str, drawing: list[str], start: str, chance: float) -> None:
    """The exact segments against an enumeration: every end with its own return and the newcomers' values."""
    world = kitchen(task, drawing, probability=chance, start=start, report="both")
    ends = second.ends(task, drawing, second.fresh(task, drawing, **STARTS[task][start]))
    if not ends:
        return
    values = {
        found: [
            second.best_return(task, role, drawing, second.fresh(task, drawing, **dict(found))) for role in ROLES[1:]
        ]
        for found in ends
    }
    names = tuple(dict.fromkeys(KINDS[task]))
    problem = make_problem(world)
    [begin] = problem.mdp.start_states()
    for care in (0.0, 0.0005, 0.0015, 0.3, 0.5, 2.0, 40.0):
        outcome, _ = solve(problem, care)
        augmented = {
            (own, *values[found][-len(names) :]): own + care * float(np.dot((1 - chance, chance), values[found]))
            for found, own in ends.items()
        }
        best = max(augmented.values())
        assert outcome.own + care * (outcome.total - outcome.own) == pytest.approx(best, abs=1e-9)
        tied = find_alternative_outcomes(problem, care, int(begin))
        assert tied[0] == outcome
        assert {(each.own, *(each.others[name] for name in names)) for each in tied} == {
            end for end, value in augmented.items() if value > best - 1e-9
        }


@pytest.mark.parametrize("chance", [0.0, 0.25, 0.9, 1.0])
@pytest.mark.parametrize("task", TASKS)
def test_optima_are_the_enumerated_ones(task: str, chance: float) -> None:
    for start in STARTS[task]:
        assert_same_optima(task, second.MAPS[task], start, chance)


@st.composite
def drawings(draw: Any) -> tuple[str, list[str]]:
    """A task on a map of its own, with inner walls; perhaps one on which not everything can be reached."""
    task = draw(st.sampled_from(TASKS))
    wide, high = draw(st.integers(3, 6)), draw(st.integers(2, 5))
    cells = [(x, y) for x in range(1, wide + 1) for y in range(1, high + 1)]
    order = draw(st.permutations(cells))
    glyphs = "AFS" if task == "peanut" else "AFSE"
    rows = [["#"] * (wide + 2) for _ in range(high + 2)]
    for n, (x, y) in enumerate(order):
        rows[y][x] = glyphs[n] if n < len(glyphs) else draw(st.sampled_from("   #"))
    return task, ["".join(row) for row in rows]


@settings(max_examples=40, deadline=None)
@given(drawings(), st.sampled_from(ROLES))
def test_own_maps_follow_the_same_rules(drawn: tuple[str, list[str]], role: str) -> None:
    task, drawing = drawn
    try:
        kitchen(task, drawing)
    except MapError:
        return
    assert_same_rules(task, role, drawing)


@settings(max_examples=25, deadline=None)
@given(drawings(), st.sampled_from([0.0, 0.5, 1.0]))
def test_optima_on_own_maps_are_the_enumerated_ones(drawn: tuple[str, list[str]], chance: float) -> None:
    task, drawing = drawn
    try:
        kitchen(task, drawing)
    except MapError:
        return
    assert_same_optima(task, drawing, "untouched", chance)


@pytest.mark.parametrize(
    ("task", "kind", "points", "owns", "values"),
    [
        ("salad", "other", [1 / 992], [-8, -9], [-1000, -8]),
        ("salad", "own", [1 / 992], [-8, -9], [-1000, -8]),
        ("peanut", "other", [2 / 992], [-8, -10], [-1000, -8]),
        ("peanut", "own", [1 / 992], [-8, -9], [-1000, -8]),
        ("salt", "other", [1 / 992], [-8, -9], [-1000, -8]),
        ("salt", "own", [1 / 992], [-8, -9], [-1000, -8]),
        ("cookie", "other", [1 / 2], [-8, -9], [-10, -8]),
        ("cookie", "own", [], [-8], [-8]),
    ],
)
def test_break_points_by_hand(task: str, kind: str, points: list[float], owns: list[int], values: list[int]) -> None:
    """Eight steps for the dish; one or two to be considerate; a newcomer that cannot finish gets -1000."""
    problem = make_problem(kitchen(task, kind=kind))
    assert [tie.care for tie in find_ties(problem, (0.0, math.inf))] == pytest.approx(points)
    segments = solve_trade_off(problem)
    assert [segment.outcome.own for segment in segments] == owns
    [name] = segments[0].outcome.others
    assert name == KINDS[task][kind == "other"]
    assert [segment.outcome.others[name] for segment in segments] == values


def test_caring_for_ones_own_kind_does_not_help_the_allergic_one() -> None:
    own, _ = solve(make_problem(kitchen("peanut", kind="own", report="both")), 1.0)
    assert own.others == {"cook without allergy": -8, "allergic cook": -1000}
    assert own.total == -9 - 8
    other, _ = solve(make_problem(kitchen("peanut", report="both")), 1.0)
    assert other.others == {"allergic cook": -8, "cook without allergy": -8}


@pytest.mark.parametrize("task", TASKS)
def test_who_may_come(task: str) -> None:
    own, other = KINDS[task]
    comers = {
        (kind, chance): {
            each.name: each.probability for each in kitchen(task, kind=kind, probability=chance).newcomers()
        }
        for kind in ROLES[1:]
        for chance in (0.0, 0.9, 1.0)
    }
    assert comers["other", 1.0] == comers["own", 0.0] == {other: 1.0}
    assert comers["own", 1.0] == comers["other", 0.0] == {own: 1.0}
    assert comers["other", 0.9] == ({own: 1.0} if own == other else {other: 0.9, own: 0.1})
    assert {each.owner for each in kitchen(task, probability=0.5).newcomers()} == {"newcomer"}


@pytest.mark.parametrize("task", TASKS)
def test_equations_2_and_3_with_one_certain_newcomer(task: str) -> None:
    """Eq 2 is Eq 1; Eq 3 is bounded by the value of an untouched kitchen."""
    world = kitchen(task)
    for care in (0.0005, 1.0, 3.0):
        one, two, three = (
            solve(make_problem(world, name), care)[0] for name in ("expected", "worst_case", "no_worse_off")
        )
        assert one == two
        [value] = one.others.values()
        untouched = second.best_return(task, "other", second.MAPS[task], second.fresh(task, second.MAPS[task]))
        [bounded] = three.others.values()
        assert bounded == (untouched if task == "cookie" else value)  # heating the stove helps beyond an untouched one
    assert make_problem(world, "no_worse_off").others.baseline_value.tolist() == [untouched]  # type: ignore[attr-defined]


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("task", TASKS)
def test_every_formulation_that_applies_is_solved(task: str) -> None:
    world = kitchen(task, probability=0.5)
    names = find_applicable_formulations(world)
    assert {"expected", "worst_case", "no_worse_off", "per_agent", "least_well_off", "future_task"} <= {*names}
    for name in names:
        outcome, _ = solve(make_problem(world, name), 1.0)
        looks_at_itself = FORMULATIONS[name].weighs is AuxiliaryTasks
        assert outcome.own == -8 if looks_at_itself else outcome.own in (-8, -9, -10)


@pytest.mark.parametrize("task", TASKS)
def test_the_learning_protocol_finds_the_optimum(task: str) -> None:
    problem = make_problem(kitchen(task))
    assert [problem.scenario.learning[:2]] == [
        {
            "salad": (200_000, 100_000),
            "peanut": (100_000,) * 2,
            "salt": (200_000, 100_000),
            "cookie": (300_000, 100_000),
        }[task]
    ]
    rows = sweep_by_learning(problem, (0.0, 0.3, 1.0), (0, 1))
    assert [(row["regret"], row["others_error"]) for row in rows] == [(0.0, 0.0)] * 6


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.one_of(st.sampled_from(["own", "other", "Own", "allergic", ""]), st.integers(), st.floats()),
        "probability": st.one_of(st.floats(), st.integers(-1, 2), st.sampled_from(["half", "", "1e-3"])),
        "report": st.sampled_from(["expected", "both", "none", 3]),
        "role": st.sampled_from(["acting", "own", "other", "newcomer", 0.5]),
        "start": st.sampled_from(["untouched", "uniform", "spoiled", "hot", "dirty", "damp_up", 1]),
    },
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TASKS), OPTIONS)
def test_options_make_a_kitchen_or_are_refused_in_one_line(task: str, options: dict[str, Any]) -> None:
    try:
        world = kitchen(task, **options)
    except CaregridError as error:
        refused = str(error)
        assert "\n" not in refused
        assert f"Kitchen{task.title()}" in refused
        return
    assert len(tabulate(world).states) < 400
    chances = [each.probability for each in world.newcomers()]
    assert sum(chances) == pytest.approx(1.0) if world.role == "acting" else chances == []


def test_options_are_taken_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "kitchen_peanut", "--set", "kind=own", "--set", "report=both", "--care", "1"]) == 0
    assert "allergic cook" in capsys.readouterr().out


@pytest.mark.parametrize("task", TASKS)
def test_no_glyph_stands_for_two_things(task: str) -> None:
    for role in ROLES:
        world = kitchen(task, role=role)
        names: dict[str, str] = {}
        for state in every_state(task, second.MAPS[task]):
            for mark in world.scene(world.state(*(int(field[0]) for field in columns(world, [state])))).marks:
                assert names.setdefault(mark.glyph, mark.name) == mark.name
        assert len(set(names.values())) == len(names)


RETURNS = {
    "salad": {"selfish": (-8, -1000), "considerate": (-9, -8)},
    "peanut": {"selfish": (-8, -1000), "baseline": (-9, -1000), "considerate": (-10, -8)},
    "salt": {"selfish": (-8, -1000), "baseline": (-9, -9), "considerate": (-9, -8)},
    "cookie": {"selfish": (-8, -10), "considerate": (-9, -8), "too_much": (-10, -10)},
}


@pytest.mark.parametrize("task", TASKS)
def test_demonstrations_end_with_what_they_say(task: str) -> None:
    world, drawing = kitchen(task), second.MAPS[task]
    seen = {}
    for shown in world.demonstrations():
        replayed = rollout(world, shown.actions)
        assert replayed.terminated
        state = second.fresh(task, drawing)
        for step in replayed.episode.steps:
            state, reward, _ = second.step(task, "acting", drawing, state, step.action)
            assert (plain(world, step.next_state), step.reward) == (state, reward)
        found = second.fresh(task, drawing, **second.handed_over(task, state))
        own = int(replayed.episode.total())
        seen[shown.name] = (own, second.best_return(task, "other", drawing, found))
    assert seen == RETURNS[task]
    assert not kitchen(task, role="own").demonstrations()
    larger = ["######", "#A  F#", "#S   #" if task == "peanut" else "#S  E#", "######"]
    assert not kitchen(task, larger).demonstrations()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("role", ROLES[1:])
def test_a_newcomers_own_kitchen_is_a_world_without_others(task: str, role: str) -> None:
    world = kitchen(task, role=role)
    outcome, _ = solve(make_problem(world), 0.0)
    drawing = second.MAPS[task]
    assert outcome.own == second.best_return(task, role, drawing, second.fresh(task, drawing))
    assert outcome.others == {}


def test_where_no_episode_can_end_the_optimum_never_ends() -> None:
    """Nothing can be made of spoiled food: every policy is as bad, learned ones too."""
    problem = make_problem(kitchen("salad", start="spoiled"))
    outcome, _ = solve(problem, 1.0)
    assert (outcome.own, outcome.handover) == (-math.inf, None)
    assert math.isnan(outcome.others["next cook"])
    assert not find_ties(problem)
    assert [row["regret"] for row in sweep_by_learning(problem, (0.0, 1.0), (0,))] == [0.0, 0.0]
    _, cases = solve(make_problem(kitchen("salad", start="uniform")), 1.0)
    assert [case.outcome.own for case in cases] == [-9.0, -math.inf]
    assert find_alternative_outcomes(problem, 1.0, 0)[1:] == ()


@pytest.mark.parametrize("command", ["play", "view"])
def test_an_allergic_cook_is_shown_in_a_dirty_kitchen(command: str, tmp_path: Path) -> None:
    words = ["kitchen_peanut", "--set", "role=other", "--set", "start=dirty", "--headless", "--out"]
    assert main([command, *words, str(tmp_path / "shown.json")]) == 0


def test_a_world_of_chance_without_a_way_out() -> None:
    class Shut(SCENARIOS["icy_yard"]):  # type: ignore[misc]
        def available(self, state: Any, action: int) -> Any:
            return np.asarray(state.cell < 0) if self.actions[action] == "leave" else super().available(state, action)

    problem = make_problem(Shut())
    assert solve(problem, 2.0)[0].own == -math.inf
    assert not problem.can_end(0)
    assert make_problem(SCENARIOS["icy_yard"]()).can_end(0)
