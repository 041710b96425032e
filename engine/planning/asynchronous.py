"""Asynchronous dynamic programming: states are backed up in any order, and only where a successor has changed.

    V(s) <- V(s) + (r + gamma sum_k P_k V_k - V(s)) / (1 - gamma P(s | s))

What a few changed actions do to values fades on the way back from them, so that most states need no backup. States are
visited in an order in which most steps lead to states that come before: a chain that moves on towards its end is then
nearly solved in one pass. Where a change reaches far, all states are swept in that order, in plain numbers, for what
must be added to their values, and backups settle the rest (Gauss and Seidel; for plans: value iteration of what
actions gain over a policy whose values are known, so that small gains keep their digits). Where most states have a
better action, the best ways are searched from their ends: the highest value first, as E. Dijkstra does without chance,
and small gains after large ones.
Where a chain goes to and fro, backups are counted and given up for a linear solver.
Reference: D. Bertsekas, "Dynamic Programming and Optimal Control", volume 2, sections 2.6 and 3.5 (asynchronous value
iteration and policy iteration); M. Puterman, "Markov Decision Processes", 1994, section 6.5; A. Moore and C. Atkeson,
"Prioritized sweeping", 1993.

Shapes of the compiled loops, each with its plain twin, as in `engine.planning.kernels` and
`engine.planning.chain_kernels`; order int64[S]: the states as they are visited; place int64[S]: where in it each is;
waiting bool[S]: those to be visited; first int64[S + 1], before int32[N]: the states from which a step may lead to s
are before[first[s] : first[s + 1]].
"""

from __future__ import annotations

import heapq
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.mdp.reachability import find_predecessors, sort_by_target
from engine.planning.chain_kernels import add, equations, exact_sum, residual
from engine.planning.policy_chain import Chain, Rewards, select_entries

ROUGH = 1e-6
NEGLIGIBLE = 1e-16
MOST_BACKUPS = 200  # of a state, on average: what factors would cost
MOST_IMPROVEMENTS = 30  # of a state, on average, from the best on
MANY, FEW = 0.5, 5_000  # of all states, and states, that have a better action: a policy far from the best
COARSE = 1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8  # of an action's size: larger gains first
ROUGHLY = 1e-9  # of a value: what is known of a policy that is improved further
MOST_SKIPPED = 63
UNVISITED = 1e-6  # of all states together: returns are rounded once, whatever was solved before
SCATTERED = 0.5  # backups of a state, on average, before all states are swept: about what sweeps take
ENOUGH, MOST_SWEEPS, MOST_ROUNDS = 1e-15, 400, 4  # a sweep takes each step against the order once
MOST_PASSES = 2_000  # of what arrives, where few states are visited
SWEPT = 256  # places that are swept together, if at all
SMALL, AT_ONCE = 400_000, 3  # steps of a table without chance that may need no compiled loop; visits of a state there
ROUND = 0.02  # of all states: how many visits take as long as what a round takes beside them
BLOCK = 64  # places of an order
ROUNDED = 1e-15  # of a sum of a few products, relative to it


