"""Grids as pixels: what changed is what is copied, roles differ without colour, nothing grows, no pygame."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue
from engine.scene import Film, Heat, Mark, Path, Scene
from renderers.drawing import palette, shapes
from renderers.drawing import raster as atlas
from renderers.drawing.raster import Raster
from renderers.drawing.tiles import CellAppearance, PathSegment, Symbol, draw_tile

ROLES = ("agent", "other", "goal", "door", "place", "danger", "object")
FLOOR = ("####", "#  #", "####")


def test_a_grid_has_the_tile_size_it_was_asked_for(film: Film) -> None:
    frame = Raster(20).grid(film[0])
    assert frame.shape == (4 * 20, 5 * 20, 3)
    assert frame.dtype == np.uint8
    assert tuple(frame[0, 0]) == palette.WALL


@pytest.mark.parametrize("size", [0, 3, 257])
def test_senseless_tiles_are_refused(size: int) -> None:
    with pytest.raises(BadValue, match="tiles of"):
        Raster(size)


def test_frames_are_the_callers_own(film: Film) -> None:
    raster = Raster(16)
    first = raster.grid(film[0])
    copy = first.copy()
    raster.grid(film[1])
    assert (first == copy).all()
    assert not raster.draw_shared_grid(film[0]).flags.writeable


marks = st.lists(
    st.builds(Mark, st.integers(0, 2), st.integers(0, 3), st.sampled_from("@kA"), st.just("x"), st.sampled_from(ROLES)),
    max_size=6,
)
overlays = st.lists(
    st.one_of(
        st.builds(lambda n: Heat("v", ((1, 1, 0.0), (1, 2, n))), st.floats(-5, 5)),
        st.builds(lambda cells: Path("p", tuple(cells)), st.lists(st.sampled_from(((1, 1), (1, 2))), min_size=1)),
    ),
    max_size=2,
)
scenes = st.builds(lambda some, layers: Scene(FLOOR, tuple(some), tuple(layers)), marks, overlays)


@settings(max_examples=40, deadline=None)
@given(st.lists(scenes, min_size=1, max_size=6))
def test_copying_what_changed_gives_the_whole_frame(walk: list[Scene]) -> None:
    raster = Raster(8)
    for scene in walk:
        assert (raster.grid(scene) == Raster(8).grid(scene)).all()


def test_roles_differ_in_shape_alone() -> None:
    outlines = {}
    for role in ROLES:
        empty, drawn = (
            draw_tile(CellAppearance(), 40),
            draw_tile(CellAppearance(symbols=(Symbol("", role, False),)), 40),
        )
        outlines[role] = (empty != drawn).any(axis=2)
    for first, second in combinations([role for role in ROLES if role != "place"], 2):
        assert (outlines[first] != outlines[second]).mean() > 0.02, (first, second)
    ring = draw_tile(CellAppearance(symbols=(Symbol("", "place", False),)), 40)
    assert tuple(ring[20, 20]) == palette.FLOOR


def test_series_and_roles_have_distinct_colours() -> None:
    series = [palette.colour(f"path {n}") for n in range(8)]
    assert len(set(series)) == len(series)
    assert palette.colour("path 8") == series[0]
    assert palette.colour("no such role") == palette.colour("object")


def test_the_heat_ramp_grows_lighter_all_the_way() -> None:
    lightness = [np.dot(palette.heat_colour(share), (0.2126, 0.7152, 0.0722)) for share in np.linspace(0, 1, 33)]
    assert (np.diff(lightness) > 0).all()


def test_every_part_of_a_look_shows() -> None:
    plain = draw_tile(CellAppearance(), 40)
    trail = PathSegment("path 0", ("left", "right"), 0.0, "right")
    shown = [
        CellAppearance(wall=True),
        CellAppearance(heat=0.5),
        CellAppearance(heat=0.5, number="-12"),
        CellAppearance(arrow="up"),
        CellAppearance(arrow="pick up"),
        CellAppearance(segments=(trail,)),
        CellAppearance(symbols=(Symbol("A", "agent", False),)),
        CellAppearance(symbols=(Symbol("A", "agent", True),)),
        CellAppearance(symbols=(Symbol("@", "agent", False),)),
        CellAppearance(symbols=(Symbol("A", "agent", False),) * 5),
    ]
    drawn = [plain, *(draw_tile(appearance, 40) for appearance in shown)]
    for first, second in combinations(drawn, 2):
        assert (first != second).any()


def test_numbers_without_end_leave_their_cells_plain() -> None:
    known = ((1, 1, -3.0), (1, 2, float("-inf")))
    with_gap, without = (Raster(16).grid(Scene(FLOOR, (), (Heat("v", cells),))) for cells in (known, known[:1]))
    assert (with_gap == without).all()


def test_the_atlas_is_emptied_instead_of_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atlas, "MAX_APPEARANCES", 40)
    raster = Raster(8)
    for i in range(60):
        scene = Scene(FLOOR, (), (Heat("v", ((1, 1, 0.0), (1, 2, 1.0 + i / 7))),))
        assert (raster.grid(scene) == Raster(8).grid(scene)).all()
    assert len(raster._atlas) <= 40


def test_grids_may_change_their_size(film: Film) -> None:
    raster = Raster(8)
    small = replace(film[0], floor=("   ",), marks=(), overlays=())
    assert raster.grid(small).shape == (8, 24, 3)
    assert raster.grid(film[0]).shape == (32, 40, 3)
    assert raster.grid(Scene()).shape == (0, 0, 3)


def test_pictures_need_neither_pygame_nor_pillow_nor_matplotlib() -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(('pygame', 'PIL', 'matplotlib'))); "
        "from engine.scene import Mark, Scene; from renderers.drawing.picture import Painter; "
        "assert Painter(16).picture(Scene(('   ',), (Mark(0, 0, 'A', 'a'),), caption='hello')).size"
    )
    root = FilePath(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True)


@pytest.mark.parametrize("opacity", [1.0, 0.35])
def test_a_shape_mixes_with_what_is_below_by_its_cover(opacity: float) -> None:
    draw = np.random.default_rng(0)
    ground = draw.integers(0, 256, (30, 40, 3)).astype(np.uint8)
    body, colour = shapes.disc(30, 40, (18.3, 14.7), 9.2), np.array((10, 200, 30))
    cover = (np.clip(0.5 - body, 0.0, 1.0) * opacity)[..., None]
    mixed = np.rint(ground * (1.0 - cover) + colour * cover)
    shapes.fill(ground, body, (10, 200, 30), opacity)
    assert (np.abs(ground - mixed) <= 1.0).all()
    assert (ground[15, 18] == colour).all() == (opacity == 1.0)
