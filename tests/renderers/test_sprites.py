"""Sprites: each is told from the others without colour, on light and dark ground, and the same names find them."""

from itertools import combinations

import numpy as np
import pytest

from engine.scene import Mark, Scene
from renderers.drawing import palette, shapes
from renderers.drawing.picture import draw_picture
from renderers.drawing.sprites import draw_sprite, find_sprite, read_other_names, read_sprites

GROUNDS = {"light": palette.FLOOR, "dark": palette.heat_colour(0.0)}


def draw_grey(name: str, size: int, ground: palette.Colour, ink: palette.Colour) -> np.ndarray:
    """A sprite as lightness from 0 to 1, every body of the same grey."""
    image = shapes.blank(size, size, ground)
    draw_sprite(image, name, (size / 2, size / 2), size * 0.43, (128, 128, 128), ink, palette.WHITE)
    return image @ np.array([0.2126, 0.7152, 0.0722]) / 255.0


@pytest.mark.parametrize("size", [24, 48])
def test_sprites_differ_without_colour(size: int) -> None:
    """Any two differ, by more than a tenth of lightness, on a thirtieth of the cell or more."""
    drawn = {name: draw_grey(name, size, palette.FLOOR, palette.INK) for name in read_sprites()}
    for first, second in combinations(drawn, 2):
        differing = np.mean(np.abs(drawn[first] - drawn[second]) > 0.1)
        assert differing > (0.03 if {first, second} != {"other", "lost"} else 0.005), (first, second)


@pytest.mark.parametrize("ground", GROUNDS)
def test_sprites_are_seen_on_light_and_on_dark_ground(ground: str) -> None:
    """Body, light or ink of each stands out from the ground by a contrast of 3 to 1, as WCAG 2.1 asks of graphics."""
    ink = palette.INK if ground == "light" else palette.WHITE
    back = draw_grey("agent", 48, GROUNDS[ground], ink)[0, 0]
    for name in read_sprites():
        lightness = draw_grey(name, 48, GROUNDS[ground], ink)
        contrast = (np.maximum(lightness, back) + 0.05) / (np.minimum(lightness, back) + 0.05)
        assert np.mean(contrast > 3.0) > 0.04, name


def test_a_polygon_is_filled_as_even_odd_says() -> None:
    """Against counting, in a grid of points, the crossings of rays to the left with the sides of a star."""
    corners = [
        (12.0, 1.0),
        (15.0, 9.0),
        (23.0, 9.5),
        (16.5, 14.0),
        (19.0, 22.5),
        (12.0, 17.5),
        (5.0, 22.5),
        (7.5, 14.0),
    ]
    inside = shapes.area(24, 24, corners) < 0.0
    for y, x in np.ndindex(24, 24):
        px, py = x + 0.5, y + 0.5
        crossings = sum(
            (ay > py) != (by > py) and px > ax + (py - ay) * (bx - ax) / (by - ay)
            for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True)
        )
        assert inside[y, x] == crossings % 2


@pytest.mark.parametrize(
    ("name", "role", "sprite"),
    [
        ("agent", "agent", "agent"), ("newcomer", "other", "other"), ("agent 3", "other", "other"),
        ("key place", "feature", "key"), ("extra wood", "object", "wood"), ("mail room", "feature", "mail"),
        ("the doll's first place", "feature", "doll"), ("Ann's desk", "feature", "desk"), ("place", "feature", "place"),
        ("herder 1", "agent", "agent"),
        ("high diamond switch", "feature", "switch"), ("a zyx of one's own", "object", ""),
    ],
)  # fmt: skip
def test_a_thing_is_found_by_its_name(name: str, role: str, sprite: str) -> None:
    assert find_sprite(name, role) == sprite


def test_other_names_name_sprites() -> None:
    assert set(read_other_names().values()) <= set(read_sprites())


def test_letters_remain() -> None:
    """A picture with letters is that of a mark without a sprite, one with sprites is another."""
    pictures = [
        draw_picture(Scene((" ",), (Mark(0, 0, "k", name, "object"),)), 40, signs)[:54, :54]
        for name, signs in (("key", "letters"), ("zyx", "sprites"), ("key", "sprites"))
    ]
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])
