"""Pictures as vectors: the outlines of what is drawn, where it was drawn, and nothing else."""

import numpy as np
import pytest

from engine.scene import Arrows, Bar, Bars, Edge, Graph, Heat, Mark, Node, Path, Scene, frame_of
from renderers.drawing import shapes
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Filled, Patch, Sheet, draw_vectors, trace_outlines
from renderers.formats.drawings import simplify_outline

RED, GREEN, WHITE = (200, 0, 0), (0, 200, 0), (255, 255, 255)
SCENE = Scene(
    ("#####", "#   #", "#####"),
    (Mark(1, 1, "A", "agent", "agent"), Mark(1, 3, "G", "goal", "goal")),
    (Heat("value", ((1, 1, 0.5), (1, 2, 2.0))), Path("way", ((1, 1), (1, 2), (1, 3))), Arrows("do", ((1, 2, "up"),))),
    caption="a caption",
    charts=(Bars("return", (Bar("own", -3.0), Bar("other", 2.0))),),
)


def area(outline: np.ndarray) -> float:
    x, y = outline[:, 0], outline[:, 1]
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def test_an_outline_is_the_shape() -> None:
    [disc] = trace_outlines(shapes.disc(40, 40, (20.0, 17.0), 9.0))
    assert np.hypot(disc[:, 0] - 20.0, disc[:, 1] - 17.0) == pytest.approx(9.0, abs=0.02)
    ring = trace_outlines(shapes.outline(shapes.disc(40, 40, (20.0, 20.0), 15.0), 3.0))
    assert sorted(map(area, ring)) == pytest.approx([np.pi * 12**2, np.pi * 15**2], rel=0.005)


@pytest.mark.parametrize("thickness", [2.0, 3.0, 4.0])
def test_an_outline_that_reaches_the_edge_is_closed(thickness: float) -> None:
    """Also where its side lies on pixels' centres, as that of a line of 3 pixels does."""
    [line] = trace_outlines(shapes.polyline(40, 40, [(-5.0, 20.0), (45.0, 20.0)], thickness))
    assert area(line) == pytest.approx(40.0 * thickness, rel=0.05)


def test_a_shape_lies_where_its_part_of_the_sheet_was_pasted() -> None:
    with draw_vectors():
        tile = shapes.blank(10, 10, WHITE)
        shapes.fill(tile[2:, 3:], shapes.box(8, 7, (3.0, 3.0), (2.0, 1.0)), RED, 0.5)
        sheet = shapes.blank(30, 40, GREEN)
        shapes.paste(sheet, tile, 15, 20)
    assert isinstance(sheet, Sheet)
    ground, patch, box = sheet.drawn
    assert isinstance(ground, Filled)
    assert isinstance(patch, Filled)
    assert isinstance(box, Filled)
    assert (ground.colour, patch.colour, box.colour, box.opacity) == (GREEN, WHITE, RED, 0.5)
    assert ground.outlines[0].min(axis=0).tolist() == [0, 0]
    assert ground.outlines[0].max(axis=0).tolist() == [40, 30]
    assert patch.outlines[0].min(axis=0).tolist() == [20, 15]
    assert patch.outlines[0].max(axis=0).tolist() == [30, 25]
    assert box.outlines[0].min(axis=0) == pytest.approx([20 + 3 + 1, 15 + 2 + 2])
    assert box.outlines[0].max(axis=0) == pytest.approx([20 + 3 + 5, 15 + 2 + 4])


def test_a_scene_of_vectors_has_the_pixels_of_its_picture_and_none_in_its_drawing() -> None:
    plain = Painter(40).picture(SCENE)
    with draw_vectors():
        sheet = Painter(40).picture(SCENE)
    assert isinstance(sheet, Sheet)
    assert not isinstance(Painter(40).picture(SCENE), Sheet)
    np.testing.assert_array_equal(np.asarray(sheet), plain)


def test_what_is_shown_of_vectors_looks_like_the_picture() -> None:
    pytest.importorskip("matplotlib")
    import io

    from matplotlib.figure import Figure
    from matplotlib.image import imread

    from experiments.figures.boards import show_picture

    with draw_vectors():
        sheet = Painter(40).picture(SCENE)
    height, width = sheet.shape[:2]
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    show_picture(axes, sheet)
    assert not axes.images
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=100)
    stream.seek(0)
    shown = imread(stream)[..., :3] * 255
    differences = np.abs(shown - np.asarray(sheet, dtype=np.float64)).max(axis=2)
    assert (differences > 90).mean() < 0.01
    assert differences.mean() < 5


def test_a_worlds_own_frame_stays_pixels() -> None:
    colours = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    with draw_vectors():
        sheet = Painter(20).picture(Scene(frame=frame_of(colours), caption="c"))
    assert isinstance(sheet, Sheet)
    assert sum(isinstance(drawn, Patch) for drawn in sheet.drawn) == 1


def test_an_svg_filled_by_another_program_is_the_picture() -> None:
    """Its outlines are filled by Pillow, an outline inside another one being a hole; words are left out."""
    import re
    import xml.etree.ElementTree as ET

    from PIL import Image, ImageDraw

    from renderers.film import FORMATS, render

    nodes = (Node("a", 0, 0, " ", "utility", "diamond", ring="danger"), Node("b", 1, 0.4, " ", "decision", "square"))
    film = render((Scene(charts=(Graph("", nodes, (Edge("a", "b", "changed"),)),)),), 48)
    root = ET.fromstring(FORMATS["svg"].encode(film))
    [plain] = film.images([0])
    height, width = plain.shape[:2]
    fine = 4
    drawn = Image.new("RGB", (fine * width, fine * height))
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        mask = np.zeros((fine * height, fine * width), dtype=bool)
        for outline in re.findall(r"M([^z]*)z", path.get("d", "")):
            points = [tuple(fine * float(number) for number in point.split()) for point in outline.split("L")]
            filled = Image.new("1", drawn.size)
            ImageDraw.Draw(filled).polygon(points, fill=1)
            mask ^= np.asarray(filled)
        drawn.paste(path.get("fill", ""), mask=Image.fromarray(mask))
    shown = np.asarray(drawn.resize((width, height), Image.Resampling.BOX), dtype=float)
    differences = np.abs(shown - plain).max(axis=2)
    assert differences.mean() < 1.5
    assert (differences > 90).mean() < 0.003


def test_an_outline_keeps_to_its_line_with_fewer_points() -> None:
    [disc] = trace_outlines(shapes.disc(80, 80, (40.0, 37.0), 30.0))
    simple = simplify_outline(disc)
    assert len(simple) < len(disc) / 3
    assert area(simple) == pytest.approx(np.pi * 900, rel=0.005)
    [box] = trace_outlines(shapes.box(60, 60, (30.0, 30.0), (20.0, 10.0)))
    assert len(simplify_outline(box)) < 20
