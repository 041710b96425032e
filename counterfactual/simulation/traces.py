"""Sets of traces as their smallest automaton: a glyph an action, "#" after the one with which people updated.

Ties can make more traces than fit anywhere; the automaton stays small, counts them, lists them in order and compares
sets exactly, because equal sets have equal automata.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeAlias, TypeVar

Node = TypeVar("Node", bound=Hashable)
Row: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Traces:
    """rows[i]: the (glyphs, next row) pairs by which traces go on from row i, sorted; the last row is the start."""

    rows: tuple[Row, ...]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many traces go on from each row."""
        counts: list[int] = []
        for row in self.rows:
            counts.append(sum(counts[following] for _, following in row) if row else 1)
        return tuple(counts)

    @property
    def count(self) -> int:
        """How many traces there are."""
        return self.counts[-1]

    def first(self, limit: int) -> list[str]:
        """The first so many traces, sorted by their glyphs."""
        return list(islice(self, limit))

    def __iter__(self) -> Iterator[str]:
        open_: list[tuple[str, int]] = [("", len(self.rows) - 1)]
        while open_:
            begun, row = open_.pop()
            if not self.rows[row]:
                yield begun
            open_ += [(begun + glyphs, following) for glyphs, following in reversed(self.rows[row])]


def collect(starts: Node, ends: Callable[[Node], Mapping[str, frozenset[Node]]], length: int) -> Traces:
    """The traces of a graph of steps: `ends(node)` says what each node's steps are called and where they lead.

    All traces have `length` steps. Nodes that go on alike share a row, and so do steps that are called alike.
    """
    layers: list[dict[frozenset[Node], dict[str, frozenset[Node]]]] = []
    frontier = {frozenset([starts]): None}
    for _ in range(length):
        layer = {nodes: _merge([ends(node) for node in _ordered(nodes)]) for nodes in frontier}
        frontier = {following: None for steps in layer.values() for following in steps.values()}
        layers.append(layer)
    rows: dict[Row, int] = {(): 0}
    numbers = dict.fromkeys(frontier, 0)
    for layer in reversed(layers):
        made = {
            nodes: tuple(sorted((glyphs, numbers[following]) for glyphs, following in steps.items()))
            for nodes, steps in layer.items()
        }
        numbers = {nodes: rows.setdefault(row, len(rows)) for nodes, row in made.items()}
    return _canonical(tuple(rows), numbers[frozenset([starts])])


def _merge(steps: list[Mapping[str, frozenset[Node]]]) -> dict[str, frozenset[Node]]:
    merged: dict[str, frozenset[Node]] = {}
    for of_node in steps:
        for glyphs, following in of_node.items():
            merged[glyphs] = merged.get(glyphs, frozenset()) | following
    return merged


def _ordered(nodes: frozenset[Node]) -> list[Node]:
    return sorted(nodes)  # type: ignore[type-var]


def _canonical(rows: tuple[Row, ...], start: int) -> Traces:
    """Rows renumbered in the order in which a walk from the start finishes them, so that equal sets are equal."""
    numbers: dict[int, int] = {}
    finished: list[Row] = []
    open_ = [(start, False)]
    while open_:
        row, done = open_.pop()
        if row in numbers:
            continue
        if done:
            numbers[row] = len(finished)
            finished.append(tuple((glyphs, numbers[following]) for glyphs, following in rows[row]))
        else:
            open_.append((row, True))
            open_ += [(following, False) for _, following in reversed(rows[row])]
    return Traces(tuple(finished))
