"""The viewer's drawing mode: strokes are solved at once, saved maps have the same break points on the command line."""

from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from caregrid.programmes.caring.viewer import EditableSolution, MapDrawing, ViewableSolution
from renderers.viewer.player import Player
from renderers.viewer.viewer_layout import ViewerLayout
from renderers.viewer.window import Window, load_pygame
from tests.printed_json import printed_content


def drawing_player(name: str, care: float = 0.7, **options: object) -> Player:
    problem = caregrid.problem(name, **options)  # type: ignore[arg-type]
    solution = ViewableSolution(*problem.by_formulation(), care)
    player = Player(EditableSolution(solution, problem._on_map))
    player.press("e")
    return player


def click(player: Player, layout: ViewerLayout, row: int, column: int) -> bool:
    layout.draw(player)
    (area,) = layout._areas
    return layout.click(player, area.left + column * area.tile + 2, area.top + row * area.tile + 2)


STROKES = {
    "workshop_auto": [("draw #", (3, 3)), ("draw W", (2, 5)), ("draw E", (4, 1))],
    "playroom": [("draw #", (4, 4)), ("draw P", (5, 5)), ("draw  ", (2, 4))],
    "garden": [("draw #", (3, 3)), ("draw G", (4, 5))],
}


@pytest.mark.parametrize("name", STROKES)
def test_a_saved_map_has_the_same_break_points_on_the_command_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    player, layout = drawing_player(name), ViewerLayout(700, 500)
    before = layout.draw(player)
    for brush, cell in STROKES[name]:
        player.press(brush if brush in player.keys else brush.replace("draw  ", "draw ."))
        click(player, layout, *cell)
        assert not dict(player.scene().readings).get("no map yet")
    assert (layout.draw(player) != before).any()
    player.press("w")
    assert player.message == "saved map-001.txt"
    assert main(["breakpoints", name, "--map", "map-001.txt", "--json"]) == 0
    segments = printed_content(capsys.readouterr().out)["segments"]
    slider = player.viewable.slider
    assert slider is not None
    assert slider.points == tuple(segment["care_from"] for segment in segments[1:])
    player.press("e")
    assert len(player.viewable) > 1
    player.press("end")
    layout.draw(player)


def test_what_is_no_map_says_why_until_it_is_one_again() -> None:
    player, layout = drawing_player("garden"), ViewerLayout(700, 500)
    player.press("draw #")
    click(player, layout, 1, 3)
    refused = dict(player.scene().readings)["no map yet"]
    assert "goal" in refused
    player.press("e")
    assert refused in player.message
    assert len(player.viewable) == 1
    player.press("u")
    assert "no map yet" not in dict(player.scene().readings)
    player.press("e")
    assert len(player.viewable) > 1


def test_a_wall_is_painted_by_dragging() -> None:
    player, layout = drawing_player("garden"), ViewerLayout(700, 500)
    player.press("draw #")
    assert click(player, layout, 4, 3)
    (area,) = layout._areas
    layout.drag(player, area.left + 4 * area.tile + 2, area.top + 4 * area.tile + 2)
    assert player.scene().floor[4] == "#  ## #"
    player.press("u")
    assert player.scene().floor[4] == "#     #", "the whole stroke is taken back"
    assert click(player, layout, 2, 2)  # a wall that is there already
    layout.drag(player, area.left + 2 * area.tile + 2, area.top + 3 * area.tile + 2)
    assert player.scene().floor[3] == "# #   #"
    player.press("u")
    assert player.scene().floor[3] == "#     #"


def test_a_feature_that_is_there_once_is_moved() -> None:
    scenario = caregrid.problem("playroom").scenario
    drawing = MapDrawing(scenario)
    assert drawing.put((4, 4), "S")
    assert "".join(drawing.rows).count("S") == 1
    assert "Q" not in "".join(drawing.rows)
    assert drawing.rows[5][1] == "P"  # the place that the start stood on stays
    assert not drawing.put((4, 4), "S")
    assert drawing.undo()
    assert drawing.rows == scenario.grid.rows
    assert not drawing.undo()
    assert MapDrawing.parse(drawing) == drawing.parse()


@pytest.mark.parametrize("values", [True, False])
def test_a_problem_that_does_not_say_how_it_is_made_is_not_redrawn(values: bool) -> None:
    problem = caregrid.problem("garden")
    made = caregrid.problem("garden", values=problem.precompute()) if values else caregrid.problem(problem.scenario)
    player = Player(EditableSolution(ViewableSolution(*made.by_formulation(), 1.0), made._on_map))
    player.press("e")
    assert "map" in player.message
    assert len(player.viewable) > 1


def test_the_slider_shows_the_whole_path_of_each_segment() -> None:
    problem = caregrid.problem("workshop_auto")
    player, layout = Player(ViewableSolution(*problem.by_formulation(), 1.0)), ViewerLayout()
    layout.draw(player)
    y = layout._board_height + round(layout.type_size)
    paths = []
    points = [point for point in problem.breakpoints().points if point > 0]
    line_width = layout._timeline.width - 4 * layout.type_size
    for number in range(len(points) + 1):
        assert layout.click(player, round(2 * layout.type_size + (number + 0.5) / (len(points) + 1) * line_width), y)
        low, high = [0.0, *points][number], [*points, float("inf")][number]
        assert low < player.viewable.care < high  # type: ignore[attr-defined]
        assert player.position == len(player.viewable._episodes[0]) - 1  # type: ignore[attr-defined]
        paths.append(player.scene().overlays[0])
        layout.draw(player)
    assert len(set(map(str, paths))) == len(paths)


def test_a_window_takes_the_mouse_on_slider_buttons_and_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame = load_pygame()
    problem = caregrid.problem("workshop_auto")
    player = Player(EditableSolution(ViewableSolution(*problem.by_formulation(), 1.0), problem._on_map))
    with Window(player, ViewerLayout(800, 600), moment=60.0) as window:

        def mouse(kind: int, x: float, y: float, **fields: object) -> None:
            pygame.event.post(pygame.event.Event(kind, pos=(round(x), round(y)), **fields))
            window.update(0.0)

        window.update(0.0)
        layout = window.layout
        y = layout._board_height + round(layout.type_size)
        scenes = []
        mouse(pygame.MOUSEBUTTONDOWN, 100, y, button=1)
        for x in (100, 250, 400, 520):
            mouse(pygame.MOUSEMOTION, x, y, buttons=(1, 0, 0))
            scenes.append(player.scene())
        mouse(pygame.MOUSEBUTTONUP, 520, y, button=1)
        cares = [float(dict(scene.readings)["care"]) for scene in scenes]
        assert cares == sorted(set(cares))
        placed = next(placed for placed in layout._buttons if placed.button.key == "e")
        mouse(pygame.MOUSEBUTTONDOWN, layout.width - layout.panel_width + placed.left + 2, placed.top + 2, button=1)
        (area,) = layout._areas
        mouse(pygame.MOUSEBUTTONDOWN, area.left + 3.5 * area.tile, area.top + 3.5 * area.tile, button=1)
        mouse(pygame.MOUSEMOTION, area.left + 4.5 * area.tile, area.top + 3.5 * area.tile, buttons=(1, 0, 0))
        assert player.scene().floor[3] == "#  ##    #"


def test_the_companions_path_is_drawn_beside_the_agents() -> None:
    panels = caregrid.problem("workshop_shared").compare().scene.panels
    names = {overlay.name for panel in panels for overlay in panel.overlays}
    assert "second agent's path" in names