class Sweeps:
    """Backups of one table, for one policy after the other."""

    def __init__(self, table: TabularMDP) -> None:
        self._table, self._count = table, len(table.terminal)
        self._order, self._is_stale = np.arange(self._count), True
        self._place = self._order
        self._skipped, self._to_skip = 0, 0
        self._is_near = table.is_deterministic and table.next_state.size <= SMALL
        self._visits: Floats | None = None

    @cached_property
    def _graph(self) -> tuple[NDArray[np.int64], Integers]:
        """first int64[S + 1], before int32[N]: steps may lead to a state s from before[first[s] : first[s + 1]]."""
        table = self._table
        possible = (table.probability > 0) & ~table.terminal[:, None, None]
        origin = np.flatnonzero(possible) // (possible.shape[1] * possible.shape[2])
        return sort_by_target(origin, table.next_state[possible], self._count)

    def reorder(self, remaining: Floats) -> None:
        """Visit states by what remains until the end, f64[S]: by the rewards expected from there, in absolute terms.

        Nothing is done as long as few backups do.
        """
        if self._is_stale:
            self._follow(self._order[np.argsort(remaining[self._order], kind="stable")])

    def _follow(self, order: NDArray[np.int64]) -> None:
        """Visit states in an order, int64[S]."""
        self._order, self._place, self._is_stale = order, find_places(order), False

    def evaluate(
        self, chain: Chain, rewards: Rewards, value: Floats, waiting: Booleans, rounding: float,
        each: int = MOST_BACKUPS,
    ) -> bool:  # fmt: skip
        """Correct values, f64[S, 6] as in `chain_kernels`, in place until every equation holds; whether they do.

        waiting: bool[S], the states whose equations may not hold. rounding: as in `chain_kernels.residual`. each: how
        many backups of a state at most, on average. After a failure the next ones are not tried for a while.
        """
        if self._skipped < self._to_skip:
            self._skipped += 1
            return False
        most = each * self._count
        equations = (*chain, *rewards, value, rounding, ROUGH, NEGLIGIBLE)
        scattered = min(int(SCATTERED * self._count), most)
        backups = evaluate(*equations, self._order, self._place, *self._graph, waiting, scattered)
        if scattered < backups and scattered < most:
            self._follow(find_likely_order(chain.target, chain.chance, chain.terminal))
            waiting[:] = not self._correct(chain, value, equations)
            backups += evaluate(*equations, self._order, self._place, *self._graph, waiting, most - scattered)
        self._skipped, self._to_skip = 0, min(2 * self._to_skip + 1, MOST_SKIPPED) if backups > most else 0
        return bool(backups <= most)

    def improve(
        self, policy: Policy, value: Floats, gain: Floats, noise: float, size: Floats, waiting: Booleans
    ) -> tuple[Policy, Floats | None]:
        """Return a better policy, int32[S], by backups of the states that wait, and of those that they reach.

        value: f64[S], what the policy earns. gain: f64[S, A], what every action gains over it, -inf where it may not be
        taken. noise, size f64[S, A]: a difference of the share `noise` of an action's size counts as none. Beside it,
        f64[S], what the best policy gains in all, None where that would take too long.
        """
        table, result, reached = self._table, policy.copy(), np.zeros(self._count)
        if self._is_near:
            waiting = _improve_at_once(
                table.next_state[:, :, 0], table.discount, gain, noise, size, self._graph, waiting, result, reached
            )
            if not waiting.any():
                return result, reached
            self._is_near = False
        if np.count_nonzero(waiting) > max(MANY * self._count, FEW):
            self._improve_much(result, value, gain, noise, size, reached)
            waiting = ~table.terminal
        if improve(
            table.next_state, table.probability, table.discount, gain, noise, size,
            self._order, self._place, *self._graph, waiting, result, reached, int(SCATTERED * self._count),
        ):  # fmt: skip
            return result, reached
        actions = lay_out_actions(table.next_state, table.probability, table.discount, self._order, self._place)
        if improve_by_sweeps(*actions, self._order, gain, noise, size, waiting, result, reached, MOST_SWEEPS):
            return result, reached
        return result, None

    def _improve_much(
        self, policy: Policy, value: Floats, gain: Floats, noise: float, size: Floats, reached: Floats
    ) -> None:
        """Improve a policy that is far from the best one, in place, with what it gains in all: large gains first.

        The order is then that of the policy. Arguments as in `improve`.
        """
        table, left = self._table, MOST_IMPROVEMENTS * self._count
        for coarse in COARSE:
            left -= improve_from_the_best(
                table.next_state, table.probability, table.discount, value, gain, noise, coarse, size, *self._graph,
                policy, reached, left,
            )  # fmt: skip
            chain, missed = self._find_missed(policy, gain, reached)
            self._follow(find_likely_order(chain.target, chain.chance, chain.terminal))
            reached += find_response(*chain, self._order, self._place, missed, ROUGHLY, MOST_SWEEPS)[0]
            if left <= 0:
                break

    def _find_missed(self, policy: Policy, gain: Floats, reached: Floats) -> tuple[Chain, Floats]:
        """Return the chain of a policy, and by how much what it gains in all misses its equations, f64[S].

        gain: f64[S, A], reached: f64[S], as `improve` has them.
        """
        table = self._table
        target, chance = select_entries(policy, table.next_state, table.probability)
        later = table.discount * (chance * reached[target]).sum(axis=1)
        missed = np.where(table.terminal, 0.0, gain[np.arange(self._count), policy] + later - reached)
        return Chain(target, chance, table.terminal, table.discount), missed

    def _correct(self, chain: Chain, value: Floats, equations: tuple[Any, ...]) -> bool:
        """Correct values, f64[S, 6], in place by sweeps over all states; whether every equation then holds.

        equations: as `residual` takes them. The order of the policy before may be a bad one: a better one is made of
        what sweeps have found.
        """
        for _ in range(MOST_ROUNDS):
            missed, waits = residual(*equations)
            if not waits.any():
                return True
            changes, has_converged = self._sweep_all(chain, np.where(waits[:, None], missed, 0.0))
            for kind, change in enumerate(changes):
                add(value, change, np.eye(4)[kind])
            if not has_converged:
                self._is_stale = True
                self.reorder(value[:, 2] + value[:, 3])
        return False

    def _sweep_all(self, chain: Chain, missed: Floats) -> tuple[Floats, bool]:
        """Return f64[M, S], roughly what values lack that miss their M <= 4 equations by so much, f64[M, S].

        And whether sweeps have converged.
        """
        wanted = np.zeros((4, self._count))
        wanted[: len(missed)] = missed
        changes, has_converged = sweep_corrections(*chain, self._order, self._place, wanted, ENOUGH, MOST_SWEEPS)
        return changes, has_converged

    def visits(self, chain: Chain, state: int) -> Floats | None:
        """How often each state is visited from one, discounted, f64[S], roughly; None where that takes too long.

        Found from the visits of the chain before, which a few changed actions leave nearly as they were.
        """
        first = np.zeros(self._count)
        for count in (first,) if self._visits is None else (np.where(chain.terminal, 0.0, self._visits), first):
            arriving = find_unexplained_visits(*chain, state, count)
            if correct_visits(*chain, self._order, self._place, arriving, count, UNVISITED / self._count, MOST_PASSES):
                self._visits = count
                return count
        self._visits = None
        return None


