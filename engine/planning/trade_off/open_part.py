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

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.asynchronous import (
    MOST_SWEEPS,
    correct_visits,
    find_likely_order,
    find_places,
    find_unexplained_visits,
)
from engine.planning.lexicographic import PairIteration, PairValues
from engine.planning.policy_chain import Chain, select_entries
from engine.planning.trade_off.envelope import Line

SETTLED = 1e-14  # of the size of a state's return
UNLIKELY, UNSEEN = 1e-17, 1e-20  # of the size of the start's return; visits
MOST = 0.8  # of the states: a part that holds more is not worth a table of its own
LEAVING = 1e-13  # of the size of the start's return


class End(NamedTuple):
    """One end of a gap: a line that is highest at a coefficient.

    values: what is best there from every state of a search. visits: f64[S], how often a policy of this line comes to
    each, no less. None as long as that is not known.
    """

    line: Line
    coefficient: float
    values: PairValues | None = None
    visits: Floats | None = None


class OpenPart(NamedTuple):
    """Some states of a table, int64[N], the first `inside` of which are open; the others count as worth something.

    begin: a policy to begin with and what it earns; of the states that are not open, their worth. rough: f64[N, 2], by
    how much the own and the auxiliary return of these may be off.
    """

    states: NDArray[np.int64]
    inside: int
    begin: PairValues
    rough: Floats

    def restrict(self, end: End) -> End:
        """Return an end of the gap as this part sees it."""
        assert end.values is not None
        assert end.visits is not None
        columns = self.begin.columns.copy()
        columns[: self.inside] = end.values.columns[self.states[: self.inside]]
        return end._replace(values=PairValues(end.values.policy[self.states], columns), visits=end.visits[self.states])

    def holds(self, visits: Floats, sizes: Floats) -> bool:
        """Return whether a policy hardly ever comes from the start to states whose worth is rough.

        visits: f64[N]. sizes: f64[2], of the returns from the start.
        """
        return bool((visits @ self.rough <= LEAVING * sizes).all())


def find_open_part(
    search: PairIteration, start: int, left: End, right: End, likely: bool, within: OpenPart | None = None
) -> OpenPart | None:
    """Return the states of a table that are not settled between the ends of a gap, and those that a step leads to.

    likely: only those that matter to the start where a policy of one of the ends is followed. within: the part that
    the table is itself. None where the states are most of the table, or the worth of the others has no bound.
    """
    assert left.values is not None
    assert right.values is not None
    table, one, other = search.table, left.values.columns, right.values.columns
    chord = _find_chord(left.coefficient, right.coefficient, one, other)
    if chord is None:
        return None
    apart = np.abs(one[:, :2] - other[:, :2])
    known = table.terminal | (apart <= SETTLED * np.minimum(one[:, 2:4], other[:, 2:4])).all(axis=1)
    is_open = ~known
    if likely:
        assert left.visits is not None
        assert right.visits is not None
        most = np.maximum(left.visits, right.visits)[:, None]
        is_open &= (most * apart > UNLIKELY * one[start, 2:4]).any(axis=1)
    is_open[start] = True
    inside = np.flatnonzero(is_open)
    if len(inside) > MOST * len(is_open):
        return None
    allowed = search.allowed[inside]
    is_edge = np.zeros(len(is_open), dtype=np.bool_)
    is_edge[table.next_state[inside][allowed][table.probability[inside][allowed] > 0.0]] = True
    states = np.concatenate([inside, np.flatnonzero(is_edge & ~is_open)])
    columns, rough = one[states], np.zeros((len(states), 2)) if within is None else within.rough[states]
    loose = np.flatnonzero(~(known | is_open)[states])
    here = states[loose]
    columns[loose] = np.concatenate([chord, np.maximum(one, other)[:, 2:4], np.zeros_like(chord)], axis=1)[here]
    rough[loose] = apart[here]
    return OpenPart(states, len(inside), PairValues(left.values.policy[states], columns), rough)


def _find_chord(low: float, high: float, one: Floats, other: Floats) -> Floats | None:
    """Return f64[S, 2], lines that are no lower than the optimum between two coefficients; None where none is known.

    one, other: f64[S, 6], what is best at either.
    """
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


def find_visits(table: TabularMDP, policy: Policy, start: int) -> tuple[Floats, bool]:
    """Return f64[S], how often a policy comes from one state to each, discounted, but for the least likely visits.

    And whether that is all: not where it stays somewhere for long.
    """
    target, chance = select_entries(policy, table.next_state, table.probability)
    chain = Chain(target, chance, table.terminal, table.discount)
    visits = np.zeros(len(target))
    arriving = find_unexplained_visits(*chain, start, visits)
    order = find_likely_order(target, chance, table.terminal)
    is_all = correct_visits(*chain, order, find_places(order), arriving, visits, UNSEEN, MOST_SWEEPS)
    return np.asarray(visits + np.abs(arriving)), is_all
