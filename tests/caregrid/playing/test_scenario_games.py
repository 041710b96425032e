"""Scenarios as games: what the menu says happens, and the end screen has the numbers of the exact solver."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.programmes.caring.game import ReplayGame, ScenarioGame, compute_path_returns, find_optimal_cares
from caregrid.programmes.game import GameSession, follow_suggestions
from caregrid.programmes.play import ViewableGame
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import FROM_ZERO, choose_inner_coefficient, choose_segments, solve
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadValue, UnknownName
from engine.planning.trade_off.envelope import Line, Segment
from renderers.viewer.player import Player

WORKSHOP = make_problem(make_scenario(SCENARIOS["workshop"]))
WORLDS = ("workshop_auto", "garden", "playroom", "mailroom")


@pytest.fixture(scope="module")
def problems() -> dict[str, Problem]:
    return {name: make_problem(make_scenario(SCENARIOS[name])) for name in WORLDS} | {"workshop": WORKSHOP}


def play(problem: Problem, actions: Sequence[str], care: float = 1.0, seed: int = 0) -> GameSession:
    session = GameSession(lambda: ScenarioGame(problem, care, seed))
    for action in actions:
        session.take(action)
    return session


def returns(text: str) -> dict[str, float]:
    """ "own -10, agent 2 -26" as numbers."""
    return {part.rpartition(" ")[0]: float(part.rpartition(" ")[2]) for part in text.split(", ")}


@pytest.mark.parametrize("name", WORLDS)
def test_an_optimal_path_is_optimal_on_its_segment_and_gets_its_returns(
    name: str, problems: dict[str, Problem]
) -> None:
    problem = problems[name]
    start = int(problem.mdp.start_states()[0])
    for segment in choose_segments(problem, FROM_ZERO)[start]:
        care = choose_inner_coefficient(segment.start, segment.stop)
        session = play(problem, follow_suggestions(lambda care=care: ScenarioGame(problem, care)), care)
        game, outcome = session.game, solve(problem, care)[0]
        assert isinstance(game, ScenarioGame)
        got, rows = compute_path_returns(problem, game.path), dict(game.result())
        assert session.over
        assert got.own == pytest.approx(outcome.own)
        assert got.others == pytest.approx(outcome.others)
        assert find_optimal_cares(got.line, choose_segments(problem, FROM_ZERO)[start]) == (segment.start, segment.stop)
        assert rows["your augmented return"] == rows["the optimum's"]
        assert returns(rows[f"optimum, care {care:g}"]) == pytest.approx(
            {"own": outcome.own, **outcome.others}, rel=1e-5
        )


def test_a_detour_is_optimal_at_no_care_and_a_step_taken_back_costs_nothing(problems: dict[str, Problem]) -> None:
    problem = problems["workshop_auto"]
    best = follow_suggestions(lambda: ScenarioGame(problem, 1.0))
    rows = dict(play(problem, ["down", "up", *best]).game.result())
    assert float(rows["your augmented return"]) == float(rows["the optimum's"]) - 2
    assert rows["your path is optimal"] == "at no care from 0 on"
    assert play(problem, ["down", "take the last move back", *best]).game.result() == play(problem, best).game.result()


@given(
    st.sets(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6),
    st.integers(-12, 9),
    st.integers(0, 1),
)
def test_the_interval_of_optimal_cares_is_where_the_line_meets_the_optimum(
    lines: set[tuple[int, int]], auxiliary: int, gap: int
) -> None:
    """For any line that lies nowhere above the optimum, found here by looking at every crossing."""
    every = [Line(float(own), float(slope)) for own, slope in sorted(lines)]
    crossings = {(a.own - b.own) / (b.auxiliary - a.auxiliary) for a in every for b in every if a[1] != b[1]}
    points = sorted({0.0, *(point for point in crossings if point > 0)})
    ends = [*points[1:], math.inf]

    def optimum(care: float) -> Line:
        return max(every, key=lambda line: line.at(care))

    middles = [choose_inner_coefficient(*bounds) for bounds in zip(points, ends, strict=True)]
    segments = [Segment(*between, optimum(care)) for *between, care in zip(points, ends, middles, strict=True)]
    slope = float(min(auxiliary, segments[-1].line.auxiliary))
    line = Line(min(optimum(point).at(point) - slope * point for point in points) - gap, slope)
    looked = [*points, points[-1] + 1000.0]
    touched = [point for point in looked if math.isclose(line.at(point), optimum(point).at(point), abs_tol=1e-9)]
    expected = (touched[0], math.inf if looked[-1] in touched else touched[-1]) if touched else None
    assert find_optimal_cares(line, segments) == expected


def test_what_changes_nothing_is_said_to_have_no_effect(problems: dict[str, Problem]) -> None:
    session = play(problems["workshop"], ["put down the key"])
    game = session.game
    assert session.message == "put down the key, no effect: your reward -1"
    assert game.scene(1).caption == "you, step 1: put down the key, no effect"
    assert "no effect" not in play(problems["workshop"], ["right"]).game.scene(1).caption


def test_players_are_told_no_values_before_the_end(problems: dict[str, Problem]) -> None:
    viewable = ViewableGame(play(problems["playroom"], []))
    readings = dict(Player(viewable).scene().readings)
    assert not [label for label in readings if label.endswith("value")]
    assert readings["your return"] == "0"
    assert "You are the acting agent" in readings["your goal"]


def test_worlds_of_chance_are_played_with_the_same_luck_for_the_same_seed() -> None:
    problem = make_problem(make_scenario(SCENARIOS["icy_yard"], slip=0.3))
    starts = [lambda seed=seed: ScenarioGame(problem, 0.0, seed) for seed in (1, 1, 2, 3)]
    moves = [follow_suggestions(start) for start in starts]
    assert moves[0] == moves[1]
    assert len({len(each) for each in moves}) > 1
    rows = [dict(play(problem, each, 0.0, seed).game.result()) for each, seed in zip(moves, (1, 1, 2, 3), strict=True)]
    assert {row["the optimum's"] for row in rows} == {"-10.8571"}  # 7 steps, on each of 3 ice cells 3/7 falls of -3
    assert {row["actions optimal at care 0"] for row in rows} == {f"{len(each)} of {len(each)}" for each in moves}


def test_an_action_that_is_not_available_changes_nothing_and_the_others_are_named() -> None:
    session = GameSession(lambda: ScenarioGame(make_problem(make_scenario(SCENARIOS["icy_yard"], slip=0.0)), 0.0))
    with pytest.raises(BadValue, match="'leave' cannot be taken now; choose from up, down"):
        session.take("leave")
    with pytest.raises(UnknownName, match="unknown move 'fly'"):
        session.take("fly")
    assert (session.taken, len(session.game)) == ([], 1)


def test_a_click_beside_the_agent_walks_and_others_inspect(problems: dict[str, Problem]) -> None:
    player = Player(ViewableGame(play(problems["garden"], [])))
    row, column = problems["garden"].scenario.grid.only("start")
    player.click((), (row - 1, column))
    assert (player.position, player.cell) == (1, None)
    player.click((), (row - 3, column))
    assert (player.position, player.cell) == (1, (row - 3, column))
    player.press("u")
    assert player.position == 0


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_every_entry_of_the_menu_does_what_it_says_and_undo_is_exact(data: st.DataObject) -> None:
    session = GameSession(lambda: ScenarioGame(WORKSHOP, 1.0))
    player = Player(ViewableGame(session))
    for _ in range(data.draw(st.integers(1, 8))):
        move = data.draw(st.sampled_from([move for move in session.game.menu() if move.available]))
        before = (session.game.menu(), [session.game.scene(n, "path") for n in range(len(session.game))])
        player.press(move.key)
        assert session.game.path.episode(WORKSHOP.mdp).actions[-1] == move.action
        player.press("u")
        assert (session.game.menu(), [session.game.scene(n, "path") for n in range(len(session.game))]) == before
        player.press(move.key)


def test_a_scenario_without_a_table_is_played_beside_its_demonstrations() -> None:
    scenario = make_scenario(SCENARIOS["tomato_watering"])
    assert scenario.replay_only
    session = GameSession(lambda: ReplayGame(scenario))
    for action in follow_suggestions(lambda: ReplayGame(scenario)):
        session.take(action)
    first = next(iter(scenario.demonstrations()))
    rows = dict(session.game.result())
    assert rows["you"] == rows[f"{first.name} (demonstration)"]


def test_a_cycle_that_gains_where_another_start_leads_does_not_matter_to_a_player() -> None:
    scenario = SCENARIOS["safe_interruptibility"]()
    problem = make_problem(scenario, "attainable_utility_starting_state", discount=1.0)
    game = ScenarioGame(problem, -1.5)
    game.take(follow_suggestions(lambda: ScenarioGame(problem, -1.5))[0])
    assert dict(game.result())["actions optimal at care -1.5"] == "1 of 1"