def _improve_at_once(
    next_state: Integers, discount: float, gain: Floats, noise: float, size: Floats,
    graph: tuple[NDArray[np.int64], Integers], waiting: Booleans, policy: Policy, value: Floats,
) -> Booleans:  # fmt: skip
    """Do what `improve` does where nothing is left to chance: all states that are due at once, a few times.

    next_state: int32[S, A]. Returns bool[S], the states that still wait.
    """
    visits, most = 0.0, AT_ONCE * len(policy)
    while visits < most and len(due := np.flatnonzero(waiting)):
        visits += len(due) + ROUND * len(policy)
        rows, chosen, before, following = np.arange(len(due)), policy[due], value[due], next_state[due]
        staying, total = following == due[:, None], gain[due] + discount * value[following]
        total[staying] = gain[due][staying] / (1.0 - discount) if discount < 1.0 else -np.inf  # again and again
        present, best = total[rows, chosen], total.argmax(axis=1)
        weighed = np.where(total >= present[:, None], size[due], 0.0)
        tolerance = np.maximum(ROUNDED * abs(before), noise * weighed.max(axis=1))
        better = total[rows, best] > present + tolerance
        policy[due] = np.where(better, best, chosen)
        present = np.where(better, total[rows, best], present)
        possible = present > -np.inf
        value[due] = np.where(possible, present, before)
        moved = due[possible & (abs(present - before) > tolerance)]
        waiting = np.zeros(len(policy), dtype=np.bool_)
        waiting[find_predecessors(*graph, moved)] = True
    return waiting


