"""Sets of traces as their smallest automaton: a glyph an action, "#" after the one with which people updated.

Ties can make more traces than fit anywhere; the automaton stays small, counts them, lists them in order and compares
sets exactly, because equal sets have equal automata. A `TraceGraph` says what may be written at each step, from
states to states of the next step, for many starts at once: most starts have no choice and no chance before them, and
their traces are read off arrays, all of them together; the traces of the others are collected one start at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import numpy as np

from counterfactual.columns import Column, as_column
from counterfactual.planning.layers import IndexColumn
from counterfactual.worlds import TerminalWorld

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
    """Return the traces of a graph of steps, all of `length` steps.

    start: its first node. successors: node -> glyphs of each possible step -> the nodes that it may lead to. Nodes with
    the same continuations share a state of the automaton, and so do steps that are written alike.
    """
    nodes = frozenset([start])
    forced = list[str]()
    while len(forced) < length and len(steps := _merge_successors(nodes, successors)) == 1:
        ((glyphs, nodes),) = steps.items()
        forced.append(glyphs)
    states = _build_automaton(nodes, successors, length - len(forced))
    for glyphs in reversed(forced):
        states.append(((glyphs, len(states) - 1),))
    return Traces(tuple(states))


def _build_automaton(
    start: frozenset[TraceNode],
    successors: Callable[[TraceNode], Mapping[str, frozenset[TraceNode]]],
    length: int,
) -> list[AutomatonState]:
    """Return the states of the smallest automaton, the last of them for traces that begin at any of the nodes."""
    layers: list[dict[frozenset[TraceNode], Mapping[str, frozenset[TraceNode]]]] = []
    frontier = {start: None}
    for _ in range(length):
        layer = {nodes: _merge_successors(nodes, successors) for nodes in frontier}
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
    return _renumber_states(tuple(states), indices[start])


def _merge_successors(
    nodes: frozenset[TraceNode], successors: Callable[[TraceNode], Mapping[str, frozenset[TraceNode]]]
) -> Mapping[str, frozenset[TraceNode]]:
    """Return what any of the nodes may be followed by."""
    if len(nodes) == 1:
        (node,) = nodes
        return successors(node)
    merged: dict[str, frozenset[TraceNode]] = {}
    for node in _sort_nodes(nodes):
        for glyphs, following in successors(node).items():
            merged[glyphs] = merged.get(glyphs, frozenset()) | following
    return merged


def _sort_nodes(nodes: frozenset[TraceNode]) -> list[TraceNode]:
    return sorted(nodes)  # type: ignore[type-var]


def _renumber_states(states: tuple[AutomatonState, ...], start: int) -> list[AutomatonState]:
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


GraphNode: TypeAlias = tuple[int, int]  # a step, counted from 0, and a state of it


class TraceStep:
    """The edges of one step.

    n_states: how many states the step has. before: intp[E], sorted, the state that each edge leaves. written: int[E],
    the place of what a trace writes in the graph's `glyphs`. after: intp[E], the state of the next step.
    """

    def __init__(self, n_states: int, before: IndexColumn, written: Column, after: IndexColumn) -> None:
        self.written = written
        self.after = after
        self.begin = np.searchsorted(before, np.arange(n_states + 1))

    @cached_property
    def lists(self) -> tuple[list[int], list[int], list[int]]:
        """`begin`, `written` and `after` as lists."""
        return self.begin.tolist(), self.written.tolist(), self.after.tolist()


class TraceGraph:
    """A graph of steps. glyphs: what the edges may write, see `list_glyphs`. steps: from the first to the last."""

    def __init__(self, glyphs: Sequence[str], steps: Sequence[TraceStep]) -> None:
        self._glyphs = glyphs
        self._steps = steps
        self._successors: dict[GraphNode, dict[str, frozenset[GraphNode]]] = {}

    def traces(self, starts: IndexColumn) -> list[Traces]:
        """Return the set of traces from each of some states of the first step."""
        forced, written = self._follow_single_edges(starts)
        return [
            Traces(((), *(state[code] for state, code in zip(self._links, codes, strict=True))))
            if alone
            else collect_traces((0, start), self.successors, len(self._steps))
            for start, alone, codes in zip(starts.tolist(), forced, written, strict=True)
        ]

    def successors(self, node: GraphNode) -> dict[str, frozenset[GraphNode]]:
        """Return what a trace may write next -> the nodes that it may lead to."""
        if node not in self._successors:
            step, state = node
            begin, written, after = self._steps[step].lists
            found: dict[str, set[GraphNode]] = {}
            for edge in range(begin[state], begin[state + 1]):
                found.setdefault(self._glyphs[written[edge]], set()).add((step + 1, after[edge]))
            self._successors[node] = {glyphs: frozenset(nodes) for glyphs, nodes in found.items()}
        return self._successors[node]

    def _follow_single_edges(self, starts: IndexColumn) -> tuple[list[bool], list[list[int]]]:
        """By start, whether one edge leaves every state on its way, and what those edges write, the last one first."""
        state = starts
        forced = np.ones(len(starts), dtype=bool)
        codes = []
        for step in self._steps:
            edge = step.begin[state]
            forced &= step.begin[state + 1] == edge + 1
            codes.append(step.written[edge])
            state = step.after[edge]
        written = np.stack(codes[::-1], axis=1).tolist() if codes else [[] for _ in starts]
        return forced.tolist(), written

    @cached_property
    def _links(self) -> list[list[AutomatonState]]:
        """By how many steps are left, and by what is written, the only edge of an automaton's state."""
        return [[((glyphs, left),) for glyphs in self._glyphs] for left in range(len(self._steps))]


def list_glyphs(world: TerminalWorld[Any]) -> list[str]:
    """How traces write a step: by twice the action, the action's glyph, and "#" too at the odd places for updates."""
    return [written for glyph in world.actions for written in (glyph, f"{glyph}#")]


def find_written_glyphs(world: TerminalWorld[Any], step: int, x: Any, action: Column, next_x: Any) -> Column:
    """int64[n]: the place in `list_glyphs` of what n steps write."""
    return 2 * action + as_column(world.updates(step, x, next_x), len(action))
