"""Influence diagrams as SVG text: rerouted arrows are green, a node with a control incentive has an orange ring."""

from __future__ import annotations

from typing import TypeAlias

from counterfactual.influence.picture import LEFT, NOTE, WIDTH, DiagramPicture, place, size

RADIUS = 17
PLAIN, REROUTED, INCENTIVE = "#444", "#18a048", "#e07000"

Position: TypeAlias = tuple[float, float]


def diagram_svg(shown: DiagramPicture) -> str:
    """The picture as SVG text."""
    width, height = size(shown.diagram)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">',
        *(_marker(name, colour) for name, colour in (("plain", PLAIN), ("rerouted", REROUTED))),
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="24" text-anchor="start" font-size="16">{shown.title}</text>',
        *(_arrow(source, target, (source, target) in shown.rerouted) for source, target in shown.diagram.edges),
        *(_node(node, shown.diagram.nodes[node]["kind"], node in shown.incentives) for node in shown.diagram),
        *_legend(shown, height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _arrow(source: str, target: str, rerouted: bool) -> str:
    (x1, y1), (x2, y2) = place(source), place(target)
    name, colour, width = ("rerouted", REROUTED, 1.8) if rerouted else ("plain", PLAIN, 1)
    line = _arc((x1, y1), (x2, y2)) if x2 - x1 > 1.1 * WIDTH else _bow((x1, y1), (x2, y2))
    return (
        f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="{width}" marker-end="url(#{name})">'
        f"<title>{source} to {target}</title></path>"
    )


def _arc(start: Position, end: Position) -> str:
    """Above the heads of the nodes between, and down on the target between the columns."""
    crest, bend, above = min(start[1], end[1]) - 42, 22, end[1] - RADIUS - 3
    first = _rim(start, (start[0] + bend, crest))
    up, along = f"Q{start[0] + bend} {crest} {start[0] + 2 * bend} {crest}", f"H{end[0] - bend}"
    return f"M{first[0]:.0f} {first[1]:.0f}{up}{along}Q{end[0]} {crest} {end[0]} {crest + bend}V{above}"


def _bow(start: Position, end: Position) -> str:
    """Straight, but bent around the nodes between where both are in one column."""
    bend = 40 if start[0] == end[0] and abs(end[1] - start[1]) > 100 else 0
    middle = ((start[0] + end[0]) / 2 - bend, (start[1] + end[1]) / 2)
    first, last = _rim(start, middle), _rim(end, middle)
    return f"M{first[0]:.0f} {first[1]:.0f}Q{middle[0]:.0f} {middle[1]:.0f} {last[0]:.0f} {last[1]:.0f}"


def _rim(centre: Position, towards: Position) -> Position:
    """The point on a node's rim that faces another point."""
    across, down = towards[0] - centre[0], towards[1] - centre[1]
    length = max(1.0, (across**2 + down**2) ** 0.5)
    return centre[0] + across / length * (RADIUS + 3), centre[1] + down / length * (RADIUS + 3)


def _node(name: str, kind: str, incentive: bool) -> str:
    x, y = place(name)
    letter, _, step = name.partition("_")
    ring = f'<circle cx="{x}" cy="{y}" r="{RADIUS + 4}" fill="none" stroke="{INCENTIVE}" stroke-width="3"/>'
    label = f'<text x="{x}" y="{y + 5}">{letter}<tspan font-size="10" dy="3">{step}</tspan></text>'
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
    lines = [("green: rerouted from ITF", REROUTED)] if shown.rerouted else []
    lines += [("orange ring: control incentive", INCENTIVE), (NOTE, PLAIN)] if shown.incentives else []
    left, style = LEFT - 20, 'text-anchor="start" font-size="11"'
    return [
        f'<text x="{left}" y="{height - 50 + 17 * n}" fill="{colour}" {style}>{line}</text>'
        for n, (line, colour) in enumerate(lines)
    ]
