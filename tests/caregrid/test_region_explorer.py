"""A map of two coefficients in the viewer: clicks and keys choose, the world shows what the best behaviour does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import caregrid
from caregrid.programmes.caring.regions import MAP_SCENE, SIDE, ViewableRegions, name_outcomes
from craftworld.regions import make_coefficient_axes, solve_regions
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.errors import BadValue, UnknownName
from engine.planning.coefficient_regions import find_window
from engine.scene import Path as DrawnPath
from engine.scene import frame_pixels
from renderers.drawing.polygon_map import ABOVE, LEFT, PIXELS, choose_ticks
from renderers.viewer.player import Player
from renderers.viewer.viewer_layout import ViewerLayout


@pytest.fixture(scope="module")
def viewable() -> ViewableRegions:
    problem = make_problem(SCENARIOS["mailroom"]())
    solved = solve_regions(make_coefficient_axes(problem, ["agent E", "agent A"]))
    return ViewableRegions(problem, solved, ["the first", "the second"], (1.0, 1.0))


def pixel_of(layout: ViewerLayout, panel: tuple[int, ...], cell: tuple[int, int]) -> tuple[int, int]:
    area = next(area for area in layout._areas if area.panel == panel)
    if panel == MAP_SCENE:
        cell = cell[0] + ABOVE, cell[1] + LEFT
    return area.left + cell[1] * area.tile + area.tile // 2, area.top + cell[0] * area.tile + area.tile // 2


def test_a_click_on_every_cell_of_the_map_chooses_the_best_region_there(viewable: ViewableRegions) -> None:
    player, layout = Player(viewable), ViewerLayout()
    layout.draw(player)
    chosen = set()
    for row in range(SIDE):
        for column in range(SIDE):
            layout.click(player, *pixel_of(layout, MAP_SCENE, (row, column)))
            x, y = viewable.coefficients
            best = max(viewable._solved.regions, key=lambda region: region.region.value_at(np.array([x, y])))
            assert viewable.region is best
            assert player.cell is None
            chosen.add(viewable.region.outcome.own)
    assert chosen == {-13.0, -14.0, -19.0}


def test_the_world_shows_the_path_of_the_chosen_region(viewable: ViewableRegions) -> None:
    player, layout = Player(viewable), ViewerLayout()
    layout.draw(player)
    paths = {}
    for cell in ((0, 0), (SIDE - 1, 0), (0, SIDE - 1)):
        player.execute("last")
        layout.click(player, *pixel_of(layout, MAP_SCENE, cell))
        assert dict(player.scene().readings)["own return"] == f"{viewable.region.outcome.own:g}"
        player.execute("last")
        (path,) = player.scene().panels[1].overlays
        assert isinstance(path, DrawnPath)
        paths[viewable.region.outcome.own] = path.cells
    assert len(set(paths.values())) == 3
    layout.draw(player)
    layout.click(player, *pixel_of(layout, (1,), (4, 4)))
    assert player.cell == (4, 4)


def test_keys_move_the_choice_and_stop_at_the_border(viewable: ViewableRegions) -> None:
    player = Player(viewable)
    for _ in range(SIDE + 2):
        player.press("page down")
        player.press("down")
    low = viewable.coefficients
    player.press("page up")
    player.press("up")
    assert all(np.array(viewable.coefficients) > low)
    for _ in range(2 * SIDE):
        player.press("up")
    assert viewable._cell[0] == 0
    assert not player.message


def test_the_borders_are_exact_and_a_click_on_an_axis_chooses_nothing(viewable: ViewableRegions) -> None:
    """Every fifth pixel of the plane has the colour of the best region at its coefficients, but for lines and signs."""
    map_scene = viewable.scene(0, "path").panels[0]
    assert map_scene.frame is not None
    picture = frame_pixels(map_scene.frame)
    (left, right), (low, high) = find_window([region.region for region in viewable._solved.regions])
    length = SIDE * PIXELS
    plane = picture[ABOVE * PIXELS : ABOVE * PIXELS + length, LEFT * PIXELS : LEFT * PIXELS + length]
    returns = np.array([region.region.returns for region in viewable._solved.regions])
    colours: dict[int, Counter[tuple[int, ...]]] = {number: Counter() for number in range(len(returns))}
    for row in range(2, length, 5):
        for column in range(2, length, 5):
            x, y = left + (column + 0.5) / length * (right - left), high - (row + 0.5) / length * (high - low)
            best = int((returns @ (1.0, x, y)).argmax())
            colours[best][tuple(plane[row, column].tolist())] += 1
    main = [counter.most_common(1)[0] for counter in colours.values()]
    assert len({colour for colour, _ in main}) == 3
    for number, (colour, count) in enumerate(main):
        assert all(colour not in counter for other, counter in colours.items() if other != number)
        assert count > 0.93 * colours[number].total()
    before = viewable.coefficients
    for margin in ((ABOVE - 1, LEFT), (ABOVE, LEFT - 1), (ABOVE + SIDE, LEFT), (ABOVE, LEFT + SIDE)):
        assert viewable.click(MAP_SCENE, margin, 3) == 3
        assert viewable.coefficients == before


def test_regions_are_named_by_what_differs(viewable: ViewableRegions) -> None:
    """C and D hold in all three regions of the mail room; the title counts, and nothing of it is cut."""
    outcomes = [region.outcome for region in viewable._solved.regions]
    assert name_outcomes(outcomes)[2] == "own -19, agent A 1, agent B 1, agent E 1"
    assert viewable.title == "mailroom: 3 regions"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 5.2, [0, 2, 4]),
        (-1.3, 1.2, [-1, -0.5, 0, 0.5, 1]),
        (0, 37.7, [0, 10, 20, 30]),
        (2e-4, 9e-4, [2e-4, 4e-4, 6e-4, 8e-4]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert choose_ticks(low, high) == ticks


def test_a_domain_that_ends_is_not_left() -> None:
    """Beliefs of three: half of the square is outside, and a wall."""
    found = caregrid.problem("office_kitchen", "expected").regions(beliefs=["baker", "tea drinker", "cook"], care=2.0)
    shown = ViewableRegions(found.problem, found.solved, ["one", "two"], (5.0, 5.0))
    floor = shown.scene(0, "path").panels[0].floor
    assert {"#", " "} == set("".join(floor))
    before = shown.coefficients
    wall = next((r, c) for r, row in enumerate(floor) for c, each in enumerate(row) if each == "#")
    assert shown.click(MAP_SCENE, wall, 0) == 0
    assert shown.coefficients == before


def test_from_python_and_refusals(tmp_path: Path) -> None:
    target = tmp_path / "clicks.gif"
    problem = caregrid.problem("toll_road")
    problem.view(axes=["villagers", "walkers"], out=target, frames=3, keys="up,page up")
    assert target.stat().st_size
    with pytest.raises(BadValue, match="choose two"):
        problem.view(axes="walkers", out=target)
    with pytest.raises(BadValue, match="choose two"):
        problem.view(axes=["villagers", "walkers", "own"], out=target)
    with pytest.raises(UnknownName, match="walker"):
        problem.view(axes=["villagers", "walker"], out=target)


def test_the_json_of_a_map_draws_it() -> None:
    """Outlines fill the window, hold their interiors, and paths go from floor cell to floor cell."""
    found = caregrid.problem("toll_road").regions(["villagers", "walkers"]).as_dict()
    (left, right), (low, high) = found["window"]
    total = 0.0
    for region in found["regions"]:
        corners = np.array(region["outline"])
        sides = np.array(region["halfspaces"])
        assert (sides[:, :-1] @ corners.T <= sides[:, -1:] + 1e-9).all()
        x, y = corners.T
        total += abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
        for (row, column), (after_row, after_column) in zip(region["path"], region["path"][1:], strict=False):
            assert found["floor"][row][column] == " "
            assert abs(row - after_row) + abs(column - after_column) <= 1
        assert len(region["path"]) == len(region["actions"]) + 1
    assert total == pytest.approx((right - left) * (high - low))
    line = caregrid.problem("workshop").regions().as_dict()
    ends = sorted(edge[0] for region in line["regions"] for edge in region["outline"])
    assert (ends[0], ends[-1]) == pytest.approx(line["window"][0])
    assert "window" not in caregrid.problem("mailroom").regions().as_dict()
    assert "path" not in caregrid.problem("icy_yard").regions().as_dict()["regions"][0]
