"""Curves that can be told apart without colour: a marker and dashes each, named at their right ends.

Curves that coincide are drawn once, under all their names.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from experiments.figures.style import CYCLE, GREY, SOFT, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "o^sDvPX"
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)), (0, (8, 2)), (0, (2, 2, 6, 2)), (0, (1, 3)))
TITLE_ABOVE = 2.0  # break points, in heights of letters
BEHIND = 1.4  # the distance of a name's marker from the axes, in heights of letters
FEW_POINTS = 30  # of more points not all are marked, and other ones on each curve
MARKERS_A_CURVE = 12
SAME = 1e-9
LETTERS_A_LINE = 28
ABOVE = 1.35  # the distance of two names, in heights of letters
WIDTH = 0.62  # the width of a digit, in heights of letters


class CurveLook(NamedTuple):
    """What one curve looks like."""

    colour: str
    marker: str
    dashes: str | tuple[int, tuple[float, ...]]


def choose_look(number: int) -> CurveLook:
    """Return the look of the curve of a number, from 0 on; the first 49 are different without their colours too."""
    turn, place = divmod(number, len(CYCLE))
    shifted = (place + turn) % len(CYCLE)
    return CurveLook(CYCLE[place], MARKERS[shifted], DASHES[(shifted + turn) % len(CYCLE)])


class Curve(NamedTuple):
    """Numbers along the horizontal and the vertical axis, equally many."""

    x: Sequence[float]
    y: Sequence[float]


class NamedEnd(NamedTuple):
    """A name to write at the right end of a curve, behind the curve's marker."""

    name: str
    x: float
    y: float
    colour: str
    marker: str


