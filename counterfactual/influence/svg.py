"""Influence diagrams as SVG text: rerouted arrows are thick and green, nodes with a control incentive have a ring.

An arrow takes the first of a few shapes that keeps clear of all other nodes. A near node is reached by a straight
line, or by the least bow; a far one by an arc above the nodes between, or by a bow. Where none keeps clear, the one
that keeps farthest is taken. Points are (x, y) in pixels, y down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from counterfactual.influence.picture import LEFT, WIDTH, DiagramPicture, NodePlace, measure_picture, place_nodes

BENDS = (0, 30, -30, 60, -60, 90, -90, 120, -120)
FAR = 165  # pixels across from which an arc is tried first
PIECES = 12  # straight pieces that a bow is measured by

Position: TypeAlias = tuple[float, float]


class End(NamedTuple):
    """A node at one end of an arrow, or beside it; reach: how far from its centre an arrow keeps, in pixels."""

    centre: Position
    reach: float


class PossiblePath(NamedTuple):
    """A possible path: as SVG, and the ends of the straight pieces that it is measured by."""

    path: str
    points: list[Position]


def find_arrow_path(start: End, end: End, others: Sequence[End]) -> str:
    """The path of an arrow from rim to rim, as the attribute `d` of an SVG path."""
    best = ""
    most = -math.inf
    for candidate in _list_possible_paths(start, end):
        pieces = list(pairwise(candidate.points))
        room = min(
            (_measure_distance(each.centre, *piece) - each.reach for piece in pieces for each in others), default=0.0
        )
        if room >= 0:
            return candidate.path
        if room > most:
            best = candidate.path
            most = room
    return best


def _measure_distance(point: Position, first: Position, last: Position) -> float:
    """The distance of a point from a straight piece."""
    x, y = first
    across = last[0] - first[0]
    down = last[1] - first[1]
    squared = across * across + down * down
    along = ((point[0] - x) * across + (point[1] - y) * down) / squared if squared else 0.0
    share = min(max(along, 0.0), 1.0)
    return math.hypot(point[0] - x - share * across, point[1] - y - share * down)


def _list_possible_paths(start: End, end: End) -> Iterator[PossiblePath]:
    if end.centre[0] - start.centre[0] > FAR:
        yield _make_arc(start, end)
    for bend in BENDS:
        yield _make_bow(start, end, bend)


def _make_arc(start: End, end: End) -> PossiblePath:
    """Above the heads of the nodes between, and down on the target between the columns."""
    (x, y), (right, down) = start.centre, end.centre
    crest = min(y, down) - 42
    bend = 22
    above = down - end.reach
    first = _find_rim_point(start, (x + bend, crest))
    path = (
        f"M{first[0]:.0f} {first[1]:.0f}Q{x + bend} {crest} {x + 2 * bend} {crest}H{right - bend}"
        f"Q{right} {crest} {right} {crest + bend}V{above:.0f}"
    )
    return PossiblePath(path, [first, (x + 2 * bend, crest), (right, crest), (right, above)])


def _make_bow(start: End, end: End, bend: float) -> PossiblePath:
    """A straight line, or a curve whose middle lies half of `bend` aside."""
    (x, y), (right, down) = start.centre, end.centre
    length = math.dist(start.centre, end.centre) or 1.0
    middle = (x + right) / 2 - (down - y) / length * bend, (y + down) / 2 + (right - x) / length * bend
    first, last = _find_rim_point(start, middle), _find_rim_point(end, middle)
    path = f"M{first[0]:.0f} {first[1]:.0f}Q{middle[0]:.0f} {middle[1]:.0f} {last[0]:.0f} {last[1]:.0f}"
    shares = [i / PIECES for i in range(PIECES + 1)] if bend else [0.0, 1.0]
    points = [
        ((1 - t) ** 2 * first[0] + 2 * t * (1 - t) * middle[0] + t**2 * last[0],
         (1 - t) ** 2 * first[1] + 2 * t * (1 - t) * middle[1] + t**2 * last[1])
        for t in shares
    ]  # fmt: skip
    return PossiblePath(path, points)


def _find_rim_point(end: End, towards: Position) -> Position:
    """The point around a node that faces another point."""
    length = math.dist(end.centre, towards) or 1.0
    across, down = ((there - here) / length * end.reach for here, there in zip(end.centre, towards, strict=True))
    return end.centre[0] + across, end.centre[1] + down


RADIUS, RING, GAP = 17, 6, 3  # pixels
SQUARE_ROOT_OF_2 = 1.4142
PLAIN, REROUTED, INCENTIVE = "#444", "#18a048", "#e07000"


def write_diagram_svg(shown: DiagramPicture) -> str:
    """The picture as SVG text."""
    width, height = measure_picture(shown.diagram)
    place = place_nodes(shown.diagram)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">',
        *(_write_marker(name, colour) for name, colour in (("plain", PLAIN), ("rerouted", REROUTED))),
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="24" text-anchor="start" font-size="16">{shown.title}</text>',
        *_write_arrows(shown, place),
        *(_write_node(node, place[node], shown) for node in shown.diagram),
        *_write_legend(shown, height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _write_marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _write_arrows(shown: DiagramPicture, place: Mapping[str, NodePlace]) -> Iterator[str]:
    """Every arrow; it keeps clear of the nodes from the column before it to the one after it."""
    columns: dict[int, list[str]] = {}
    for node in shown.diagram:
        columns.setdefault(_find_column(place[node]), []).append(node)
    ends = {node: _find_end(node, place[node], shown) for node in shown.diagram}
    for source, target in shown.diagram.edges:
        first, last = sorted((_find_column(place[source]), _find_column(place[target])))
        near = [node for column in range(first - 1, last + 2) for node in columns.get(column, ())]
        beside = [
            _find_surroundings(ends[node], shown.diagram.nodes[node]) for node in near if node not in (source, target)
        ]
        line = find_arrow_path(ends[source], ends[target], beside)
        name, colour, width = ("rerouted", REROUTED, 1.8) if (source, target) in shown.rerouted else ("plain", PLAIN, 1)
        yield (
            f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="{width}" marker-end="url(#{name})">'
            f"<title>{source} to {target}</title></path>"
        )


def _find_column(place: NodePlace) -> int:
    return (place[0] - LEFT) // WIDTH


def _find_end(node: str, place: NodePlace, shown: DiagramPicture) -> End:
    """Where an arrow from or to a node begins or ends: outside its ring."""
    return End(place, RADIUS + GAP + (RING if node in shown.incentives else 0))


def _find_surroundings(end: End, attributes: Mapping[str, Any]) -> End:
    """What an arrow to another node keeps clear of: the corners of squares, too."""
    corner = (SQUARE_ROOT_OF_2 - 1) * RADIUS if attributes["kind"] == "decision" else 0
    return end._replace(reach=end.reach + corner)


def _write_node(name: str, place: NodePlace, shown: DiagramPicture) -> str:
    x, y = place
    attributes = shown.diagram.nodes[name]
    incentive = name in shown.incentives
    kind, word, step = attributes["kind"], attributes["letter"], attributes["step"]
    ring = f'<circle cx="{x}" cy="{y}" r="{RADIUS + 4}" fill="none" stroke="{INCENTIVE}" stroke-width="3"/>'
    below = 5 if len(word) == 1 else RADIUS + 16
    label = f'<text x="{x}" y="{y + below}">{word}<tspan font-size="10" dy="3">{step}</tspan></text>'
    kinds = f'class="{kind} incentive"' if incentive else f'class="{kind}"'
    return f'<g id="{name}" {kinds}>{ring if incentive else ""}{_write_shape(kind, x, y)}{label}</g>'


def _write_shape(kind: str, x: int, y: int) -> str:
    r = RADIUS
    if kind == "decision":
        return f'<rect x="{x - r}" y="{y - r}" width="{2 * r}" height="{2 * r}" fill="#cfe2ff" stroke="{PLAIN}"/>'
    if kind == "utility":
        return f'<path d="M{x} {y - r}L{x + r} {y}L{x} {y + r}L{x - r} {y}z" fill="#fff2b0" stroke="{PLAIN}"/>'
    return f'<circle cx="{x}" cy="{y}" r="{r}" fill="white" stroke="{PLAIN}"/>'


def _write_legend(shown: DiagramPicture, height: int) -> list[str]:
    """Each sign beside what it means, below the diagram."""
    left = LEFT - 20
    style = 'text-anchor="start" font-size="12"'
    signs = list[tuple[str, str]]()
    if shown.rerouted:
        signs.append((f'<path d="M0 -4h26" stroke="{REROUTED}" stroke-width="3"/>', "rerouted from ITF"))
    if shown.incentives:
        ring = f'<circle cx="13" cy="-4" r="6" fill="none" stroke="{INCENTIVE}" stroke-width="3"/>'
        signs += [(ring, "control incentive"), ("", shown.note)]
    return [
        f'<g transform="translate({left} {height - 50 + 18 * n})">{sign}'
        f'<text x="{36 if sign else 0}" fill="{PLAIN}" {style}>{words}</text></g>'
        for n, (sign, words) in enumerate(signs)
    ]
