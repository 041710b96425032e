"""The viewer's frames: any size, the grid whole, clicks that land where they point, memory that stays."""

import tracemalloc
from pathlib import Path

import pytest

from engine.scene import Film, Mark, Scene, Strip, Tick
from renderers.drawing.palette import CROSS, PAPER
from renderers.drawing.raster import Raster
from renderers.film import save_film
from renderers.formats import json as film_json
from renderers.viewer.player import Player
from renderers.viewer.viewable import Button, ViewableFilm
from renderers.viewer.viewer_layout import MIN_HEIGHT, MIN_WIDTH, ViewerLayout
from renderers.viewer.window import Window


@pytest.fixture
def player(film: Film) -> Player:
    return Player(ViewableFilm(film, "a walk"))


@pytest.mark.parametrize(("width", "height"), [(960, 640), (500, 330), (1600, 500), (700, 1200), (1, 1)])
def test_frames_have_the_windows_size_and_hold_the_whole_grid(player: Player, width: int, height: int) -> None:
    layout = ViewerLayout(width, height)
    frame = layout.draw(player)
    assert frame.shape == (max(height, MIN_HEIGHT), max(width, MIN_WIDTH), 3)
    area = layout._areas[0]
    grid = Raster(area.tile).grid(player.scene())
    shown = frame[area.top : area.top + grid.shape[0], area.left : area.left + grid.shape[1]]
    assert (shown == grid).all()


def test_a_larger_window_has_larger_tiles(player: Player) -> None:
    tiles = []
    layout = ViewerLayout(600, 400)
    for size in ((600, 400), (1200, 900)):
        layout.resize(*size)
        layout.draw(player)
        tiles.append(layout._areas[0].tile)
    assert tiles[0] < tiles[1]


def test_clicking_a_cell_shows_its_values(player: Player) -> None:
    layout = ViewerLayout()
    layout.draw(player)
    area = layout._areas[0]
    layout.click(player, area.left + area.tile * 3 + 2, area.top + area.tile + 2)
    assert player.cell == (1, 3)
    assert ("value", "-1") in player.scene().readings
    assert (layout.draw(player) == CROSS).all(axis=2).any()
    layout.click(player, 1, 1)
    assert player.cell is None


