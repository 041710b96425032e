"""Paths differ by more than colour, and those of one pattern by colours that stay apart without green cones."""

from itertools import combinations

import numpy as np
import pytest

from engine.scene import Path, Scene
from renderers.drawing import palette
from renderers.drawing.picture import Painter
from renderers.drawing.raster import Raster
from renderers.drawing.tiles import choose_pattern

TO_CONES = np.array([[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]])
WITHOUT_GREEN = np.array([[1, 0, 0], [0.494207, 0, 1.24827], [0, 0, 1]])
"""F. Vienot, H. Brettel, J. Mollon, "Digital Video Colourmaps for Checking the Legibility of Displays", 1999."""
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
AT_LEAST = 25.0  # CIE 1976 difference, where 2 to 3 is just noticeable


def seen_by_deuteranopes(colour: palette.Colour) -> np.ndarray:
    """L*, a*, b* of a colour as it is seen without green cones."""
    share = np.array(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.linalg.inv(TO_CONES) @ WITHOUT_GREEN @ TO_CONES @ linear, 0, 1)
    xyz = TO_XYZ @ linear / np.array([0.9505, 1, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_paths_of_one_pattern_have_colours_that_deuteranopes_tell_apart() -> None:
    roles = [*(f"path {number}" for number in range(palette.SERIES)), "other", "other 6"]
    for first, second in combinations(roles, 2):
        apart = np.linalg.norm(
            seen_by_deuteranopes(palette.colour(first)) - seen_by_deuteranopes(palette.colour(second))
        )
        assert choose_pattern(first) != choose_pattern(second) or apart >= AT_LEAST, (first, second, apart)


def test_no_colour_and_pattern_come_twice_among_thirty_two_paths() -> None:
    looks = {(palette.colour(f"path {number}"), choose_pattern(f"path {number}")) for number in range(32)}
    assert len(looks) == 32
    assert palette.colour("other") not in {palette.colour(f"path {number}") for number in range(palette.SERIES)}


@pytest.mark.parametrize("tile", [16, 48])
def test_patterns_show_without_any_colour(tile: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(palette, "colour", lambda role: palette.INK)
    cells = tuple((0, column) for column in range(6))
    pictures = [
        Raster(tile).grid(Scene((" " * 6,), (), (Path("", cells, role),)))
        for role in ("path 0", "path 1", "path 2", "path 3", "other", "other 6")
    ]
    for first, second in combinations(pictures, 2):
        assert (first != second).any(axis=2).mean() > 0.01


def test_a_pattern_goes_on_from_cell_to_cell() -> None:
    """Read along its middle, a path has the same pattern in each cell between its ends."""
    for role in ("path 1", "path 2", "path 3", "other", "other 6"):
        line = Raster(48).grid(Scene((" " * 6,), (), (Path("", tuple((0, c) for c in range(6)), role),)))[24]
        cells = [line[48 * c : 48 * (c + 1) - 1] for c in range(1, 5)]
        assert all((cell == cells[0]).all() for cell in cells)
        assert (cells[0] == palette.FLOOR).all(axis=1).mean() > 0.1


def test_a_solid_path_has_no_knots_where_cells_meet() -> None:
    picture = Raster(40).grid(Scene((" " * 6,), (), (Path("", tuple((0, c) for c in range(6)), "path 0"),)))
    beside_the_ends = picture[10:30, 40:-45]
    inside = np.delete(beside_the_ends, np.arange(39, beside_the_ends.shape[1], 40), axis=1)  # lines between cells
    assert (inside == inside[:, :1]).all()


def test_panels_share_one_legend() -> None:
    one = Scene(("  ",), (), (Path("first", ((0, 0), (0, 1)), "path 0"),), caption="a")
    two = Scene(("  ",), (), (Path("second", ((0, 0), (0, 1)), "path 1"),), caption="b")
    named, bare = Painter(48), Painter(48)
    same = Scene(panels=(one, one))
    assert named.picture(Scene(panels=(one, two))).shape[0] == bare.picture(same).shape[0]