def find_places(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[S], where in an order of all states, int64[S], each of them is."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


@kernel
def find_likely_order(target, chance, terminal):  # type: ignore[no-untyped-def]
    """Return int64[S], the states by how many steps it takes to their end, or into a cycle, if the likeliest are taken.

    target: int32[S, K], chance: f64[S, K].
    """
    count = len(terminal)
    likeliest, steps = np.full(count, -1), np.full(count, -1)
    for state in range(count):
        most = 0.0
        for k in range(target.shape[1]):
            if not terminal[state] and target[state, k] != state and chance[state, k] > most:
                most, likeliest[state] = chance[state, k], target[state, k]
    trail, longest = np.empty(count, dtype=np.int64), 0
    for first in range(count):
        length, state = 0, first
        while state >= 0 and steps[state] == -1:
            steps[state] = -2  # on the trail
            trail[length], length, state = state, length + 1, likeliest[state]
        total = steps[state] + 1 if state >= 0 and steps[state] >= 0 else 0
        for number in range(length - 1, -1, -1):
            steps[trail[number]], total = total, total + 1
        longest = max(longest, total)
    place = np.zeros(longest + 2, dtype=np.int64)
    for state in range(count):
        place[steps[state] + 1] += 1
    place = np.cumsum(place)
    order = np.empty(count, dtype=np.int64)
    for state in range(count):
        order[place[steps[state]]] = state
        place[steps[state]] += 1
    return order


@kernel(inner=True)
def _list_due(order, waiting):  # type: ignore[no-untyped-def]
    """Return bool[S], which places of the order hold a state that waits, and bool[B], which blocks of places do."""
    due = np.empty(len(order), dtype=np.bool_)
    blocks = np.zeros(len(order) // BLOCK + 1, dtype=np.bool_)
    for number in range(len(order)):
        due[number] = waiting[order[number]]
        if due[number]:
            blocks[number // BLOCK] = True
    return due, blocks


@kernel(inner=True)
def _find_next_due(due, blocks, number):  # type: ignore[no-untyped-def]
    """Return the first due place from a number on, no longer due; -1 where there is none. Other blocks are skipped."""
    while number < len(due):
        block = number // BLOCK
        if number % BLOCK == 0:
            while block < len(blocks) and not blocks[block]:
                block += 1
            if block == len(blocks):
                return -1
            blocks[block] = False
            number = block * BLOCK
        for place in range(number, min((block + 1) * BLOCK, len(due))):
            if due[place]:
                due[place] = False
                return place
        number = (block + 1) * BLOCK
    return -1


@kernel
def improve(  # type: ignore[no-untyped-def]
    next_state, probability, discount, gain, noise, size, order, place, first, before, waiting, policy, value, most
):
    """Value iteration, in place, on the states that wait and on those that this reaches; whether it has converged.

    If not, some states still wait.

    gain: f64[S, A], what every action gains over the first policy, -inf where it may not be taken. value: f64[S], what
    the policy, int32[S], gains in all: small gains are not rounded beside large values. size: f64[S, A], of which
    another action must be better by the share `noise`, and by which a value must change for other states to be visited,
    or by its own rounding. most: how many backups at most.
    """
    due, blocks = _list_due(order, waiting)
    count, active, highest = 0, True, max(value.max(), 0.0)  # no action gains more than the next states add at most
    while active and count < most:
        active = False
        number = -1
        while True:
            number = _find_next_due(due, blocks, number + 1)
            if number < 0:
                break
            state = order[number]
            active = True
            count += 1
            present, choice = -np.inf, policy[state]
            tolerance = max(ROUNDED * abs(value[state]), noise * size[state, choice])
            if gain[state, choice] > -np.inf:
                present = _gain_in_all(next_state, probability, discount, gain, value, state, choice)
            best = present
            for action in range(next_state.shape[1]):
                if action == policy[state] or gain[state, action] <= min(present - highest, 0.0):
                    continue
                tolerance = max(tolerance, noise * size[state, action])
                total = _gain_in_all(next_state, probability, discount, gain, value, state, action)
                if total > best:
                    best, choice = total, action
            if best > present + tolerance:
                policy[state] = choice
                present = best
            if present == -np.inf:
                continue
            change = abs(present - value[state])
            value[state], highest = present, max(highest, present)
            if change > tolerance:
                for i in range(first[state], first[state + 1]):
                    if before[i] != state:
                        due[place[before[i]]] = blocks[place[before[i]] // BLOCK] = True
    for number in range(len(order)):
        waiting[order[number]] = due[number]
    return not blocks.any()


@kernel
def lay_out_actions(next_state, probability, discount, order, place):  # type: ignore[no-untyped-def]
    """Return a table as sweeps read it, by places of the order in place of states.

    successor int32[S, A * K], weight f64[S, A * K]: the places that follow and their discounted probabilities, given
    that the state is left; inverse f64[S, A]: how long it is visited, 0 where it is never left. first, reader as in
    `_list_readers`.
    """
    count, actions, width = next_state.shape
    successor = np.zeros((count, actions * width), dtype=np.int32)
    weight, inverse = np.zeros((count, actions * width)), np.zeros((count, actions))
    for number in range(count):
        state = order[number]
        for action in range(actions):
            leaving = 1.0 - discount
            for k in range(width):
                if next_state[state, action, k] != state:
                    leaving += discount * probability[state, action, k]
            if leaving <= 0.0:
                continue
            inverse[number, action] = 1.0 / leaving
            for k in range(width):
                if next_state[state, action, k] != state and probability[state, action, k] > 0.0:
                    successor[number, action * width + k] = place[next_state[state, action, k]]
                    weight[number, action * width + k] = discount * probability[state, action, k] / leaving
    first, reader = _list_readers(successor, weight)
    return successor, weight, inverse, first, reader


@kernel
def improve_by_sweeps(  # type: ignore[no-untyped-def]
    successor, weight, inverse, first, reader, order, gain, noise, size, waiting, policy, value, most
):
    """Do what `improve` does, by at most so many sweeps over blocks of places, as `lay_out_actions` gives them."""
    count, actions = gain.shape
    width = successor.shape[1] // actions
    gains, limits = np.empty((count, actions)), np.empty((count, actions))
    chosen, worth = np.empty(count, dtype=np.int64), np.empty(count)
    due = np.zeros(len(first) - 1, dtype=np.bool_)
    for number in range(count):
        state = order[number]
        chosen[number], worth[number] = policy[state], value[state]
        due[number // SWEPT] = due[number // SWEPT] or waiting[state]
        for action in range(actions):
            gains[number, action] = gain[state, action] * inverse[number, action]
            if inverse[number, action] == 0.0:
                gains[number, action] = -np.inf
            limits[number, action] = noise * size[state, action]
    highest, sweeps = max(value.max(), 0.0), 0
    while sweeps < most and due.any():
        sweeps += 1
        for block in range(len(due)):
            if not due[block]:
                continue
            due[block], moves = False, False
            for number in range(block * SWEPT, min((block + 1) * SWEPT, count)):
                choice = chosen[number]
                tolerance = max(ROUNDED * abs(worth[number]), limits[number, choice])
                present = gains[number, choice]
                if present > -np.inf:
                    for k in range(choice * width, (choice + 1) * width):
                        present += weight[number, k] * worth[successor[number, k]]
                best = present
                for action in range(actions):
                    if action == chosen[number] or gains[number, action] + highest <= present:
                        continue
                    tolerance = max(tolerance, limits[number, action])
                    total = gains[number, action]
                    for k in range(action * width, (action + 1) * width):
                        total += weight[number, k] * worth[successor[number, k]]
                    if total > best:
                        best, choice = total, action
                if best > present + tolerance:
                    chosen[number] = choice
                    present = best
                if present == -np.inf:
                    continue
                moves = moves or abs(present - worth[number]) > tolerance
                worth[number], highest = present, max(highest, present)
            if moves:
                for i in range(first[block], first[block + 1]):
                    due[reader[i]] = True
    for number in range(count):
        policy[order[number]], value[order[number]] = chosen[number], worth[number]
    return not due.any()


@kernel
def improve_from_the_best(  # type: ignore[no-untyped-def]
    next_state, probability, discount, base, gain, noise, coarse, size, first, before, policy, value, most
):
    """Value iteration, in place, from where actions gain most on: the highest value first. Return how many backups.

    base: f64[S], what the first policy earns. gain, noise, size, policy, value: as in `improve`. coarse: the share of
    an action's size by which a value must change for other states to be visited. most: how many backups at most.
    """
    heap = [(0.0, 0) for _ in range(0)]
    waits = np.full(len(base), np.inf)  # less the value that a state waits for; inf: it does not
    for state in range(len(base)):
        best, _ = _find_best(next_state, probability, discount, gain, noise, size, policy, value, state)
        if best > value[state] + coarse * size[state, policy[state]]:
            waits[state] = -(base[state] + best)
            heap.append((waits[state], state))
    heapq.heapify(heap)
    count = 0
    while len(heap) > 0 and count < most:
        key, state = heapq.heappop(heap)
        if key != waits[state]:
            continue
        waits[state] = np.inf
        count += 1
        best, choice = _find_best(next_state, probability, discount, gain, noise, size, policy, value, state)
        if best == -np.inf or abs(best - value[state]) <= coarse * size[state, policy[state]]:
            continue
        policy[state], value[state] = choice, best
        key = -(base[state] + best)
        for i in range(first[state], first[state + 1]):
            other = before[i] + 0  # int64, as on the heap
            if other != state and key < waits[other]:
                waits[other] = key
                heapq.heappush(heap, (key, other))
    return count


@kernel(inner=True)
def _find_best(next_state, probability, discount, gain, noise, size, policy, value, state):  # type: ignore[no-untyped-def]
    """Return what the best action of a state gains with all that follows, and the action, as in `improve`."""
    choice = policy[state]
    if gain[state, choice] == -np.inf:
        return -np.inf, choice
    best = _gain_in_all(next_state, probability, discount, gain, value, state, choice)
    least = best + noise * size[state, choice]
    for action in range(next_state.shape[1]):
        if action == policy[state] or gain[state, action] == -np.inf:
            continue
        total = _gain_in_all(next_state, probability, discount, gain, value, state, action)
        if total > max(best, least):
            best, choice = total, action
    return best, choice


@kernel(inner=True)
def _gain_in_all(next_state, probability, discount, gain, value, state, action):  # type: ignore[no-untyped-def]
    """Return what an action gains with all that follows, as often as it is taken in a row; -inf where that is for ever.

    gain f64[S, A], value f64[S] as in `improve`.
    """
    total, leaving = gain[state, action], 1.0 - discount
    for k in range(next_state.shape[2]):
        p = probability[state, action, k]
        following = next_state[state, action, k]
        if p > 0.0 and following != state:
            total += discount * p * value[following]
            leaving += discount * p
    return total / leaving if leaving > 0.0 else -np.inf


@kernel
def evaluate(  # type: ignore[no-untyped-def]
    target, chance, terminal, discount, own, extra, sizes, value, rounding, roughly, negligible,
    order, place, first, before, waiting, most,
):  # fmt: skip
    """Return how many backups it took until every equation holds but for rounding, from values, f64[S, 6], in place.

    Values and tolerances as in `chain_kernels.residual`; the states that wait are all whose equations may not hold. At
    most `most` backups, or a sweep more.
    """
    due, blocks = _list_due(order, waiting)
    count, active = 0, True
    while active and count < most:
        active = False
        number = -1
        while True:
            number = _find_next_due(due, blocks, number + 1)
            if number < 0:
                break
            state = order[number]
            if terminal[state]:
                continue
            active = True
            count += 1
            a, b, c, d, terms_a, terms_b = equations(target, chance, discount, own, extra, sizes, value, state)
            x, y = abs(value[state, 2]), abs(value[state, 3])
            first_misses = abs(a) > rounding * max(terms_a, negligible * x)
            second_misses = abs(b) > rounding * max(terms_b, negligible * y)
            third_misses, fourth_misses = abs(c) > roughly * x, abs(d) > roughly * y
            if not (first_misses or second_misses or third_misses or fourth_misses):
                continue
            leaving = 1.0 - discount
            for k in range(target.shape[1]):
                if target[state, k] != state:
                    leaving += discount * chance[state, k]
            if leaving <= 0.0:
                return most + 1
            if first_misses:
                high, low = exact_sum(value[state, 0], a / leaving)
                value[state, 0], value[state, 4] = exact_sum(high, low + value[state, 4])
            if second_misses:
                high, low = exact_sum(value[state, 1], b / leaving)
                value[state, 1], value[state, 5] = exact_sum(high, low + value[state, 5])
            if abs(a) > 2.0 * leaving * abs(value[state, 0]) or abs(b) > 2.0 * leaving * abs(value[state, 1]):
                due[number] = blocks[number // BLOCK] = True  # a large value has left the rounding of it behind
            if third_misses or fourth_misses:
                value[state, 2] += c / leaving
                value[state, 3] += d / leaving
            for i in range(first[state], first[state + 1]):
                if before[i] != state:
                    due[place[before[i]]] = blocks[place[before[i]] // BLOCK] = True
    return count if not active else most + 1


@kernel(inner=True)
def _lay_out(  # type: ignore[no-untyped-def]
    target, chance, terminal, discount, order, place, low, high, successor, weight, inverse
):
    """Fill in a chain as sweeps read it, by places of the order in place of states, for the places from low to high.

    successor int32[S, K], weight f64[S, K]: the places that follow and their discounted probabilities, given that the
    state is left; inverse f64[S]: how long it is visited, 0 where it ends.
    """
    for number in range(low, high):
        state = order[number]
        leaving = 1.0 - discount
        for k in range(target.shape[1]):
            successor[number, k], weight[number, k] = 0, 0.0
            if target[state, k] != state:
                leaving += discount * chance[state, k]
        inverse[number] = 0.0 if terminal[state] or leaving <= 0.0 else 1.0 / leaving
        for k in range(target.shape[1]):
            if target[state, k] != state and inverse[number] > 0.0:
                successor[number, k] = place[target[state, k]]
                weight[number, k] = discount * chance[state, k] / leaving


@kernel
def sweep_corrections(target, chance, terminal, discount, order, place, missed, enough, most):  # type: ignore[no-untyped-def]
    """Return f64[4, S], what must be added to values that miss their four equations by so much, f64[4, S].

    And whether sweeps have converged, over all states in their order, from 0 (Gauss and Seidel): blocks of places are
    left out as long as nothing that they read changes by more than the share `enough` of the largest value of its kind.
    At most `most` sweeps. The four are written out: in a loop over them a sweep takes four times as long.
    """
    successor, weight = np.empty(target.shape, dtype=np.int32), np.empty(target.shape)
    inverse = np.empty(len(order))
    _lay_out(target, chance, terminal, discount, order, place, 0, len(order), successor, weight, inverse)
    first, reader = _list_readers(successor, weight)
    count, width = successor.shape
    wanted, change = np.zeros((count, 4)), np.zeros((count, 4))
    due = np.zeros(len(first) - 1, dtype=np.bool_)
    for number in range(count):
        for kind in range(4):
            wanted[number, kind] = missed[kind, order[number]] * inverse[number]
            if wanted[number, kind] != 0.0:
                due[number // SWEPT] = True
    sweeps, most_a, most_b, most_c, most_d = 0, 0.0, 0.0, 0.0, 0.0
    while sweeps < most and due.any():
        sweeps += 1
        for block in range(len(due)):
            if not due[block]:
                continue
            due[block] = False
            moved_a = moved_b = moved_c = moved_d = 0.0
            for number in range(block * SWEPT, min((block + 1) * SWEPT, count)):
                a, b, c, d = wanted[number, 0], wanted[number, 1], wanted[number, 2], wanted[number, 3]
                for k in range(width):
                    p, following = weight[number, k], successor[number, k]
                    a += p * change[following, 0]
                    b += p * change[following, 1]
                    c += p * change[following, 2]
                    d += p * change[following, 3]
                moved_a, most_a = max(moved_a, abs(a - change[number, 0])), max(most_a, abs(a))
                moved_b, most_b = max(moved_b, abs(b - change[number, 1])), max(most_b, abs(b))
                moved_c, most_c = max(moved_c, abs(c - change[number, 2])), max(most_c, abs(c))
                moved_d, most_d = max(moved_d, abs(d - change[number, 3])), max(most_d, abs(d))
                change[number, 0], change[number, 1], change[number, 2], change[number, 3] = a, b, c, d
            first_moves, second_moves = moved_a > enough * most_a, moved_b > enough * most_b
            third_moves, fourth_moves = moved_c > enough * most_c, moved_d > enough * most_d
            if first_moves or second_moves or third_moves or fourth_moves:
                for i in range(first[block], first[block + 1]):
                    due[reader[i]] = True
    has_converged = not due.any()
    result = np.zeros((4, count))
    for number in range(count):
        for kind in range(4):
            result[kind, order[number]] = change[number, kind]
    return result, has_converged


@kernel
def find_response(target, chance, terminal, discount, order, place, missed, enough, most):  # type: ignore[no-untyped-def]
    """Return f64[S], what must be added to values that miss their equations by so much, f64[S].

    And whether sweeps have converged, as in `sweep_corrections`, but that each block has its own largest value: far
    from where equations miss, small changes keep their digits.
    """
    successor, weight = np.empty(target.shape, dtype=np.int32), np.empty(target.shape)
    inverse = np.empty(len(order))
    _lay_out(target, chance, terminal, discount, order, place, 0, len(order), successor, weight, inverse)
    first, reader = _list_readers(successor, weight)
    count, width = successor.shape
    wanted, change = np.zeros(count), np.zeros(count)
    due = np.zeros(len(first) - 1, dtype=np.bool_)
    for number in range(count):
        wanted[number] = missed[order[number]] * inverse[number]
        if wanted[number] != 0.0:
            due[number // SWEPT] = True
    sweeps = 0
    while sweeps < most and due.any():
        sweeps += 1
        for block in range(len(due)):
            if not due[block]:
                continue
            due[block] = False
            moved = largest = 0.0
            for number in range(block * SWEPT, min((block + 1) * SWEPT, count)):
                total = wanted[number]
                for k in range(width):
                    total += weight[number, k] * change[successor[number, k]]
                moved, largest = max(moved, abs(total - change[number])), max(largest, abs(total))
                change[number] = total
            if moved > enough * largest:
                for i in range(first[block], first[block + 1]):
                    due[reader[i]] = True
    result = np.empty(count)
    for number in range(count):
        result[order[number]] = change[number]
    return result, not due.any()


@kernel(inner=True)
def _list_readers(successor, weight):  # type: ignore[no-untyped-def]
    """Return first int64[B + 1], reader int64[N]: block b of SWEPT places is read by reader[first[b] : first[b + 1]].

    successor int32[S, K], weight f64[S, K]: what each place reads.
    """
    count = len(successor)
    number = (count + SWEPT - 1) // SWEPT
    first = np.zeros(number + 1, dtype=np.int64)
    reader = np.zeros(0, dtype=np.int64)
    for fills in (False, True):
        free, seen = first[:number].copy(), np.full(number, -1)
        for place in range(count):
            for k in range(successor.shape[1]):
                block, here = successor[place, k] // SWEPT, place // SWEPT
                if weight[place, k] == 0.0 or seen[block] == here:
                    continue
                seen[block] = here
                if fills:
                    reader[free[block]] = here
                    free[block] += 1
                else:
                    first[block + 1] += 1
        if not fills:
            first = np.cumsum(first)
            reader = np.zeros(first[number], dtype=np.int64)
    return first, reader


@kernel
def find_unexplained_visits(target, chance, terminal, discount, start, count):  # type: ignore[no-untyped-def]
    """Return f64[S], by how much the visits of each state, f64[S], miss those from its predecessors and the start."""
    arriving = -count
    arriving[start] += 1.0
    for state in range(len(terminal)):
        if not terminal[state] and count[state] != 0.0:
            for k in range(target.shape[1]):
                arriving[target[state, k]] += discount * chance[state, k] * count[state]
    return arriving


@kernel
def correct_visits(target, chance, terminal, discount, order, place, arriving, count, tolerance, most):  # type: ignore[no-untyped-def]
    """Correct how often each state is visited, discounted, f64[S], in place; whether that has converged.

    arriving: f64[S], by how much the visits miss; it is passed on to a state's successors where it exceeds `tolerance`:
    at most `most` passes, the last states of the order first. Blocks of places where nothing arrives are left out.
    """
    places, width = target.shape
    successor, weight = np.empty((places, width), dtype=np.int32), np.empty((places, width))
    inverse, missed, added = np.empty(places), np.empty(places), np.zeros(places)
    due, is_known = _list_due(order, np.abs(arriving) > tolerance)[1], np.zeros(places // BLOCK + 1, dtype=np.bool_)
    for number in range(places):
        missed[number] = arriving[order[number]]
    passes = 0
    while passes < most and due.any():
        passes += 1
        for block in range(len(due) - 1, -1, -1):
            if not due[block]:
                continue
            due[block] = False
            low, high = block * BLOCK, min((block + 1) * BLOCK, places)
            if not is_known[block]:
                is_known[block] = True
                _lay_out(target, chance, terminal, discount, order, place, low, high, successor, weight, inverse)
            for number in range(high - 1, low - 1, -1):
                here = missed[number]
                if abs(here) <= tolerance or inverse[number] == 0.0:
                    continue
                missed[number] = 0.0
                added[number] += here * inverse[number]
                for k in range(width):
                    missed[successor[number, k]] += weight[number, k] * here
                    due[successor[number, k] // BLOCK] = True
    for number in range(places):
        count[order[number]] += added[number]
        arriving[order[number]] = missed[number]
    return not due.any()
