"""Shows of scenarios: what is on the screen is what the solution says, and hands on the controls solve it again."""

import math

import pytest

from caregrid.programmes.caring.comparison import draw_path_comparison, film_solutions
from caregrid.programmes.caring.scenes import (
    NOTHING,
    OWN,
    PATH,
    POLICY,
    VISITS,
    draw_solution,
    list_overlays,
    list_visited_cells,
    solve_episodes,
)
from caregrid.programmes.caring.viewer import CARE_STEP, ViewableSolution, inspect_cell
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.episodes import film_episodes
from craftworld.solution.exact_solution import find_break_points, solve
from craftworld.solution.problem import Problem, make_problem
from engine.scene import Arrows, Heat, Path
from renderers.viewer.player import Player


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem(make_scenario(SCENARIOS["workshop_auto"]), "expected")


@pytest.fixture
def viewable(problem: Problem) -> ViewableSolution:
    scenario = problem.scenario
    return ViewableSolution(lambda name: make_problem(scenario, name), ["expected", "worst_case", "no_worse_off"], 1.0)


def test_the_acts_are_the_solution(problem: Problem) -> None:
    episodes = solve_episodes(problem, 1.0)
    outcome, _ = solve(problem, 1.0)
    assert episodes[0].chapter.episode.actions == outcome.actions
    assert sum(episodes[0].rewards["agent"]) == outcome.own
    assert sum(episodes[1].rewards["newcomer"]) == outcome.others["newcomer"]


def test_values_on_the_screen_are_those_of_the_plan(problem: Problem) -> None:
    episodes = solve_episodes(problem, 1.0)
    outcome, _ = solve(problem, 1.0)
    readings = dict(draw_solution(episodes, 0).readings)
    assert readings[OWN] == f"{outcome.own:g}"
    assert readings["augmented value"] == f"{outcome.own + outcome.others['newcomer']:g}"
    last = dict(draw_solution(episodes, len(episodes[0]) - 1).readings)
    assert last["newcomer's value"] == f"{outcome.others['newcomer']:g}"


def test_the_legend_names_who_acts(problem: Problem) -> None:
    """The newcomer's symbol bears its name, in films, drawings and where the pointer is; the agent's own stays."""
    acting, coming = solve_episodes(problem, 1.0)
    for scenes in ([draw_solution([acting, coming], n) for n in (0, len(acting))], film_episodes([acting.chapter])[:1]):
        assert {mark.name for mark in scenes[0].marks if mark.glyph == "@"} == {"agent"}
    for scene in (draw_solution([acting, coming], len(acting)), film_episodes([coming.chapter])[0]):
        assert {mark.name for mark in scene.marks if mark.glyph == "@"} == {"newcomer"}
    place = coming.chapter.scenario.position(coming.chapter.episode.start)
    assert place is not None
    assert "newcomer" in str(inspect_cell([acting, coming], len(acting), (place[0], place[1])))


def test_returns_grow_to_the_outcome(problem: Problem) -> None:
    episodes = solve_episodes(problem, 1.0)
    total = sum(map(len, episodes))
    outcome, _ = solve(problem, 1.0)
    shown = [float(dict(draw_solution(episodes, n).readings)["agent's return"]) for n in range(total)]
    assert shown[0] == 0
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] == outcome.own
    assert dict(draw_solution(episodes, total - 1).readings)["newcomer's return"] == f"{outcome.others['newcomer']:g}"


def test_every_overlay_lies_on_the_floor(problem: Problem) -> None:
    episodes = solve_episodes(problem, 1.0)
    kinds = {PATH: Path, POLICY: Arrows, VISITS: Heat}
    floor = set(problem.scenario.grid.floor)
    for name in list_overlays(episodes):
        for number in (0, 5, len(episodes[0]), len(episodes[0]) + 3):
            overlays = draw_solution(episodes, number, name).overlays
            in_newcomers_act = number >= len(episodes[0])
            assert len(overlays) == (0 if name == NOTHING or (in_newcomers_act and name not in (*kinds, OWN)) else 1)
            for overlay in overlays:
                assert isinstance(overlay, kinds.get(name, Heat))
                assert overlay.cells
                assert {tuple(cell[:2]) for cell in overlay.cells} <= floor


def test_policy_arrows_lead_along_the_path(problem: Problem) -> None:
    episodes = solve_episodes(problem, 1.0)
    for step, action in enumerate(episodes[0].chapter.episode.steps):
        (arrows,) = draw_solution(episodes, step, POLICY).overlays
        assert isinstance(arrows, Arrows)
        here = list_visited_cells(episodes[0], step)[-1]
        assert (*here, action.action) in arrows.cells


def test_visits_count_the_walk(problem: Problem) -> None:
    episodes = solve_episodes(problem, 1.0)
    (heat,) = draw_solution(episodes, 7, VISITS).overlays
    assert isinstance(heat, Heat)
    assert sum(count for _, _, count in heat.cells) == 8


