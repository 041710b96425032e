"""Influence diagrams as SVG text: rerouted arrows are thick and green, nodes with a control incentive have a ring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfactual.influence.arrow_paths import End, arrow_path
from counterfactual.influence.layout import LEFT, WIDTH, NodePlace, places, size
from counterfactual.influence.picture import DiagramPicture

RADIUS, RING, GAP = 17, 6, 3  # pixels
SQUARE_ROOT_OF_2 = 1.4142
PLAIN, REROUTED, INCENTIVE = "#444", "#18a048", "#e07000"


def diagram_svg(shown: DiagramPicture) -> str:
    """The picture as SVG text."""
    width, height = size(shown.diagram)
    place = places(shown.diagram)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">',
        *(_marker(name, colour) for name, colour in (("plain", PLAIN), ("rerouted", REROUTED))),
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="24" text-anchor="start" font-size="16">{shown.title}</text>',
        *_arrows(shown, place),
        *(_node(node, place[node], shown) for node in shown.diagram),
        *_legend(shown, height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _arrows(shown: DiagramPicture, place: Mapping[str, NodePlace]) -> Iterator[str]:
    """Every arrow; it keeps clear of the nodes from the column before it to the one after it."""
    columns: dict[int, list[str]] = {}
    for node in shown.diagram:
        columns.setdefault(_column(place[node]), []).append(node)
    ends = {node: _end(node, place[node], shown) for node in shown.diagram}
    for source, target in shown.diagram.edges:
        first, last = sorted((_column(place[source]), _column(place[target])))
        near = [node for column in range(first - 1, last + 2) for node in columns.get(column, ())]
        beside = [_around(ends[node], shown.diagram.nodes[node]) for node in near if node not in (source, target)]
        line = arrow_path(ends[source], ends[target], beside)
        name, colour, width = ("rerouted", REROUTED, 1.8) if (source, target) in shown.rerouted else ("plain", PLAIN, 1)
        yield (
            f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="{width}" marker-end="url(#{name})">'
            f"<title>{source} to {target}</title></path>"
        )


def _column(place: NodePlace) -> int:
    return (place[0] - LEFT) // WIDTH


def _end(node: str, place: NodePlace, shown: DiagramPicture) -> End:
    """Where an arrow from or to a node begins or ends: outside its ring."""
    return End(place, RADIUS + GAP + (RING if node in shown.incentives else 0))


def _around(end: End, attributes: Mapping[str, Any]) -> End:
    """What an arrow to another node keeps clear of: the corners of squares, too."""
    corner = (SQUARE_ROOT_OF_2 - 1) * RADIUS if attributes["kind"] == "decision" else 0
    return end._replace(reach=end.reach + corner)


def _node(name: str, place: NodePlace, shown: DiagramPicture) -> str:
    (x, y), attributes, incentive = place, shown.diagram.nodes[name], name in shown.incentives
    kind, word, step = attributes["kind"], attributes["letter"], attributes["step"]
    ring = f'<circle cx="{x}" cy="{y}" r="{RADIUS + 4}" fill="none" stroke="{INCENTIVE}" stroke-width="3"/>'
    below = 5 if len(word) == 1 else RADIUS + 16
    label = f'<text x="{x}" y="{y + below}">{word}<tspan font-size="10" dy="3">{step}</tspan></text>'
    kinds = f'class="{kind} incentive"' if incentive else f'class="{kind}"'
    return f'<g id="{name}" {kinds}>{ring if incentive else ""}{_shape(kind, x, y)}{label}</g>'


def _shape(kind: str, x: int, y: int) -> str:
    r = RADIUS
    if kind == "decision":
        return f'<rect x="{x - r}" y="{y - r}" width="{2 * r}" height="{2 * r}" fill="#cfe2ff" stroke="{PLAIN}"/>'
    if kind == "utility":
        return f'<path d="M{x} {y - r}L{x + r} {y}L{x} {y + r}L{x - r} {y}z" fill="#fff2b0" stroke="{PLAIN}"/>'
    return f'<circle cx="{x}" cy="{y}" r="{r}" fill="white" stroke="{PLAIN}"/>'


def _legend(shown: DiagramPicture, height: int) -> list[str]:
    """Each sign beside what it means, below the diagram."""
    left, style, signs = LEFT - 20, 'text-anchor="start" font-size="12"', list[tuple[str, str]]()
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
