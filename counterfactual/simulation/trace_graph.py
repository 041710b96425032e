"""What may be written at each step, as a graph from states to states of the next step, for many starts at once.

Most starts have no choice and no chance before them: their traces are read off arrays, all of them together. The
traces of the others are collected one start at a time (`collect_traces`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from counterfactual.columns import Column, column
from counterfactual.planning.state_index import IndexColumn
from counterfactual.simulation.traces import AutomatonState, Traces, collect_traces
from counterfactual.terminal_world import TerminalWorld

GraphNode: TypeAlias = tuple[int, int]  # a step, counted from 0, and a state of it


class TraceStep:
    """The edges of one step.

    n_states: how many states the step has. before: intp[E], sorted, the state that each edge leaves. written: int[E],
    the place of what a trace writes in the graph's `glyphs`. after: intp[E], the state of the next step.
    """

    def __init__(self, n_states: int, before: IndexColumn, written: Column, after: IndexColumn) -> None:
        self.written, self.after = written, after
        self.begin = np.searchsorted(before, np.arange(n_states + 1))

    @cached_property
    def lists(self) -> tuple[list[int], list[int], list[int]]:
        """`begin`, `written` and `after` as lists."""
        return self.begin.tolist(), self.written.tolist(), self.after.tolist()


class TraceGraph:
    """A graph of steps. glyphs: what the edges may write, see `glyphs_of`. steps: from the first to the last."""

    def __init__(self, glyphs: Sequence[str], steps: Sequence[TraceStep]) -> None:
        self._glyphs, self._steps = glyphs, steps
        self._successors: dict[GraphNode, dict[str, frozenset[GraphNode]]] = {}

    def traces(self, starts: IndexColumn) -> list[Traces]:
        """The set of traces from each of some states of the first step."""
        forced, written = self._without_choice(starts)
        return [
            Traces(((), *(state[code] for state, code in zip(self._links, codes, strict=True))))
            if alone
            else collect_traces((0, start), self.successors, len(self._steps))
            for start, alone, codes in zip(starts.tolist(), forced, written, strict=True)
        ]

    def successors(self, node: GraphNode) -> dict[str, frozenset[GraphNode]]:
        """What a trace may write next -> the nodes that it may lead to."""
        if node not in self._successors:
            step, state = node
            begin, written, after = self._steps[step].lists
            found: dict[str, set[GraphNode]] = {}
            for edge in range(begin[state], begin[state + 1]):
                found.setdefault(self._glyphs[written[edge]], set()).add((step + 1, after[edge]))
            self._successors[node] = {glyphs: frozenset(nodes) for glyphs, nodes in found.items()}
        return self._successors[node]

    def _without_choice(self, starts: IndexColumn) -> tuple[list[bool], list[list[int]]]:
        """By start, whether one edge leaves every state on its way, and what those edges write, the last one first."""
        state, forced, codes = starts, np.ones(len(starts), dtype=bool), []
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


def glyphs_of(world: TerminalWorld[Any]) -> list[str]:
    """How traces write a step: by twice the action, the action's glyph, and "#" too at the odd places for updates."""
    return [written for glyph in world.actions for written in (glyph, f"{glyph}#")]


def written_in_step(world: TerminalWorld[Any], step: int, x: Any, action: Column, next_x: Any) -> Column:
    """int64[n]: the place in `glyphs_of` of what n steps write."""
    return 2 * action + column(world.updates(step, x, next_x), len(action))