def test_care_and_formulation_change_live(viewable: ViewableSolution) -> None:
    player = Player(viewable)
    outcome, _ = solve(viewable.problem, viewable.care)
    player.press("down")
    player.press("down")
    assert viewable.care == 1.0 - 2 * CARE_STEP
    player.press("page up")
    assert viewable.care in find_break_points(viewable.problem)
    player.press("page down")
    player.press("page down")
    player.press("page down")
    assert viewable.care == min(find_break_points(viewable.problem))
    player.press("end")
    player.press("f")
    assert dict(player.scene().readings)["formulation"] == "worst case (Eq. 2)"
    assert 0 <= player.position < len(viewable)
    player.press("f")
    player.press("f")
    assert dict(player.scene().readings)["formulation"] == "expected value (Eq. 1)"
    while viewable.care < 1.0:
        player.press("up")
    assert solve(viewable.problem, viewable.care)[0].own <= outcome.own


def test_care_may_become_negative_and_what_has_no_plan_changes_nothing(viewable: ViewableSolution) -> None:
    player = Player(viewable)
    for _ in range(8):
        player.press("down")
    assert viewable.care == 1.0 - 8 * CARE_STEP or player.message
    assert 0 <= player.position < len(viewable)
    assert player.scene().readings


def test_both_agents_at_once_leave_two_trails() -> None:
    problem = make_problem(make_scenario(SCENARIOS["workshop_shared"]))
    (solved,) = solve_episodes(problem, 10.0)
    scene = draw_solution([solved], 12)
    assert [overlay.name for overlay in scene.overlays] == ["agent's path", "second agent's path"]
    outcome, _ = solve(problem, 10.0)
    last = dict(draw_solution([solved], len(solved) - 1).readings)
    assert last["second agent's return"] == f"{outcome.others['second agent']:g}"


def test_the_best_from_a_clicked_cell(viewable: ViewableSolution) -> None:
    player = Player(viewable)
    player.select(tuple(viewable.problem.scenario.grid.only("entrance")))
    readings = player.scene().readings
    assert ("there", "agent") in readings
    assert [text for label, text in readings if label == "would do"] == [solve_episodes(viewable.problem, 1.0)[0].chapter.episode.actions[0]]  # fmt: skip  # noqa: E501
    player.select((0, 0))
    assert "would do" not in dict(player.scene().readings)


def test_films_of_several_cares_run_side_by_side(problem: Problem) -> None:
    film = film_solutions(problem, [0.0, 1.0, 6.0])
    assert {len(scene.panels) for scene in film} == {3}
    lengths = [sum(map(len, solve_episodes(problem, care))) for care in (0.0, 1.0, 6.0)]
    assert len(film) == max(lengths)
    (alone,) = {len(scene.panels) for scene in film_solutions(problem, [1.0])}
    assert alone == 0


def test_a_comparison_has_a_row_a_formulation(problem: Problem) -> None:
    picture = draw_path_comparison([problem, problem], [0.0, 6.0])
    assert picture.columns == 1
    for row in picture.panels:
        assert (row.caption, row.columns) == ("expected value (Eq. 1)", 3)
        assert [[path.name for path in panel.overlays] for panel in row.panels] == [
            ["care 0", "care 6"], ["care 0", "newcomer's path"], ["care 6", "newcomer's path"]
        ]  # fmt: skip
        outcome, _ = solve(problem, 6.0)
        (bars,) = row.panels[2].charts
        assert [(bar.label, bar.number) for bar in bars.bars] == [("own", outcome.own), *outcome.others.items()]


def test_whoever_cannot_finish_is_said_to_be_lost() -> None:
    problem = make_problem(make_scenario(SCENARIOS["workshop"]), "expected")
    episodes = solve_episodes(problem, 0.0)
    assert solve(problem, 0.0)[0].others["newcomer"] == -1000
    assert draw_solution(episodes, sum(map(len, episodes)) - 1).caption.endswith("never finishes")
    assert dict(draw_solution(episodes, len(episodes[0])).readings)[OWN] == "never ends"
    assert not math.isnan(float(dict(draw_solution(episodes, 0).readings)["newcomer's value"]))


def test_the_first_scene_shows_the_whole_path_and_values_leave_out_ends() -> None:
    """Of the garden: the path of the solution, and values of the cells in which the agent still acts."""
    import caregrid

    problem = caregrid.problem("garden")
    film = problem.film((1.0,), "path").scenes
    paths = [overlay for scene in film for overlay in scene.overlays if isinstance(overlay, Path)]
    whole = paths[0]
    later = [path for path in paths[1:] if path.name == whole.name]
    assert whole.cells == max((path.cells for path in later), key=len)
    assert len(set(whole.cells)) > 3
    scenario = problem.exact.scenario
    [heat] = [each for each in problem.film((1.0,), "own value").scenes[0].overlays if isinstance(each, Heat)]
    goal = {tuple(cell) for cell in scenario.grid.cells("goal")}
    assert heat.cells
    assert not goal & {(row, column) for row, column, _ in heat.cells}
