"""Whole pictures: panels, legends, charts and where the grids lie."""

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadValue
from engine.scene import Bar, Bars, Chart, Edge, Film, Graph, Mark, Node, Path, Scene, Strip, Tick
from renderers.charts import draw_charts
from renderers.drawing import palette
from renderers.drawing.picture import Painter, draw_frames
from renderers.drawing.raster import Raster


def test_the_grid_lies_where_the_spot_says(film: Film) -> None:
    block = Painter(24).block(film[0])
    area = block.areas[0]
    there = block.image[area.top : area.top + 4 * 24, area.left : area.left + 5 * 24]
    assert (there == Raster(24).grid(film[0])).all()
    assert area.cell(area.left + 24 * 3 + 1, area.top + 24 * 2 + 23) == (2, 3)
    assert area.cell(area.left - 1, area.top) is None


def test_panels_lie_side_by_side_and_wrap(plain_film: Film) -> None:
    painter = Painter(16, legend=False)
    row = painter.block(Scene(panels=plain_film[:3]))
    wrapped = painter.block(Scene(panels=plain_film[:3], columns=2))
    assert [area.panel for area in row.areas] == [(0,), (1,), (2,)]
    assert len({area.top for area in row.areas}) == 1
    assert wrapped.areas[2].top > wrapped.areas[0].top
    assert wrapped.areas[2].left == wrapped.areas[0].left
    assert wrapped.width < row.width


@pytest.mark.parametrize(
    "more",
    [
        {"caption": "words"},
        {"readings": (("return", "-7"),)},
        {"overlays": (Path("way", ((1, 1), (1, 2))),)},
        {"charts": (Strip("rewards", (Tick("+1", "gain"),)),)},
    ],
)
def test_each_part_makes_the_picture_larger(more: dict, plain_film: Film) -> None:
    bare = replace(plain_film[0], caption="")
    small, large = (Painter(24).picture(scene) for scene in (bare, replace(bare, **more)))
    assert large.shape[0] * large.shape[1] > small.shape[0] * small.shape[1]


def test_all_frames_of_a_film_have_one_size(film: Film) -> None:
    longer = replace(film[1], caption="a caption " * 30)
    sizes = {frame.shape for frame in draw_frames((film[0], longer, film[2]), 16)}
    assert len(sizes) == 1


def draw_one(chart: Chart, width: int, size: float) -> np.ndarray:
    (image,) = draw_charts((chart,), width, size)
    return image


def _coloured_columns(image: np.ndarray, role: str) -> int:
    return int((image == np.array(palette.colour(role), dtype=np.uint8)).all(axis=2).any(axis=0).sum())


def test_bars_are_as_long_as_their_numbers() -> None:
    def length(number: float) -> int:
        return _coloured_columns(draw_one(Bars("", (Bar("x", number, "agent", "n"),), limit=1.0), 400, 10), "agent")

    assert length(0) == 0
    assert length(0.5) / length(1.0) == pytest.approx(0.5, abs=0.02)
    assert length(2.0) == length(1.0)


def test_a_long_strip_shows_the_step_it_points_at() -> None:
    ticks = tuple(Tick("x", "danger" if i == 450 else "plain") for i in range(500))
    assert _coloured_columns(draw_one(Strip("", ticks, now=450), 300, 10), "danger")
    assert not _coloured_columns(draw_one(Strip("", ticks, now=10), 300, 10), "danger")


CHARTS: tuple[Chart, ...] = (
    Bars("empty", ()),
    Strip("empty", ()),
    Graph("empty", ()),
    Graph("one", (Node("a", 0.5, 0.5, "a name far too long for its node", shape="diamond"),)),
    Graph(
        "loose", (Node("a", 0, 0), Node("b", 1, 1, crossed=True)), (Edge("a", "b", "changed", "copy"), Edge("a", "z"))
    ),
)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{type(chart).__name__} {chart.name}")
def test_odd_charts_are_drawn_in_their_width(chart: Chart) -> None:
    image = draw_one(chart, 200, 9)
    assert 0 < image.shape[1] <= 200


def test_a_rerouted_edge_and_a_crossed_node_show() -> None:
    nodes = (Node("a", 0, 0.5), Node("b", 1, 0.5))
    crossed = (Node("a", 0, 0.5), Node("b", 1, 0.5, crossed=True))
    edges = {role: (Edge("a", "b", role),) for role in ("plain", "changed")}
    pictures = [
        draw_one(Graph("g", some, edge), 300, 10).tobytes() for some in (nodes, crossed) for edge in edges.values()
    ]
    assert len(set(pictures)) == 4


def test_deleted_things_are_crossed_out_and_keep_their_letters() -> None:
    scenes = [Scene(("   ",), (Mark(0, 1, letter, "agent", "history 0", True),)) for letter in "IO"]
    drawn = [Raster(48).grid(scene) for scene in scenes]
    assert all((grid == np.array(palette.CROSS)).all(axis=2).any() for grid in drawn)
    assert (drawn[0][20:28, 68:76] != drawn[1][20:28, 68:76]).any()
    nodes = [Graph("", (Node("a", 0, 0, label, crossed=True),)) for label in "IO"]
    assert len({draw_one(node, 100, 20).tobytes() for node in nodes}) == 2


def test_frames_of_too_many_pixels_are_refused_before_they_are_drawn() -> None:
    panel = Scene((" " * 100,) * 100)
    film = (Scene(panels=(panel,) * 20),)
    with pytest.raises(BadValue, match="a frame of about 13107 million pixels; at most 100; choose a smaller tile"):
        next(draw_frames(film, 256))