def draw_curves(axes: Axes, curves: Mapping[str, Curve], steps: bool = False) -> None:
    """Draw curves by their names and write the names at their ends, without two upon each other.

    steps: a value holds up to the next. Set scales and limits of the axes before.
    """
    ends = []
    different = merge_curves(curves)
    for number, (names, curve) in enumerate(different):
        colour, marker, dashes = choose_look(number)
        every = 1 if len(curve.x) <= FEW_POINTS else len(curve.x) // MARKERS_A_CURVE
        axes.plot(
            curve.x,
            curve.y,
            linestyle=dashes,
            color=colour,
            marker=marker,
            markevery=(number * every // len(different), every),
            drawstyle="steps-post" if steps else "default",
            label=join_names(names),
        )
        ends.append(NamedEnd(join_names(names), curve.x[-1], curve.y[-1], colour, marker))
    name_ends(axes, ends)


def place_steps(curve: Curve, points: Sequence[float]) -> Curve:
    """The curve with each step put at the break point where it happens: the only one between two places with values."""
    x, y = [curve.x[0]], [curve.y[0]]
    for place, number in itertools.islice(zip(curve.x, curve.y, strict=True), 1, None):
        between = [point for point in points if x[-1] < point < place]
        if number != y[-1] and len(between) == 1:
            x.append(between[0])
            y.append(number)
        x.append(place)
        y.append(number)
    return Curve(x, y)


def merge_curves(curves: Mapping[str, Curve]) -> list[tuple[list[str], Curve]]:
    """Return the different curves, each with the names of all that coincide."""
    groups: list[tuple[list[str], Curve]] = []
    for name, curve in curves.items():
        for names, first in groups:
            if _coincide(first, curve):
                names.append(name)
                break
        else:
            groups.append(([name], curve))
    return groups


def join_names(names: Sequence[str]) -> str:
    """Several names as one, in words, with what they share said once.

    "total, exact" and "total, learned" are "total, exact and learned"; "own, exact" and "total, exact" are "own and
    total, exact".
    """
    parts = [name.rpartition(", ") for name in names]
    heads, tails = ([part[place] for part in parts] for place in (0, 2))
    if len(names) > 1 and all(heads):
        if len(set(heads)) == 1:
            return f"{heads[0]}, {join_names(tails)}"
        if len(set(tails)) == 1:
            return f"{join_names(heads)}, {tails[0]}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _coincide(one: Curve, other: Curve) -> bool:
    def is_same(a: Sequence[float], b: Sequence[float]) -> bool:
        return len(a) == len(b) and all(
            math.isclose(x, y, rel_tol=SAME, abs_tol=SAME) or x == y for x, y in zip(a, b, strict=True)
        )

    return is_same(one.x, other.x) and is_same(one.y, other.y)


def name_ends(axes: Axes, ends: Sequence[NamedEnd]) -> None:
    """Names to the right of the axes, each beside its curve's end, moved apart where they would overlap."""
    from matplotlib.transforms import ScaledTranslation

    figure = axes.figure
    axes.margins(x=0.02)
    axes.autoscale_view()
    letters = _measure_letters(axes)
    height = axes.get_position().height * figure.get_figure(root=True).get_figheight() * 72
    gap = ABOVE * letters / height
    shares = [_measure_share(axes, end) for end in ends]
    words = [textwrap.fill(end.name, LETTERS_A_LINE) for end in ends]
    sizes = [gap * (1 + word.count("\n")) for word in words]
    behind = axes.transAxes + ScaledTranslation(BEHIND * letters / 72, 0, figure.dpi_scale_trans)
    for end, word, share, place in zip(ends, words, shares, move_apart(shares, sizes), strict=True):
        axes.plot(1.0, place, end.marker, color=end.colour, transform=behind, clip_on=False)
        arrow: Look = {"arrowstyle": "-", "color": SOFT, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0}
        axes.annotate(
            "",
            xy=(1.0, share),
            xycoords="axes fraction",
            xytext=(1.0, place),
            textcoords=behind,
            color="none",
            annotation_clip=False,
            arrowprops=arrow if abs(place - share) > gap / 4 else None,
        )
        look: Look = {"va": "center", "color": end.colour, "annotation_clip": False}
        axes.annotate(word, (1.0, place), (0.8 * letters, 0), behind, "offset points", **look)


def move_apart(places: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """The places of things of these sizes, moved as little as it takes for none to overlap another; their order stays.

    Neighbours that would overlap become a block around the mean of their places.
    """
    order = sorted(range(len(places)), key=lambda number: places[number])
    blocks: list[list[int]] = []
    for number in order:
        block = [number]
        while blocks and _find_middle(blocks[-1], places) + _measure_half(blocks[-1], sizes) > (
            _find_middle(block, places) - _measure_half(block, sizes)
        ):
            block = blocks.pop() + block
        blocks.append(block)
    moved = list(places)
    for block in blocks:
        low = _find_middle(block, places) - _measure_half(block, sizes)
        for number in block:
            moved[number] = low + sizes[number] / 2
            low += sizes[number]
    return moved


def _find_middle(block: Sequence[int], places: Sequence[float]) -> float:
    return sum(places[number] for number in block) / len(block)


def _measure_half(block: Sequence[int], sizes: Sequence[float]) -> float:
    return sum(sizes[number] for number in block) / 2


def mark_break_points(axes: Axes, points: Sequence[float], most: int = 8) -> None:
    """A dotted line at each break point, with its place between the axes and their title; of many only the lines."""
    for point in points:
        axes.axvline(point, color=SOFT, linewidth=0.8, linestyle=":", zorder=0)
    if not points or len(points) > most:
        return
    axes.set_title(axes.get_title("left"), pad=TITLE_ABOVE * _measure_letters(axes))
    words = [f"{point:.3g}" for point in points]
    for word, point, aside in zip(words, points, spread_words(axes, points, words), strict=True):
        look: Look = {"ha": "center", "va": "bottom", "color": GREY, "annotation_clip": False}
        above = 0.25 * _measure_letters(axes)
        axes.annotate(word, (point, 1.0), (aside, above), axes.get_xaxis_transform(), "offset points", **look)


def spread_words(axes: Axes, places: Sequence[float], words: Sequence[str], size: float = 1.0) -> list[float]:
    """Return how many points to the right of its place each word is centred, for none to overlap another.

    places: along the horizontal axis, whose scale and limits are set. size: of letters, against those of labels.
    """
    axes.autoscale_view()
    letters = size * _measure_letters(axes)
    width = axes.get_position().width * axes.figure.get_figure(root=True).get_figwidth() * 72
    shares = [_measure_horizontal_share(axes, place) for place in places]
    sizes = [(WIDTH * len(word) + 0.5) * letters / width for word in words]
    return [(moved - share) * width for share, moved in zip(shares, move_apart(shares, sizes), strict=True)]


def _measure_share(axes: Axes, end: NamedEnd) -> float:
    """Return how far up the axes an end lies, within them."""
    _, share = axes.transAxes.inverted().transform(axes.transData.transform((end.x, end.y)))
    return min(1.0, max(0.0, float(share)))


def _measure_horizontal_share(axes: Axes, x: float) -> float:
    share, _ = axes.transAxes.inverted().transform(axes.transData.transform((x, axes.get_ylim()[0])))
    return float(share)


def _measure_letters(axes: Axes) -> float:
    """Return the height of letters, in points."""
    return float(axes.xaxis.label.get_fontsize())
