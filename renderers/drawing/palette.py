"""Colours for roles: one palette for every renderer, safe for colour-blind viewers, never the only sign.

Reference: M. Okabe, K. Ito, "Color Universal Design", 2008 (the eight colours). The heat ramp runs from dark blue over
grey-green to light yellow with lightness growing all the way, so that it reads in grey as well.

A dark picture is a light one through `darken`: surfaces have the dark colours of `SURFACES`, which the live page has,
too, and the lightness of all else is mirrored. Pictures that are made inside `dark_pictures` are dark, and all of them
where CAREGRID_DARK is set in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[int, int, int]


class Surface(NamedTuple):
    """A ground in a light and in a dark picture."""

    light: Colour
    dark: Colour


SURFACES: dict[str, Surface] = {
    "paper": Surface((252, 251, 248), (22, 24, 29)),
    "panel": Surface((246, 244, 239), (30, 33, 39)),
    "floor": Surface((244, 241, 234), (43, 47, 55)),
    "grid": Surface((228, 223, 212), (69, 75, 86)),
    "wall": Surface((68, 76, 92), (12, 14, 18)),
    "wall-light": Surface((86, 95, 113), (28, 31, 38)),
}
PAPER, PANEL, FLOOR, FLOOR_LINE, WALL, WALL_LIGHT = (surface.light for surface in SURFACES.values())
INK: Colour = (38, 42, 51)
PALE_INK: Colour = (112, 116, 125)
WHITE: Colour = (255, 255, 255)
CROSS: Colour = (190, 30, 45)

_ROLES: dict[str, Colour] = {
    "agent": (0, 114, 178),
    "other": (173, 80, 137),
    "object": (230, 159, 0),
    "goal": (0, 128, 94),
    "door": (122, 92, 62),
    "place": (120, 124, 133),
    "feature": (203, 184, 150),
    "danger": (213, 94, 0),
    "gain": (0, 128, 94),
    "loss": (200, 70, 10),
    "changed": (0, 150, 90),
    "faded": (178, 180, 186),
    "decision": (207, 226, 255),
    "utility": (255, 236, 150),
    "record": (226, 218, 240),
    "plain": INK,
}
_SERIES: tuple[Colour, ...] = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 148, 108),
    (98, 58, 150),
    (190, 140, 0),
    (86, 180, 233),
    (92, 56, 32),
    (140, 142, 148),
)
SERIES = len(_SERIES)
_RAMP: tuple[tuple[float, Colour], ...] = (
    (0.0, (24, 40, 84)),
    (0.25, (58, 84, 122)),
    (0.5, (112, 132, 128)),
    (0.75, (184, 180, 104)),
    (1.0, (250, 232, 110)),
)


_SHADES = (("paper", "paper"), ("panel", "panel"), ("grid", "floor"), ("wall", "wall-light"))
"""The first and the last surface of shades that lie between two of them."""
DARK = "CAREGRID_DARK"
_is_dark: ContextVar[bool | None] = ContextVar("pictures are dark", default=None)


@contextmanager
def dark_pictures(dark: bool = True) -> Iterator[None]:
    """Make pictures, films and figures that are written inside, and windows that are opened, dark.

    Parameters
    ----------
    dark : bool
        False for light ones, whatever holds outside.

    Returns
    -------
    context manager
        For `with`.

    Examples
    --------
    >>> import caregrid
    >>> with caregrid.dark_pictures():
    ...     page = caregrid.problem("garden").film([1.0]).page
    >>> "#16181d" in page
    True
    """
    token = _is_dark.set(dark)
    try:
        yield
    finally:
        _is_dark.reset(token)


def is_dark() -> bool:
    """Return whether pictures are dark: as `dark_pictures` says, else where CAREGRID_DARK is neither empty nor 0."""
    said = _is_dark.get()
    return os.environ.get(DARK, "0") not in ("", "0") if said is None else said


def darken(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the dark form of a picture, uint8[H, W, 3]: dark surfaces, and all else with its lightness mirrored.

    A colour keeps its hue and its chroma: to each channel 255 less the largest and the smallest is added.
    """
    channels = [np.ascontiguousarray(image[:, :, channel]) for channel in range(3)]
    most, least = np.maximum.reduce(channels), np.minimum.reduce(channels)
    added = 255 - most.astype(np.int16) - least
    result = [(channel + added).astype(np.uint8) for channel in channels]
    reds = np.arange(256)
    for first_name, last_name in _SHADES:
        (first, dark), (last, darker) = SURFACES[first_name], SURFACES[last_name]
        inside = np.ones(most.shape, dtype=np.bool_)
        for channel, low, high in zip(channels, first, last, strict=True):
            inside &= (channel >= low) & (channel <= high)
        share = np.clip((reds - first[0]) / max(1, last[0] - first[0]), 0.0, 1.0)
        for number, channel in enumerate(result):
            shades = np.round(dark[number] + share * (darker[number] - dark[number])).astype(np.uint8)
            np.copyto(channel, shades[channels[0]], where=inside)
    return np.stack(result, axis=2)


def write_code(shade: Colour) -> str:
    """Return a colour as HTML, CSS and matplotlib spell it, such as "#16181d"."""
    return "#" + bytes(shade).hex()


def write_surfaces(dark: bool) -> str:
    """Return each surface as a variable of CSS, such as "--paper: #16181d;"."""
    return " ".join(f"--{name}: {write_code(surface[dark])};" for name, surface in SURFACES.items())


def darken_colour(shade: Colour) -> Colour:
    """Return the dark form of one colour."""
    red, green, blue = darken(np.array([[shade]], dtype=np.uint8))[0, 0].tolist()
    return red, green, blue


def colour(role: str) -> Colour:
    """Return the colour of a role; "path 3" and the like take one of a series, an unknown role looks like an object."""
    if role in _ROLES:
        return _ROLES[role]
    word, _, number = role.rpartition(" ")
    return _SERIES[int(number) % SERIES] if word and number.isdecimal() else _ROLES["object"]


def heat_colour(share: float) -> Colour:
    """Return the ramp's colour for a share in [0, 1] (0 the lowest number, 1 the highest)."""
    stops = [stop for stop, _ in _RAMP]
    red, green, blue = (round(float(np.interp(share, stops, [shade[c] for _, shade in _RAMP]))) for c in range(3))
    return red, green, blue


def readable_colour(background: Colour) -> Colour:
    """White or ink, whichever is easier to read on a background (the weights are those of relative luminance)."""
    red, green, blue = background
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 else WHITE


def mix_colours(first: Colour, second: Colour, share: float) -> Colour:
    """Return a colour between two: `share` of the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue
