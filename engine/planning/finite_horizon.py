"""A finite horizon: optimal plans by backward induction, what a policy collects and where it is within some steps.

    V_0 = 0,   Q_k(s, a) = sum over successors of P (r + gamma V_{k-1}),   V_k(s) = max_a Q_k(s, a)
    V_0 = 0,   V_k = r_pi + gamma P_pi V_{k-1};      d_0 = start,   d_k = d_{k-1} P_pi

The pairs of returns that policies reach are a convex polygon. Its upper right vertices are found from both ends:
between two known ones, the best policy for the weights that value them alike is a vertex beyond their chord, or there
is none.

Ties go to the first action. References: M. Puterman, "Markov Decision Processes", 1994, chapter 4; M. Eisner and D.
Severance, "Mathematical techniques for efficient record segmentation in large shared databases", JACM 23, 1976.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.dynamic_programming import TIE, Solution, action_values, find_greedy_policy, find_reward_unit


def plan_finite_horizon(mdp: TabularMDP, steps: int) -> Solution:
    """Return the optimal values and first actions with a number of steps left; with 0 steps every value is 0.

    steps: the horizon. Raises BadValue for a negative one.
    """
    _require_horizon(steps)
    value = np.zeros(len(mdp.terminal))
    action_value = np.zeros((len(value), len(mdp.actions)))
    for _ in range(steps):
        action_value = action_values(mdp, value)
        value = np.where(mdp.terminal, 0.0, action_value.max(axis=1))
    return Solution.of_available(mdp, value, action_value, find_greedy_policy(action_value, TIE, find_reward_unit(mdp)))


class HorizonPair(NamedTuple):
    """Two returns within a number of steps, from each start state: f64[start states].

    best: the most of the first. most, least: of the second, among the policies that earn the best.
    """

    best: Floats
    most: Floats
    least: Floats


def plan_finite_horizon_pair(mdp: TabularMDP, second: Floats, steps: int) -> HorizonPair:
    """Find the best return, and how much and how little of a second one the policies collect that reach it.

        V_k(s)    = max_a Q_k(s, a)
        most_k(s) = max over a with Q_k(s, a) = V_k(s) of sum_k P (second + gamma most_{k-1}),   least_k likewise

    second: f64[S, A, K], another reward. Policies may depend on the number of steps left. steps: the horizon. With k
    steps left only states are backed up that an episode may be in by then. Raises BadValue for a negative horizon.
    """
    _require_horizon(steps)
    extra, unit = mdp.complete(second), find_reward_unit(mdp)
    later, now = np.zeros((2, len(mdp.terminal), 3))
    for count in reversed(count_states_within(mdp, steps - 1) if steps else []):
        back_up_pair(
            mdp.next_state, mdp.probability, mdp.reward, extra, mdp.terminal, mdp.discount, TIE, unit, count, later, now
        )
        later, now = now, later
        if np.array_equal(later[:count], now[:count]):
            break  # more steps change nothing
    return HorizonPair(*later[mdp.start_states()].T)


class ReturnPair(NamedTuple):
    """The expected returns of one policy."""

    first: float
    second: float


def find_return_hull(mdp: TabularMDP, second: Floats, steps: int) -> tuple[ReturnPair, ...]:
    """Find the upper right vertices of the pairs of returns that policies reach within a number of steps.

    They fall in the first return and rise in the second, f64[S, A, K]; both are discounted means over start states.
    Policies may depend on the number of steps left and, by mixing, on a draw at the start. Raises BadValue for a
    negative horizon.
    """
    chance = mdp.start[mdp.start_states()]
    extra = mdp.complete(second)

    def average(values: Floats) -> float:
        return float(chance @ values)

    earning = plan_finite_horizon_pair(mdp, extra, steps)
    other = plan_finite_horizon_pair(mdp.with_reward(extra), mdp.reward, steps)
    right = ReturnPair(average(earning.best), average(earning.most))
    left = ReturnPair(average(other.most), average(other.best))
    spans = right.first - left.first, left.second - right.second
    if min(spans) <= TIE * (1.0 + sum(map(abs, (*left, *right)))):
        return (right,)  # one policy is best for both

    def find_between(low: ReturnPair, high: ReturnPair) -> list[ReturnPair]:
        across, up = (high.first - low.first) / spans[0], (low.second - high.second) / spans[1]
        weights = up / (across + up) / spans[0], across / (across + up) / spans[1]
        combined = mdp.with_reward(weights[0] * mdp.reward + weights[1] * extra)
        found = plan_finite_horizon_pair(combined, mdp.reward, steps)
        best, first = average(found.best), average(found.most)
        if best - weights[0] * low.first - weights[1] * low.second <= VERTEX * (1.0 + abs(best)):
            return []
        vertex = ReturnPair(first, (best - weights[0] * first) / weights[1])
        return [*find_between(vertex, high), vertex, *find_between(low, vertex)]

    return (right, *find_between(left, right), left)


VERTEX = 1e-8
"""The least height of a vertex above a chord, of the range of both returns."""


def count_states_within(mdp: TabularMDP, steps: int) -> list[int]:
    """Count the states up to the last one that can be reached within 0, 1, ... so many steps.

    States are numbered in the order in which they are reached, so that these are few more than those within reach.
    """
    counts, known = [int(mdp.start_states()[-1]) + 1], 0
    for _ in range(steps):
        last = counts[-1]
        if last == known or last == len(mdp.terminal):
            counts.append(last)
            continue
        reached = int(mdp.next_state[known:last].max()) + 1
        known = last
        counts.append(max(last, reached))
    return counts


@kernel(fills=1)
def back_up_pair(  # type: ignore[no-untyped-def]
    next_state, probability, reward, second, terminal, discount, tie, unit, count, later, now
):  # fmt: skip
    """Fill in the best return, and the most and the least of the second one then, f64[S, 3], of the first states.

    later: f64[S, 3], with one step less. tie: relative to the unit or to the best, within which returns are equal.
    """
    for state in range(count):
        here = now[state]
        here[0] = here[1] = here[2] = 0.0
        if terminal[state]:
            continue
        best = most = least = 0.0
        for search in range(2):  # for the best, then among what ties with it
            chosen = False
            for action in range(len(next_state[state])):
                total = more = less = 0.0
                for k in range(len(next_state[state][action])):
                    p = probability[state][action][k]
                    if p > 0.0:
                        after = later[next_state[state][action][k]]
                        total += p * (reward[state][action][k] + discount * after[0])
                        more += p * (second[state][action][k] + discount * after[1])
                        less += p * (second[state][action][k] + discount * after[2])
                if search == 0:
                    if not chosen or total > best:
                        best = total
                    chosen = True
                elif total >= best - tie * max(unit, abs(best)):
                    if not chosen or more > most:
                        most = more
                    if not chosen or less < least:
                        least = less
                    chosen = True
        here[0], here[1], here[2] = best, most, least


def _require_horizon(steps: int) -> None:
    if steps < 0:
        raise BadValue(f"a horizon of {steps} steps", remedy="look 0 or more steps ahead")


class Visits(NamedTuple):
    """acting: f64[S], the expected discounted number of steps taken in each state. end: f64[S], where it is at last."""

    acting: Floats
    end: Floats


def compute_limited_return(table: TabularMDP, policy: Policy, limit: int) -> Floats:
    """Return f64[S], what a policy is expected to collect in at most `limit` steps, from every state."""
    states = np.arange(len(policy))
    chance, target = table.probability[states, policy], table.next_state[states, policy]
    expected = (chance * table.reward[states, policy]).sum(axis=1)
    expected[table.terminal] = 0.0
    result = np.zeros(len(states))
    for _ in range(limit):
        longer = expected + table.discount * (chance * result[target]).sum(axis=1)
        if (longer == result).all():
            break
        result = longer
    return result


def count_visits_within(table: TabularMDP, policy: Policy, start: int, limit: int) -> Visits:
    """Return where a policy, int32[S], acts and ends in at most `limit` steps from a start state."""
    from engine.planning.policy_chain import PolicyChain  # scipy

    forward = PolicyChain(table, policy).transitions.T.tocsr()
    acting, weight = np.zeros(len(policy)), 1.0
    present = np.zeros(len(policy))
    present[start] = 1.0
    for _ in range(limit):
        moving = np.where(table.terminal, 0.0, present)
        if not moving.any():
            break
        acting += weight * moving
        present = np.where(table.terminal, present, 0.0) + forward @ moving
        weight *= table.discount
    return Visits(acting, present)


def compute_step_rewards(table: TabularMDP, policy: Policy, reward: Floats) -> Floats:
    """Return f64[S], the expected reward of a policy's next step, of a reward f64[S, A, K]; 0 in terminal states."""
    states = np.arange(len(policy))
    expected = (table.probability[states, policy] * reward[states, policy]).sum(axis=1)
    return np.asarray(np.where(table.terminal, 0.0, expected))
