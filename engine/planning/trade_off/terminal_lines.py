"""All optimal segments of undiscounted deterministic tables whose auxiliary reward comes on entering a terminal state.

A line for every way of entering a terminal state, own by Dijkstra's algorithm (`engine.planning.trade_off.arrivals`),
then the envelope of the lines, then a path for each line on it.
"""

from __future__ import annotations

import numpy as np

from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.shortest_path import has_no_positive_step
from engine.planning.trade_off.arrivals import Arrivals
from engine.planning.trade_off.coefficient_range import EVERYWHERE, Range, pieces_between
from engine.planning.trade_off.envelope import ROUNDING, Ties, envelope
from engine.planning.trade_off.segment import Line, Segment


def rewards_come_at_the_end(own: TabularMDP, auxiliary: Floats) -> bool:
    """Whether no own step is positive and the auxiliary reward comes on entering terminal states alone."""
    late = own.terminal[own.next_state] | (auxiliary == 0.0)
    return bool(late.all()) and has_no_positive_step(own)


def by_shortest_paths(own: TabularMDP, auxiliary: Floats, start: int, between: Range = EVERYWHERE) -> list[Segment]:
    """A line for every way of entering a terminal state, then the envelope, then a path for each line in the range."""
    if own.terminal[start]:
        return [Segment(*between, Line(0.0, 0.0), (start,))]
    arrivals = Arrivals(own, start)
    owns, extras = arrivals.owns, auxiliary[arrivals.origin, arrivals.action]
    slopes, where = np.unique(extras, return_inverse=True)
    peak = np.full(len(slopes), -np.inf)
    np.maximum.at(peak, where, owns)
    segments = []
    lines = [Line(float(o), float(x)) for o, x in zip(peak, slopes, strict=True)]
    ties = Ties(lines)
    for left, right, line in pieces_between(envelope(lines), *between):
        same = np.abs(extras - line.auxiliary) <= ROUNDING * abs(line.auxiliary)
        last = same & (owns >= line.own - ROUNDING * abs(line.own))
        path, actions = arrivals.first_path(last)
        segments.append(Segment(left, right, line, path, actions, ties=ties.at(left, line)))
    return segments