def test_clicking_the_time_line_jumps(player: Player) -> None:
    layout = ViewerLayout()
    layout.draw(player)
    y = layout.height - layout.timeline_height // 2
    for x, position in (
        (layout.width - layout.panel_width - 16, 3),
        (44, 0),
        ((layout.width - layout.panel_width) // 2 + 60, 2),
        (40, 0),
    ):
        layout.click(player, x, y)
        assert player.position == position


def test_the_pointer_is_dragged_along_the_time_line_and_the_button_plays(player: Player) -> None:
    layout = ViewerLayout()
    layout.draw(player)
    y = layout.height - layout.timeline_height // 2
    end = layout.width - layout.panel_width
    assert layout.click(player, end // 2, y)
    layout.drag(player, 10_000, y)
    assert player.position == 3
    layout.drag(player, -10, y)
    assert player.position == 0
    assert not layout.click(player, 20, y)
    assert player.playing
    assert not layout.click(player, 1, 1)
    layout.wheel(player, 10, 2)
    assert player.position == 2
    layout.wheel(player, 10, -1)
    assert player.position == 1


def test_the_wheel_shows_readings_that_have_no_room() -> None:
    many = tuple((f"reading {number}", str(number)) for number in range(60))
    player = Player(ViewableFilm((Scene(("   ",), readings=many), Scene(("   ",)))))
    layout = ViewerLayout(480, 320)
    first = layout.draw(player)
    over_panel = layout.width - 20
    layout.wheel(player, over_panel, 5)
    moved = layout.draw(player)
    assert player.position == 0
    assert (first != moved).any()
    layout.wheel(player, over_panel, 10_000)
    last = layout.draw(player)
    layout.wheel(player, over_panel, 10_000)
    assert (layout.draw(player) == last).all()
    layout.wheel(player, over_panel, -10_000)
    assert (layout.draw(player) == first).all()


def test_words_and_strips_of_worlds_without_a_grid_fit_a_narrow_window() -> None:
    """Nothing is drawn in the last pixels before the panel."""
    strip = Strip(
        "actions: p petrol cars, e electric cars, > lobby for later", tuple(Tick("20", "gain") for _ in range(40))
    )
    player = Player(ViewableFilm((Scene(caption="a caption of many words " * 4, charts=(strip,)),)))
    for width in (480, 800):
        layout = ViewerLayout(width, 320)
        edge = layout.draw(player)[:250, layout.width - layout.panel_width - 4 : layout.width - layout.panel_width]
        assert (edge == PAPER).all()


@pytest.mark.parametrize(("width", "height"), [(480, 320), (1000, 700), (1900, 1060)])
def test_the_board_takes_a_large_part_of_its_room_and_type_grows_with_the_window(width: int, height: int) -> None:
    floor = ("#" * 10, *["#" + " " * 8 + "#"] * 8, "#" * 10)
    marks = tuple(Mark(1 + i, 1 + i, "ABCDEFGH"[i], f"a thing of a long name {i}") for i in range(8))
    layout = ViewerLayout(width, height)
    layout.draw(Player(ViewableFilm((Scene(floor, marks, caption="a caption"),))))
    (area,) = layout._areas
    assert area.tile * 10 > 0.5 * min(width - layout.panel_width, height - layout.timeline_height)
    assert layout.panel_width < 0.4 * width
    assert layout.type_size == pytest.approx(max(7.5, min(width / 91, height / 61)))


def test_a_button_on_the_screen_presses_its_key(film: Film) -> None:
    class Stepping(ViewableFilm):
        buttons = (Button("end", "to the end"), Button("left", "back", available=False))

    player = Player(Stepping(film))
    layout = ViewerLayout()
    layout.draw(player)
    placed = layout._buttons[0]
    left = layout.width - layout.panel_width
    layout.click(player, left + placed.left + 2, placed.top + 2)
    assert player.position == 3
    layout.click(player, left + placed.left - 2, placed.top + 2)
    assert player.position == 3


def test_help_messages_and_panels_are_drawn(player: Player, plain_film: Film) -> None:
    layout = ViewerLayout()
    usual = layout.draw(player)
    player.press("h")
    helping = layout.draw(player)
    player.press("h")
    player.press("s")
    telling = layout.draw(player)
    assert (usual != helping).any()
    assert (usual != telling).any()
    panels = Player(ViewableFilm((Scene(panels=plain_film[:2]),)))
    layout.draw(panels)
    assert [area.panel for area in layout._areas] == [(0,), (1,)]


def long_film(length: int) -> Film:
    fixed = tuple(Mark(1, c, "w", f"wood {c}") for c in (2, 5))
    floor = ("#" * 12, *["#" + " " * 10 + "#"] * 10, "#" * 12)
    walk = ((1 + i % 10, 1 + i // 10 % 10) for i in range(length))
    return tuple(
        Scene(floor, (*fixed, Mark(row, column, "@", "agent", "agent")), (), f"step {i}", (("return", f"{-i}"),))
        for i, (row, column) in enumerate(walk)
    )


@pytest.mark.slow
def test_ten_thousand_steps_open_scrub_and_close_without_growing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    path = tmp_path / "long.json"
    save_film(path, long_film(10_000))

    def scrub(window: Window, rounds: int) -> None:
        for i in range(rounds):
            window.player.go(i * 7919 % 10_000)
            window.update(0.0)

    with Window(Player(ViewableFilm(film_json.read_film(path), "long")), ViewerLayout(640, 420)) as window:
        scrub(window, 300)
        tracemalloc.start()
        try:
            scrub(window, 150)
            before, _ = tracemalloc.get_traced_memory()
            scrub(window, 450)
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert after - before < 300_000
    assert peak < 30_000_000
