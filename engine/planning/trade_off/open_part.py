"""The part of a table in which a gap between two supporting lines is still open, and the worth of its other states.

Let one policy be optimal everywhere at a coefficient l, another at r > l. The optimum V(c) of each state is convex in
the coefficient, so that between l and r

    max(V_l's line, V_r's line)  <=  V(c)  <=  the chord from V(l) to V(r),    a line as well.

Where both policies have the same line, V(c) is that line for all coefficients between: the state is settled. States
that no path to speak of leads to do not matter to the start: the chord bounds what they are worth. What remains of a
large table is small: a search in it that finds nothing above its ends has proved that there is nothing, since chords
are no less than what they stand for. A policy that it finds counts if it hardly ever comes to where a chord is rough.
Each further line narrows the table again. Reference: E. Hansen, S. Zilberstein, "LAO*: a heuristic search algorithm
that finds solutions with loops", 2001 (states that need no solution, by upper bounds; here of all coefficients).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.asynchronous import MOST_SWEEPS, correct_visits, find_unexplained_visits
from engine.planning.lexicographic import PairIteration, PairValues
from engine.planning.policy_chain import Chain, select_entries
from engine.planning.trade_off.envelope import Line

SETTLED = 1e-14  # of the size of a state's return
IRRELEVANT, UNSEEN = 1e-17, 1e-20  # of the size of the start's return; visits
NARROWER = 0.8  # of the states: more than that are not worth a table of their own
LEAVING = 1e-13  # of the size of the start's return


class End(NamedTuple):
    """One end of a gap: a line that is highest at a coefficient.

    values: what is best there from every state of a search; None as long as that is not known.
    """

    line: Line
    coefficient: float
    values: PairValues | None = None


class OpenPart(NamedTuple):
    """Some states of a table, int64[N], the first `inside` of which are open.

    begin: a policy to begin with, and what it earns; of the states that are not open, what they count as worth. rough:
    f64[N, 2], by how much the own and the auxiliary return of these may be off.
    """

    states: NDArray[np.int64]
    inside: int
    begin: PairValues
    rough: Floats

    def restrict(self, end: End) -> End:
        """Return an end of the gap as this part sees it."""
        columns = self.begin.columns.copy()
        columns[: self.inside] = end.values.columns[self.states[: self.inside]]
        return end._replace(values=PairValues(end.values.policy[self.states], columns))


def find_open_part(search: PairIteration, start: int, left: End, right: End, seen: bool) -> OpenPart | None:
    """Return the part of a table in which a gap is open; None where that would be most of it, or has no bound."""
    table, one, other = search.table, left.values.columns, right.values.columns
    chord = _find_chord(left, right)
    if chord is None:
        return None
    apart = np.abs(one[:, :2] - other[:, :2])
    settled = (apart <= SETTLED * np.minimum(one[:, 2:4], other[:, 2:4])).all(axis=1)
    open_ = ~(settled | table.terminal)
    open_[start] = True
    if seen:
        visits = np.maximum(*(find_visits(table, end.values, start) for end in (left, right)))
        most = IRRELEVANT * one[start, 2:4]
        open_ &= (visits[:, None] * apart > most).any(axis=1)
    open_[start] = True
    inside = np.flatnonzero(open_)
    if len(inside) > NARROWER * len(open_):
        return None
    reached = table.next_state[inside][search.allowed[inside]]
    possible = table.probability[inside][search.allowed[inside]] > 0.0
    is_edge = np.zeros(len(open_), dtype=np.bool_)
    is_edge[reached[possible]] = True
    states = np.concatenate([inside, np.flatnonzero(is_edge & ~open_)])
    columns, rough = one[states], np.zeros((len(states), 2))
    loose = np.arange(len(states)) >= len(inside)
    loose &= ~(settled | table.terminal)[states]
    columns[loose] = np.concatenate([chord, np.maximum(one, other)[:, 2:4], np.zeros_like(chord)], axis=1)[states[loose]]
    rough[loose] = apart[states[loose]]
    return OpenPart(states, len(inside), PairValues(left.values.policy[states], columns), rough)


def _find_chord(left: End, right: End) -> Floats | None:
    """Return f64[S, 2], lines that are no lower than the optimum between two coefficients; None where none is known."""
    low, high, (one, other) = left.coefficient, right.coefficient, (end.values.columns for end in (left, right))
    if not low < high or (math.isinf(low) and math.isinf(high)):
        return None
    if math.isinf(high):  # no optimum grows faster than the one without bound
        slope, point, worth = other[:, 1], low, one
    elif math.isinf(low):
        slope, point, worth = one[:, 1], high, other
    else:
        gain = (other[:, 0] + high * other[:, 1]) - (one[:, 0] + low * one[:, 1])
        slope, point, worth = gain / (high - low), low, one
    return np.stack([worth[:, 0] + point * (worth[:, 1] - slope), slope], axis=1)


def find_visits(table: TabularMDP, values: PairValues, start: int) -> Floats:
    """Return f64[S], how often a policy comes to each state from one, discounted, no less but for rounding."""
    target, chance = select_entries(values.policy, table.next_state, table.probability)
    chain = Chain(target, chance, table.terminal, table.discount)
    visits = np.zeros(len(target))
    arriving = find_unexplained_visits(*chain, start, visits)
    order = np.argsort(values.columns[:, 2] + values.columns[:, 3], kind="stable")
    correct_visits(*chain, order, arriving, visits, UNSEEN, MOST_SWEEPS)
    return visits + np.abs(arriving)
