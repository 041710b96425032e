"""Shows of scenarios: what is on the screen is what the solution says, and hands on the controls solve it again."""

import math
from dataclasses import replace

import pytest

from caregrid.shows.explorer import CARE_STEP, CraftShow
from caregrid.shows.films import film_of, paths_picture
from caregrid.shows.game import PlayShow
from caregrid.shows.scenes import NOTHING, PATH, POLICY, VISITS, cells_walked, overlay_names, scene_of
from caregrid.shows.solved import OWN, acts_of
from craftworld.scenario import build
from craftworld.scenarios import SCENARIOS
from craftworld.solution.solution import Problem, break_points, pose, solve
from engine.errors import BadValue
from engine.scene import Arrows, Heat, Path
from renderers.viewer.player import Player


@pytest.fixture(scope="module")
def problem() -> Problem:
    return pose(build(SCENARIOS["workshop_auto"]), "expected")


@pytest.fixture
def show(problem: Problem) -> CraftShow:
    scenario = problem.scenario
    return CraftShow(lambda name: pose(scenario, name), ["expected", "worst_case", "no_worse_off"], 1.0)


def test_the_acts_are_the_solution(problem: Problem) -> None:
    acts = acts_of(problem, 1.0)
    outcome, _ = solve(problem, 1.0)
    assert acts[0].chapter.episode.actions == outcome.actions
    assert sum(acts[0].paid["agent"]) == outcome.own
    assert sum(acts[1].paid["newcomer"]) == outcome.others["newcomer"]


def test_values_on_the_screen_are_those_of_the_plan(problem: Problem) -> None:
    acts = acts_of(problem, 1.0)
    outcome, _ = solve(problem, 1.0)
    readings = dict(scene_of(acts, 0).readings)
    assert readings[OWN] == f"{outcome.own:g}"
    assert readings["augmented value"] == f"{outcome.own + outcome.others['newcomer']:g}"
    last = dict(scene_of(acts, len(acts[0]) - 1).readings)
    assert last["newcomer's value"] == f"{outcome.others['newcomer']:g}"


def test_returns_grow_to_the_outcome(problem: Problem) -> None:
    acts = acts_of(problem, 1.0)
    total = sum(map(len, acts))
    outcome, _ = solve(problem, 1.0)
    shown = [float(dict(scene_of(acts, n).readings)["agent's return"]) for n in range(total)]
    assert shown[0] == 0
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] == outcome.own
    assert dict(scene_of(acts, total - 1).readings)["newcomer's return"] == f"{outcome.others['newcomer']:g}"


def test_every_overlay_lies_on_the_floor(problem: Problem) -> None:
    acts = acts_of(problem, 1.0)
    kinds = {PATH: Path, POLICY: Arrows, VISITS: Heat}
    floor = set(problem.scenario.grid.floor)
    for name in overlay_names(acts):
        for number in (0, 5, len(acts[0]), len(acts[0]) + 3):
            overlays = scene_of(acts, number, name).overlays
            in_newcomers_act = number >= len(acts[0])
            assert len(overlays) == (0 if name == NOTHING or (in_newcomers_act and name not in (*kinds, OWN)) else 1)
            for overlay in overlays:
                assert isinstance(overlay, kinds.get(name, Heat))
                assert overlay.cells
                assert {tuple(cell[:2]) for cell in overlay.cells} <= floor


def test_policy_arrows_lead_along_the_path(problem: Problem) -> None:
    acts = acts_of(problem, 1.0)
    for step, deed in enumerate(acts[0].chapter.episode.steps):
        (arrows,) = scene_of(acts, step, POLICY).overlays
        assert isinstance(arrows, Arrows)
        here = cells_walked(acts[0], step)[-1]
        assert (*here, deed.action) in arrows.cells


def test_visits_count_the_walk(problem: Problem) -> None:
    acts = acts_of(problem, 1.0)
    (heat,) = scene_of(acts, 7, VISITS).overlays
    assert isinstance(heat, Heat)
    assert sum(count for _, _, count in heat.cells) == 8


def test_care_and_formulation_change_live(show: CraftShow) -> None:
    player = Player(show)
    outcome, _ = solve(show.problem, show.care)
    player.press("down")
    player.press("down")
    assert show.care == 1.0 - 2 * CARE_STEP
    player.press("page up")
    assert show.care in break_points(show.problem)
    player.press("page down")
    player.press("page down")
    player.press("page down")
    assert show.care == min(break_points(show.problem))
    player.press("end")
    player.press("f")
    assert dict(player.scene().readings)["formulation"] == "worst_case"
    assert 0 <= player.position < len(show)
    player.press("f")
    player.press("f")
    assert dict(player.scene().readings)["formulation"] == "expected"
    while show.care < 1.0:
        player.press("up")
    assert solve(show.problem, show.care)[0].own <= outcome.own


