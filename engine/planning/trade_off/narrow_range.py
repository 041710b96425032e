"""Policy iteration between two lines whose policies are nearly alike: few actions can still be best there.

The optimum of every state is convex in the weights w = (1, c) of the two rewards. With U an upper bound of it at the
ends of a range of weights, w_l and w_r, and V the values of the policies of both ends, at all weights between them

    V(s; w) <= optimum(s; w) <= a U(s; w_l) + b U(s; w_r),   w = a w_l + b w_r,   a, b >= 0

An action whose value under the right side is nowhere as large as the left side is never best and left out, and so are
states that the start no longer reaches. What is left, a row per state and action in the order of visits, is swept for
what policies gain over the policy of the left end, of both rewards at once and of their sizes. The policy that a search
ends with is hence evaluated already, and the next one begins with it: near coefficients cost a few sweeps of what
changes. The gains are kept in place of values, so that small ones keep their digits.

References: J. MacQueen, "A test for suboptimal actions in Markovian decision problems", Operations Research 15, 1967;
M. Puterman, "Markov Decision Processes", 1994, section 6.7 (action elimination).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiling.kernel import kernel
from engine.mdp.mdp import Floats, Policy
from engine.planning import chain_kernels
from engine.planning.asynchronous import (
    BLOCK,
    ENOUGH,
    MOST_BACKUPS,
    ROUNDED,
    UNVISITED,
    correct_visits,
    find_next_due,
    find_unexplained_visits,
    list_due,
    list_readers,
)
from engine.planning.chain_kernels import equations
from engine.planning.lexicographic import EndlessGain, Known, PairIteration, PairValues, Weights
from engine.planning.policy_chain import Chain
from engine.planning.policy_evaluation import BothReturns, add_missed, find_misses

SLACK = 1e-9  # of what a state earns: an action that is less than that below the best one is kept
NEVER = 1e-22  # visits from the start: what a state gains then is nothing
SELDOM, COARSEST = 1e-3, 1e5  # of the mean visits: a state that is visited less often is known less exactly, up to this
CLOSE, FINER = 1e-14, 1e-3  # how much returns may miss, of their size; how much finer visits are found to tell it
SHARE = 1e-2  # of what follows a step, that counts as handled by its sum
ROUGH = 1e-9  # of the largest size: more digits are not asked for


class End(NamedTuple):
    """One end of a range: its weights, a policy with what it earns, and f64[S], no less than any policy earns there."""

    weights: Weights
    values: PairValues
    bound: Floats


class NarrowIteration:
    """Policy iteration as `PairIteration.better`, from one start state, at weights between those of two ends.

    leading: what the last search has found, None where that is no better than what was known. noise, evaluated: as of
    `PairIteration`.
    """

    def __init__(self, whole: PairIteration, left: End, right: End, start: int) -> None:
        """whole: the search in the whole table, which goes on where this one fails."""
        self._whole, self._left, self._start = whole, left, start
        self.noise, self._found, self._is_quick = whole.noise, 0, True
        self.leading: PairValues | None = None
        self._returns: tuple[BothReturns, BothReturns] | None = None
        table, base = whole.table, left.values
        ends = left, right
        bounds = np.stack([end.bound for end in ends], axis=1)
        earned = np.stack([[end.values.weigh(other.weights) for other in ends] for end in ends]).transpose(2, 0, 1)
        sizes = np.stack([np.maximum(*(end.values.size(other.weights) for end in ends)) for other in ends], axis=1)
        live = find_live_actions(
            table.next_state, table.probability, table.discount, table.reward, whole.extra, whole.sizes, whole.allowed,
            base.policy, bounds, np.ascontiguousarray(earned), sizes, np.array([end.weights for end in ends]),
        )  # fmt: skip
        inside = find_inside(table.next_state, table.probability, table.terminal, live, start)
        remaining = base.columns[inside, 2] + base.columns[inside, 3]
        self._order = inside[np.argsort(remaining, kind="stable")]
        count = len(inside)
        self._place = np.full(len(live), count, dtype=np.int32)  # that of all terminal states
        self._place[self._order] = np.arange(count, dtype=np.int32)
        origin, action = (each.astype(np.int32) for each in np.nonzero(live[self._order]))
        rows = make_rows(
            table.next_state, table.probability, table.discount, table.reward, whole.extra, whole.sizes, base.columns,
            self._place, self._order, origin, action,
        )  # fmt: skip
        is_base = action == base.policy[self._order][origin]
        first = np.searchsorted(origin, np.arange(count + 1)).astype(np.int64)
        visits = count_mixed_visits(first, rows[0], rows[1], self._place[start], NEVER, MOST_BACKUPS)
        kept = is_base | (visits[origin] >= NEVER)
        origin, self._action, self._choice = origin[kept], action[kept], np.flatnonzero(is_base[kept])
        rows = tuple(each[kept] for each in rows)
        rows[2][self._choice] = 0.0  # else what the rounding of values misses is passed on and on
        first = np.searchsorted(origin, np.arange(count + 1)).astype(np.int64)
        enough = ENOUGH * np.clip(SELDOM * visits.mean() / np.maximum(visits, NEVER), 1.0, COARSEST)
        self._rows = first, *rows, *list_readers(rows[0], rows[1], origin, count, 1), np.diff(first) > 1, enough
        self._gain, self._visits = np.zeros((count, 4)), np.zeros(count + 1)
        pairs = self._order[origin], self._action
        parts = table.next_state, table.probability, table.reward, whole.extra, whole.sizes
        self._entries = [each[pairs] for each in parts]
        self._entries[0] = self._place[self._entries[0]]
        self._ends = np.arange(count + 1) == count

    def better(self, first: Weights, second: Weights, known: Known) -> PairValues | None:
        """As `PairIteration.better`: None where no policy earns more from the start than is known."""
        self.leading, self._returns = None, None
        self._is_quick = self._is_quick and improve_rows(
            *self._rows, *first, self._whole.finest, self._choice, self._gain, MOST_BACKUPS
        )
        if self._is_quick:
            earned = self._left.values.columns[self._start, :2] + self._gain[self._place[self._start], :2]
            if first[0] * earned[0] + first[1] * earned[1] <= known.value:
                return None
            self.leading = self._read_values()
        if self._returns is not None:
            self._found += 1
            return self.leading
        found = self._whole.better(first, second, known)
        self.leading = self._whole.leading
        return found

    def returns(self, policy: Policy, state: int) -> tuple[BothReturns, BothReturns]:
        """As `PairIteration.returns`."""
        if self._returns is not None and self.leading is not None and policy is self.leading.policy:
            return self._returns
        return self._whole.returns(policy, state)

    @property
    def evaluated(self) -> int:
        """How many policies have been evaluated."""
        return self._found + self._whole.evaluated

    @evaluated.setter
    def evaluated(self, count: int) -> None:
        self._found = count - self._whole.evaluated

    def branch(self) -> PairIteration:
        """Return a search in the whole table that goes on from here."""
        return self._whole.branch()

    def _read_values(self) -> PairValues:
        """Return the policy that was found and what it earns inside, and note what it earns from the start.

        That is left out where the policy may never end, takes long to its end, or its values do not hold.
        """
        base, discount = self._left.values, self._whole.table.discount
        policy, values = base.policy.copy(), base.columns.copy()
        policy[self._order] = self._action[self._choice]
        columns = np.concatenate([values[self._order], np.zeros((1, 6))])
        for kind, gain in enumerate(np.concatenate([self._gain, np.zeros((1, 4))]).T):
            chain_kernels.add(columns, gain, np.eye(4)[kind])
        taken = np.append(self._choice, 0)  # no matter which in the last place, which is terminal
        target, chance, own, extra, sizes = (each.take(taken, axis=0) for each in self._entries)
        chain = Chain(target, chance, self._ends, discount)
        chain_kernels.clear_unearned(target, chance, self._ends, sizes, columns, np.zeros(1, dtype=np.bool_))
        values[self._order] = columns[:-1]
        changed = np.flatnonzero(policy[self._order] != base.policy[self._order])
        ends, start = np.array([discount < 1.0]), self._place[self._start]
        if not ends[0]:
            chain_kernels.find_ending(target, chance, self._ends, changed, ends)
        arriving = find_unexplained_visits(*chain, start, self._visits)
        backwards = np.arange(len(taken)), arriving, self._visits, FINER * UNVISITED / len(taken)
        if ends[0] and correct_visits(*chain, *backwards, MOST_BACKUPS):
            missed = find_misses(chain, own, extra, columns) @ self._visits
            if (np.abs(missed) <= CLOSE * columns[start, 2:4]).all():
                self._returns = add_missed(columns[start], missed)
        else:
            self._visits[:] = 0.0
        return PairValues(policy, values)


def narrow_iteration(
    whole: PairIteration, left: tuple[Policy, Weights], right: tuple[Policy, Weights], start: int
) -> NarrowIteration | None:
    """Return a search between the weights at which two policies are best; None where bounds would take too long."""
    ends = []
    for policy, weights in (right, left):
        try:
            found = whole.bound_everywhere(policy, weights)
        except EndlessGain:
            return None
        if found is None:
            return None
        ends.append(End(weights, *found))
    return NarrowIteration(whole, ends[1], ends[0], start)


@kernel
def find_live_actions(  # type: ignore[no-untyped-def]
    next_state, probability, discount, own, extra, step_sizes, allowed, policy, bound, earned, size, weights
):
    """Return bool[S, A], the actions that may be best somewhere between two weighings, f64[2, 2]; also the policy's.

    bound: f64[S, 2], the optimum at both or more. earned: f64[S, 2, 2], by two policies at both; size: f64[S, 2], the
    expected sums of absolute rewards.
    """
    live = np.zeros(allowed.shape, dtype=np.bool_)
    best, slack = np.zeros(2), np.zeros(2)
    for state in range(len(live)):
        for action in range(live.shape[1]):
            if not allowed[state, action]:
                continue
            leaving = 1.0 - discount
            for end in range(2):
                heavy, light = abs(weights[end, 0]), abs(weights[end, 1])
                best[end] = 0.0
                slack[end] = heavy * step_sizes[state, action, 0] + light * step_sizes[state, action, 1]
            for k in range(next_state.shape[2]):
                p, n = probability[state, action, k], next_state[state, action, k]
                if p > 0.0:
                    if n != state:
                        leaving += discount * p
                    for end in range(2):
                        reward = weights[end, 0] * own[state, action, k] + weights[end, 1] * extra[state, action, k]
                        best[end] += p * (reward + discount * bound[n, end])
                        slack[end] += p * discount * size[n, end]
            if leaving <= 0.0:
                continue
            low, high = 0.0, 1.0
            for which in range(2):
                x = best[0] - earned[state, which, 0] + SLACK * (slack[0] + size[state, 0])
                y = best[1] - earned[state, which, 1] + SLACK * (slack[1] + size[state, 1])
                if x < 0.0 and y < 0.0:
                    low = 2.0
                elif x < 0.0:
                    low = max(low, -x / (y - x))
                elif y < 0.0:
                    high = min(high, x / (x - y))
            live[state, action] = low <= high + SLACK or action == policy[state]
    return live


@kernel
def find_inside(next_state, probability, terminal, live, start):  # type: ignore[no-untyped-def]
    """Return int64[N], the states, not terminal ones, that live actions, bool[S, A], lead to from the start."""
    seen = terminal.copy()
    found = np.empty(len(terminal), dtype=np.int64)
    found[0], seen[start] = start, True
    count, number = 1, 0
    while number < count:
        state = found[number]
        number += 1
        for action in range(live.shape[1]):
            if live[state, action]:
                for k in range(next_state.shape[2]):
                    following = next_state[state, action, k]
                    if probability[state, action, k] > 0.0 and not seen[following]:
                        seen[following] = True
                        found[count] = following
                        count += 1
    return found[:count].copy()


@kernel
def make_rows(  # type: ignore[no-untyped-def]
    next_state, probability, discount, own, extra, step_sizes, value, place, order, origin, action
):
    """Return the rows of live actions: successor int32[R, K], weight f64[R, K], gain f64[R, 4] and size f64[R, 2].

    A row gains over the present policy, whose values are f64[S, 6], gain + weight . what its successors gain, as often
    as it is taken in a row: the own and the extra return, and the sizes of both. size: of the first two, what their
    sums handle. place int32[S]: of each state in the order int64[N], N for others. origin, action: int32[R], the place
    of each row and its action.
    """
    count, width = len(origin), next_state.shape[2]
    successor, weight = np.zeros((count, width), dtype=np.int32), np.zeros((count, width))
    gain, size = np.zeros((count, 4)), np.zeros((count, 2))
    for row in range(count):
        state, choice = order[origin[row]], action[row]
        leaving = 1.0 - discount
        for k in range(width):
            if next_state[state, choice, k] != state:
                leaving += discount * probability[state, choice, k]
        later_own, later_extra = step_sizes[state, choice, 0], step_sizes[state, choice, 1]
        for k in range(width):
            p, n = probability[state, choice, k], next_state[state, choice, k]
            later_own += discount * p * value[n, 2]
            later_extra += discount * p * value[n, 3]
            if p > 0.0 and n != state and place[n] < len(order):
                successor[row, k] = place[n]
                weight[row, k] = discount * p / leaving
        a, b, c, d, terms_own, terms_extra = equations(
            next_state[:, choice], probability[:, choice], discount, own[:, choice], extra[:, choice],
            step_sizes[:, choice], value, state,
        )  # fmt: skip
        gain[row, 0], gain[row, 1], gain[row, 2], gain[row, 3] = a / leaving, b / leaving, c / leaving, d / leaving
        size[row, 0] = max(terms_own, SHARE * max(later_own, value[state, 2]))
        size[row, 1] = max(terms_extra, SHARE * max(later_extra, value[state, 3]))
    return successor, weight, gain, size


@kernel
def count_mixed_visits(first, successor, weight, start, tolerance, most):  # type: ignore[no-untyped-def]
    """Return f64[N], how often each place is visited from one of them, if all rows of a place are taken equally often.

    The rows of place n are first[n] to first[n + 1]. Arrivals are passed on that exceed `tolerance`: at most `most`
    passes, the last places first. As often as the start itself where these do not do.
    """
    count = len(first) - 1
    visits, arriving = np.zeros(count), np.zeros(count)
    arriving[start] = 1.0
    for _ in range(most):
        active = False
        for number in range(count - 1, -1, -1):
            if arriving[number] <= tolerance:
                continue
            active = True
            visits[number] += arriving[number]
            each = arriving[number] / (first[number + 1] - first[number])
            arriving[number] = 0.0
            for row in range(first[number], first[number + 1]):
                for k in range(successor.shape[1]):
                    arriving[successor[row, k]] += weight[row, k] * each
        if not active:
            return visits
    return np.ones(count)


@kernel
def improve_rows(  # type: ignore[no-untyped-def]
    first, successor, weight, gain, size, first_reader, reader, waiting, enough, own, extra, noise, choice, value, most
):
    """Value iteration by the weights (own, extra), in place, from what the chosen rows gain; whether it has converged.

    choice: int64[N], the row of each place that is taken: those of place n are first[n] to first[n + 1]. value: f64[N,
    4], what it gains in all. Another row must be better by the share `noise` of its size. waiting: bool[N], the places
    that are visited first; those that read a place are, as long as it changes by more than its share `enough`, f64[N],
    of the largest gain of its kind. At most `most` visits of a place, on average.
    """
    count, width = len(choice), successor.shape[1]
    heavy, light = abs(own), abs(extra)
    due, blocks = list_due(np.arange(count), waiting)
    visits, active, most_a, most_b, most_c, most_d = 0, True, 0.0, 0.0, 0.0, 0.0
    for number in range(count):
        most_a, most_b = max(most_a, abs(value[number, 0])), max(most_b, abs(value[number, 1]))
        most_c, most_d = max(most_c, abs(value[number, 2])), max(most_d, abs(value[number, 3]))
    while active and visits < most * count:
        active = False
        number = -1
        while True:
            number = find_next_due(due, blocks, number + 1)
            if number < 0:
                break
            active = True
            visits += 1
            row = choice[number]
            if first[number + 1] - first[number] > 1:
                a, b = gain[row, 0], gain[row, 1]
                for k in range(width):
                    a += weight[row, k] * value[successor[row, k], 0]
                    b += weight[row, k] * value[successor[row, k], 1]
                present = own * a + extra * b
                rounding = noise * (heavy * size[row, 0] + light * size[row, 1])
                best, tolerance, chosen = present, max(ROUNDED * abs(present), rounding), row
                for other in range(first[number], first[number + 1]):
                    a, b = gain[other, 0], gain[other, 1]
                    for k in range(width):
                        a += weight[other, k] * value[successor[other, k], 0]
                        b += weight[other, k] * value[successor[other, k], 1]
                    tolerance = max(tolerance, noise * (heavy * size[other, 0] + light * size[other, 1]))
                    if own * a + extra * b > best:
                        best, chosen = own * a + extra * b, other
                if best > present + tolerance:
                    choice[number] = row = chosen
            a, b, c, d = gain[row, 0], gain[row, 1], gain[row, 2], gain[row, 3]
            for k in range(width):
                p, following = weight[row, k], successor[row, k]
                a += p * value[following, 0]
                b += p * value[following, 1]
                c += p * value[following, 2]
                d += p * value[following, 3]
            most_a, most_b = max(most_a, abs(a)), max(most_b, abs(b))
            most_c, most_d = max(most_c, abs(c)), max(most_d, abs(d))
            first_moves = abs(a - value[number, 0]) > enough[number] * most_a
            second_moves = abs(b - value[number, 1]) > enough[number] * most_b
            sizes_move = abs(c - value[number, 2]) > ROUGH * most_c or abs(d - value[number, 3]) > ROUGH * most_d
            if first_moves or second_moves or sizes_move:
                value[number, 0], value[number, 1], value[number, 2], value[number, 3] = a, b, c, d
                for i in range(first_reader[number], first_reader[number + 1]):
                    due[reader[i]] = blocks[reader[i] // BLOCK] = True
    return not active
