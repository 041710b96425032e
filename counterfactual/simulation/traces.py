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

TraceNode = TypeVar("TraceNode", bound=Hashable)
AutomatonState: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Traces:
    """A set of traces of equal length.

    states[i]: the (glyphs, next state) pairs by which traces continue from state i, sorted; the last state starts them.
    """

    states: tuple[AutomatonState, ...]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many continuations each state has."""
        counts: list[int] = []
        for state in self.states:
            counts.append(sum(counts[following] for _, following in state) if state else 1)
        return tuple(counts)

    @property
    def count(self) -> int:
        """How many traces there are."""
        return self.counts[-1]

    def first(self, limit: int) -> list[str]:
        """At most `limit` traces, the first ones when sorted by their glyphs."""
        return list(islice(self, limit))

    def __iter__(self) -> Iterator[str]:
        pending: list[tuple[str, int]] = [("", len(self.states) - 1)]
        while pending:
            begun, state = pending.pop()
            if not self.states[state]:
                yield begun
            pending += [(begun + glyphs, following) for glyphs, following in reversed(self.states[state])]


def collect_traces(
    start: TraceNode, successors: Callable[[TraceNode], Mapping[str, frozenset[TraceNode]]], length: int
) -> Traces:
    """The traces of a graph of steps, all of `length` steps.

    start: its first node. successors: node -> glyphs of each possible step -> the nodes that it may lead to. Nodes with
    the same continuations share a state of the automaton, and so do steps that are written alike.
    """
    nodes, forced = frozenset([start]), list[str]()
    while len(forced) < length and len(steps := _steps(nodes, successors)) == 1:
        ((glyphs, nodes),) = steps.items()
        forced.append(glyphs)
    states = _automaton(nodes, successors, length - len(forced))
    for glyphs in reversed(forced):
        states.append(((glyphs, len(states) - 1),))
    return Traces(tuple(states))


def _automaton(
    start: frozenset[TraceNode],
    successors: Callable[[TraceNode], Mapping[str, frozenset[TraceNode]]],
    length: int,
) -> list[AutomatonState]:
    """The states of the smallest automaton, the last of them for traces that begin at any of the nodes."""
    layers: list[dict[frozenset[TraceNode], Mapping[str, frozenset[TraceNode]]]] = []
    frontier = {start: None}
    for _ in range(length):
        layer = {nodes: _steps(nodes, successors) for nodes in frontier}
        frontier = {following: None for steps in layer.values() for following in steps.values()}
        layers.append(layer)
    states: dict[AutomatonState, int] = {(): 0}
    indices = dict.fromkeys(frontier, 0)
    for layer in reversed(layers):
        merged = {
            nodes: tuple(sorted((glyphs, indices[following]) for glyphs, following in steps.items()))
            for nodes, steps in layer.items()
        }
        indices = {nodes: states.setdefault(state, len(states)) for nodes, state in merged.items()}
    return _renumbered(tuple(states), indices[start])


def _steps(
    nodes: frozenset[TraceNode], successors: Callable[[TraceNode], Mapping[str, frozenset[TraceNode]]]
) -> Mapping[str, frozenset[TraceNode]]:
    """What any of the nodes may be followed by."""
    if len(nodes) == 1:
        (node,) = nodes
        return successors(node)
    merged: dict[str, frozenset[TraceNode]] = {}
    for node in _ordered(nodes):
        for glyphs, following in successors(node).items():
            merged[glyphs] = merged.get(glyphs, frozenset()) | following
    return merged


def _ordered(nodes: frozenset[TraceNode]) -> list[TraceNode]:
    return sorted(nodes)  # type: ignore[type-var]


def _renumbered(states: tuple[AutomatonState, ...], start: int) -> list[AutomatonState]:
    """States in the order in which a depth-first walk from the start finishes them, so that equal sets are equal."""
    indices: dict[int, int] = {}
    finished: list[AutomatonState] = []
    pending = [(start, False)]
    while pending:
        state, done = pending.pop()
        if state in indices:
            continue
        if done:
            indices[state] = len(finished)
            finished.append(tuple((glyphs, indices[following]) for glyphs, following in states[state]))
        else:
            pending.append((state, True))
            pending += [(following, False) for _, following in reversed(states[state])]
    return finished