def test_care_may_become_negative_and_what_has_no_plan_changes_nothing(show: CraftShow) -> None:
    player = Player(show)
    for _ in range(8):
        player.press("down")
    assert show.care == 1.0 - 8 * CARE_STEP or player.message
    assert 0 <= player.position < len(show)
    assert player.scene().readings


def test_both_agents_at_once_leave_two_trails() -> None:
    problem = pose(build(SCENARIOS["workshop_shared"]))
    (act,) = acts_of(problem, 10.0)
    scene = scene_of([act], 12)
    assert [overlay.name for overlay in scene.overlays] == ["path", "second agent's path"]
    outcome, _ = solve(problem, 10.0)
    last = dict(scene_of([act], len(act) - 1).readings)
    assert last["second agent's return"] == f"{outcome.others['second agent']:g}"


def test_the_best_from_a_clicked_cell(show: CraftShow) -> None:
    player = Player(show)
    player.select(tuple(show.problem.scenario.grid.only("entrance")))
    readings = player.scene().readings
    assert ("there", "agent") in readings
    assert [text for label, text in readings if label == "would do"] == [acts_of(show.problem, 1.0)[0].chapter.episode.actions[0]]  # fmt: skip  # noqa: E501
    player.select((0, 0))
    assert "would do" not in dict(player.scene().readings)


def test_playing_the_optimum_reaches_the_optimum(problem: Problem) -> None:
    show = PlayShow(problem, 1.0)
    player = Player(show)
    for key in show.optimal_keys():
        assert not show.finished
        player.press(key)
    verdict = dict(show.verdict())
    assert show.finished
    assert verdict["your augmented return"] == verdict["the optimum's"]
    assert len(show) > player.position + 1
    player.press("right")
    assert dict(player.scene().readings)["acting"] == "newcomer"


def test_a_detour_falls_short_of_the_optimum_and_can_be_undone(problem: Problem) -> None:
    show = PlayShow(problem, 1.0)
    player = Player(show)
    keys = show.optimal_keys()
    player.press("u")
    assert player.position == 0
    player.press("down")
    player.press("up")
    assert player.position == 2
    player.press("u")
    player.press("u")
    assert (player.position, len(show)) == (0, 1)
    for key in ("down", "up", *keys):
        player.press(key)
    verdict = dict(show.verdict())
    assert float(verdict["your augmented return"]) == pytest.approx(float(verdict["the optimum's"]) - 2)
    player.press("u")
    assert not show.finished


def test_players_are_told_no_values_before_the_end(problem: Problem) -> None:
    show = PlayShow(problem, 1.0)
    assert not [label for label, _ in Player(show).scene().readings if label.endswith("value")]
    assert [label for label, _ in Player(show).scene().readings if label == "your return"]


def test_films_of_several_cares_run_side_by_side(problem: Problem) -> None:
    film = film_of(problem, [0.0, 1.0, 6.0])
    assert {len(scene.panels) for scene in film} == {3}
    lengths = [sum(map(len, acts_of(problem, care))) for care in (0.0, 1.0, 6.0)]
    assert len(film) == max(lengths)
    (alone,) = {len(scene.panels) for scene in film_of(problem, [1.0])}
    assert alone == 0


def test_a_comparison_has_a_row_a_formulation(problem: Problem) -> None:
    picture = paths_picture([problem, problem], [0.0, 6.0])
    assert picture.columns == 3
    assert len(picture.panels) == 6
    assert [len(panel.overlays) for panel in picture.panels] == [2, 1, 1] * 2
    outcome, _ = solve(problem, 6.0)
    assert f"agent {outcome.own:g}, newcomer {outcome.others['newcomer']:g}" in picture.panels[2].caption


def test_whoever_cannot_finish_is_said_to_be_lost() -> None:
    problem = pose(build(SCENARIOS["workshop"]), "expected")
    acts = acts_of(problem, 0.0)
    assert solve(problem, 0.0)[0].others["newcomer"] == -1000
    assert scene_of(acts, sum(map(len, acts)) - 1).caption.endswith("never finishes")
    assert dict(scene_of(acts, len(acts[0])).readings)[OWN] == "never ends"
    assert not math.isnan(float(dict(scene_of(acts, 0).readings)["newcomer's value"]))


def test_worlds_of_chance_are_not_for_playing(problem: Problem) -> None:
    import numpy as np

    mdp = problem.mdp
    doubled = {
        name: np.concatenate([getattr(mdp, name)] * 2, axis=2) for name in ("next_state", "probability", "reward")
    }
    doubled["probability"] = doubled["probability"] / 2
    chancy = replace(problem, mdp=replace(mdp, **doubled))
    with pytest.raises(BadValue, match="chance"):
        PlayShow(chancy, 1.0)
