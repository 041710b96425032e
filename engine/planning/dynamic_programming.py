"""Planning on tables by textbook names: value and policy iteration, Dijkstra, policy evaluation; `plan` picks one.

    V*(s) = max_a Q*(s, a),   Q*(s, a) = sum_k P(k | s, a) (r(s, a, k) + gamma V*(s_k))

Undiscounted returns need not end: `engine.planning.endless_returns` says what they are worth. `plan` finds optimal
values, `evaluate_policy` those of a policy; the others are the methods by their names. Ties go to the first action.
Reference: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, chapter 4.

How likely a policy is to end, however long that takes, is a value as well:

    h(s) = sum_k P(k | s) h(s_k);   h = 1 where it surely ends, h = 0 where it cannot end

Reference: J. Kemeny, J. Snell, "Finite Markov Chains", 1960, theorem 3.3.7 (absorption probabilities).

Undiscounted deterministic tables without positive steps have exact plans by Dijkstra's algorithm in O(S A log S):

    V(s) = max over paths from s of the sum of their rewards

Steps into terminal states may have any reward (a bonus for ending there). A path may also enter a cycle of reward 0 and
stay for ever: its return is then what it collected until it got there. Ties of the value are broken by a second
reward, collected on the step into a terminal state, and then by the lowest action that makes progress.
`reward_to_go` goes backward from the terminal states (a value for every state), `reward_to_arrive` forward from one
start (the best return with which every state can be entered). Reference: D. Bertsekas, "Dynamic Programming and
Optimal Control", volume 1, chapter 2 (there cost-to-go and cost-to-arrive). Both stay hand-written kernels: scipy's
Dijkstra knows neither the second reward nor steps into terminal states of positive reward, nor the order of arrival."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.mdp.reachability import (
    find_almost_sure_policy,
    find_lost_states,
    find_proper_states,
    find_zero_cost_cycle_actions,
    find_zero_cost_cycle_states,
    list_predecessors,
)
from engine.planning import kernels
from engine.planning.endless_returns import ZeroCostCycles, find_endless_optimum, find_endless_values, mean_of_values


def find_greedy_policy(action_value: Floats, tolerance: float, unit: float) -> Policy:
    """Return int32[S], the first action whose value is within a tolerance of the best, relative to it or to a unit.

    action_value: f64[S, A]. The first action where the best is infinite.
    """
    best = action_value.max(axis=1)
    with np.errstate(invalid="ignore"):
        least = best - tolerance * np.maximum(unit, np.abs(best))
    policy: Policy = np.argmax(action_value >= least[:, None], axis=1).astype(np.int32)
    return policy


TIE = 1e-9
EARNED = 100.0  # rounding errors that a policy may lose


@dataclass(frozen=True)
class Solution:
    """What a planner returns: values, action values and a policy that is greedy with respect to them.

    value: V, f64[S]. action_value: Q, f64[S, A], -inf for actions that are not available. policy: int32[S], terminal
    states have action 0.
    """

    value: Floats
    action_value: Floats
    policy: Policy

    @classmethod
    def of_available(cls, mdp: TabularMDP, value: Floats, action_value: Floats, policy: Policy) -> Solution:
        """Return a solution in which only available actions are taken and have a value."""
        if mdp.available is not None:
            action_value = np.where(mdp.available, action_value, -np.inf)
        return cls(value, action_value, mdp.executable(policy))


def plan(mdp: TabularMDP, second: Floats | None = None) -> Solution:
    """Return an optimal solution by the method that fits the table: shortest paths or policy iteration.

    mdp: any table. second: f64[S, A, K], a reward that breaks ties of undiscounted deterministic plans, collected on
    entering terminal states. Undiscounted values may be inf, -inf or nan (`engine.planning.endless_returns`); the
    policy earns them.
    """
    if mdp.discount == 1.0 and mdp.is_deterministic and has_no_positive_step(mdp):
        return dijkstra(mdp, second)
    return _plan_by_policies(mdp)


def find_optimal_value(mdp: TabularMDP) -> Floats:
    """V*, f64[S], as `plan` finds it; in large tables without its actions, which cost more time and memory."""
    if mdp.discount == 1.0 and mdp.is_deterministic and has_no_positive_step(mdp):
        return best_to_go(mdp)[0]
    return plan(mdp).value


def dijkstra(mdp: TabularMDP, second: Floats | None = None) -> Solution:
    """Exact solution of an undiscounted deterministic table without positive steps, by Dijkstra's algorithm.

    second: as in `plan`. The algorithm is `engine.planning.dynamic_programming.reward_to_go`.
    """
    target, reward = mdp.next_state[:, :, 0], mdp.reward[:, :, 0]
    value, extra, order = best_to_go(mdp, second)
    action_value = np.where(mdp.terminal[:, None], 0.0, reward + value.take(target))
    tight = (action_value == value[:, None]) & np.isfinite(value)[:, None]
    if second is not None:
        tight &= np.where(mdp.terminal[target], second[:, :, 0], extra[target]) == extra[:, None]
    progress = tight & (mdp.terminal.take(target) | (order.take(target) < order[:, None]))
    cycles = tight & (reward == 0.0)
    candidates = np.where(progress.any(axis=1)[:, None], progress, cycles)
    return Solution.of_available(mdp, value, action_value, candidates.argmax(axis=1).astype(np.int32))


def value_iteration(mdp: TabularMDP, tolerance: float = 1e-12, most_sweeps: int = 100_000) -> Solution:
    """Gauss-Seidel value iteration until no value moves by more than `tolerance` relative to the largest.

    tolerance: relative, above 0. most_sweeps: before giving up. Raises NoPlan where values do not converge, BadValue
    for a tolerance that is not positive.

    Undiscounted tables without positive steps: states from which no policy is proper or stays in a zero-cost cycle are
    -inf, and values rise from those of a policy that is or does; from above they could get stuck, since a zero-cost
    cycle sustains any value. Elsewhere values start at zero.
    """
    if tolerance <= 0:
        raise BadValue(f"tolerance {tolerance}", place="value_iteration", remedy="choose one above 0")
    value = np.zeros(len(mdp.terminal))
    zero_cost = np.zeros(len(value), dtype=np.bool_)
    if mdp.discount == 1.0 and has_no_positive_step(mdp):
        zero_cost = find_zero_cost_cycle_states(mdp)
        value = _evaluate_proper_policy(mdp, zero_cost)
    unit, order = find_reward_unit(mdp), np.arange(len(value))
    for done in range(most_sweeps):
        if done & (done - 1) == 0:  # now and then: states of high value first, which are near the end
            order = order[np.argsort(value[order], kind="stable")]
        change = kernels.sweep(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, mdp.discount, value, order)
        finite = value[np.isfinite(value)]
        if change <= tolerance * max(unit, float(np.abs(finite).max(initial=0.0))):
            solution = _solve_greedily(mdp, value)
            return _attach_proper_policy(mdp, solution, zero_cost) if zero_cost.any() else solution
    raise NoPlan(
        "the values do not converge",
        place="value_iteration",
        remedy="use a discount below 1, or make cycles cost something",
    )


def find_reward_unit(mdp: TabularMDP) -> float:
    """Return the largest reward of a possible step, relative to which small numbers are rounding; 1 where all are 0."""
    largest = float(np.abs(mdp.reward[(mdp.probability > 0) & ~mdp.terminal[:, None, None]]).max(initial=0.0))
    return largest or 1.0


def _evaluate_proper_policy(mdp: TabularMDP, zero_cost: Booleans) -> Floats:
    """Return the values of a policy that is proper, or leads into zero-cost cycles; -inf where none is or does."""
    everything = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    policy = find_almost_sure_policy(mdp, everything, mdp.terminal | zero_cost)
    lost = (policy < 0) & ~mdp.terminal & ~zero_cost
    cycling = find_zero_cost_cycle_actions(mdp, zero_cost).argmax(axis=1)
    value = evaluate_policy(mdp, np.where(policy < 0, cycling, policy).astype(np.int32))
    value[lost] = -np.inf
    return value


def policy_iteration(mdp: TabularMDP) -> Solution:
    """Howard's policy iteration, for discounts below 1. Raises BadValue for discount 1."""
    if mdp.discount >= 1.0:
        raise BadValue("discount 1", place="policy_iteration", remedy="use plan() or value_iteration()")
    return _plan_by_policies(mdp)


def _plan_by_policies(mdp: TabularMDP) -> Solution:
    """Policy iteration from a policy that surely ends or rests; what is not finite is settled before.

    The policy takes the first of tied actions in every state if it then earns the optimum, else those of them that lead
    on to an end.
    """
    from engine.planning.lexicographic import PairIteration  # scipy

    value, endless = np.zeros(len(mdp.terminal)), np.zeros(len(mdp.terminal), dtype=np.int32)
    if mdp.discount == 1.0:
        value, endless = find_endless_optimum(mdp)
    finite = np.isfinite(value)
    nothing = np.zeros(mdp.reward.shape)
    cycles = ZeroCostCycles(replace(mdp, terminal=mdp.terminal | np.isposinf(value)), nothing)
    search = PairIteration(cycles.own, cycles.auxiliary)
    best = search.best((1.0, 0.0), (0.0, 0.0))
    found = best.columns[: len(value), 0]
    tied = search.find_tied_actions(best, (1.0, 0.0))
    noise = EARNED * search.noise * best.size((1.0, 0.0))[: len(value)]
    for candidate in _list_candidates(cycles, tied, best.policy):
        policy = np.where(finite, candidate, endless).astype(np.int32)
        earned = _evaluate_as_stored(mdp, policy)
        with np.errstate(invalid="ignore"):
            agrees = bool((np.abs(earned - found) <= noise)[finite].all())
        if agrees:
            break
    if agrees or mdp.discount < 1.0:
        found = _add_what_the_discount_lacks(mdp, policy, earned)
    known = np.where(finite, found, 0.0)
    value = np.where(finite, found, value)
    action_value = mean_of_values(mdp, action_values(mdp, known), value)
    return Solution.of_available(mdp, value, action_value, policy)


def _list_candidates(cycles: ZeroCostCycles, tied: Booleans, policy: Policy) -> Iterator[Policy]:
    """Yield policies of the table itself: the first tied actions, tied ones that lead to an end, and the one found."""
    if not cycles.cyclic.any():
        yield tied.argmax(axis=1).astype(np.int32)
    towards = find_almost_sure_policy(cycles.own, tied, cycles.own.terminal)
    yield cycles.restore_policy(np.where(towards >= 0, towards, policy).astype(np.int32))
    yield cycles.restore_policy(policy)


def evaluate_policy(mdp: TabularMDP, policy: Policy) -> Floats:
    """Return the value function of a policy, f64[S].

    policy: int32[S], the action of each state.
    The method fits the table (`engine.planning.policy_evaluation`). Undiscounted values may be inf, -inf or nan, as
    `engine.planning.endless_returns` says. The discount is the fraction that was meant, .99999999 for example.
    """
    return _add_what_the_discount_lacks(mdp, policy, _evaluate_as_stored(mdp, policy))


def _add_what_the_discount_lacks(mdp: TabularMDP, policy: Policy, value: Floats) -> Floats:
    """Return the values of a policy at the discount that was meant, from those at the stored one."""
    states = np.arange(len(mdp.terminal))
    chain = mdp.next_state[states, policy], mdp.probability[states, policy], mdp.terminal, mdp.discount
    missing = kernels.find_missing_rewards(*chain, value[:, None])[:, 0]
    return value + _evaluate_rewards(mdp, policy, missing) if missing.any() else value


def _evaluate_as_stored(mdp: TabularMDP, policy: Policy) -> Floats:
    states = np.arange(len(mdp.terminal))
    expected = (mdp.probability[states, policy] * mdp.reward[states, policy]).sum(axis=1)
    return _evaluate_rewards(mdp, policy, expected)


def _evaluate_rewards(mdp: TabularMDP, policy: Policy, expected: Floats) -> Floats:
    """Return what the expected rewards of a policy's steps, f64[S], add up to."""
    states = np.arange(len(mdp.terminal))
    if mdp.is_deterministic:
        target = mdp.next_state[states, policy, 0]
        value = kernels.compute_deterministic_values(target, expected, mdp.terminal, mdp.discount)
        return np.where(np.isnan(value), find_endless_values(mdp, policy)[0], value) if np.isnan(value).any() else value
    from engine.planning.policy_evaluation import evaluate_chain

    value, known = np.zeros(len(states)), mdp.terminal
    if mdp.discount == 1.0:
        value, known = find_endless_values(mdp, policy)
    found = evaluate_chain(replace(mdp, terminal=known), policy, np.where(known, 0.0, expected)[:, None])[:, 0]
    return np.where(known, value, found)


def is_proper(mdp: TabularMDP, policy: Policy) -> bool:
    """Return whether a policy, int32[S], is proper from every start state."""
    return bool(find_proper_states(mdp, policy)[mdp.start_states()].all())


def _solve_greedily(mdp: TabularMDP, value: Floats) -> Solution:
    action_value = action_values(mdp, value)
    return Solution.of_available(mdp, value, action_value, find_greedy_policy(action_value, TIE, find_reward_unit(mdp)))


def _attach_proper_policy(mdp: TabularMDP, solution: Solution, zero_cost: NDArray[np.bool_]) -> Solution:
    """The same values with a policy that collects them: proper, or leading into zero-cost cycles that are as good.

    A step of reward 0 into a state of the same value is as good as any other by its value, and may never get there.
    """
    slack = TIE * np.maximum(find_reward_unit(mdp), np.abs(solution.value))
    with np.errstate(invalid="ignore"):
        tight = solution.action_value >= (solution.value - slack)[:, None]
    staying = zero_cost & (np.abs(solution.value) <= slack)
    policy = find_almost_sure_policy(mdp, tight, mdp.terminal | staying)
    policy = np.where(staying, find_zero_cost_cycle_actions(mdp, staying).argmax(axis=1), policy)
    return replace(solution, policy=mdp.executable(np.where(policy >= 0, policy, solution.policy).astype(np.int32)))


def action_values(mdp: TabularMDP, value: Floats) -> Floats:
    """Q: f64[S, A] from V: f64[S]; 0 in terminal states."""
    return np.asarray(
        kernels.action_values(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, mdp.discount, value)
    )


def compute_ending_probability(mdp: TabularMDP, policy: Policy, start: int) -> float:
    """Return the probability with which a policy, int32[S], ever reaches a terminal state from a state.

    Exactly 1 or 0 where it surely does or does not; nan where that takes too long to evaluate.
    """
    surely, never = find_proper_states(mdp, policy), find_lost_states(mdp, policy)
    if surely[start] or never[start]:
        return float(surely[start])
    reward = surely[mdp.next_state].astype(np.float64)
    table = replace(mdp, terminal=surely | never, reward=reward, discount=1.0)
    try:
        return min(1.0, float(evaluate_policy(table, policy)[start]))
    except NoPlan:
        return math.nan


def describe_ending(probability: float) -> str:
    """Describe how a policy ends, by its probability of ending; "" for a policy that surely ends."""
    if probability == 1.0:
        return ""
    return f"ends with probability {probability:.3g}" if probability else "never ends"


_NEVER = -np.inf


def has_no_positive_step(mdp: TabularMDP) -> bool:
    """Return whether no step between non-terminal states has a positive reward."""
    costs = mdp.reward <= 0.0
    if costs.all():
        return True
    between = (mdp.probability > 0) & ~mdp.terminal[:, None, None] & ~mdp.terminal[mdp.next_state]
    return bool(costs.all(where=between))


def best_to_go(mdp: TabularMDP, second: Floats | None = None) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return what `reward_to_go` finds in a table. second: f64[S, A, K], 0 by default."""
    reward = mdp.reward[:, :, 0]
    tie = np.zeros_like(reward) if second is None else second[:, :, 0]
    return reward_to_go(mdp.next_state[:, :, 0], reward, tie, mdp.terminal, find_zero_cost_cycle_states(mdp))


def reward_to_go(
    next_state: Integers, reward: Floats, second: Floats, terminal: Booleans, zero_cost: Booleans
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Best (return, second) to collect from every state, and the order in which states were settled.

    next_state int32[S, A], reward and second f64[S, A] (second only on steps into terminal states), terminal bool[S],
    zero_cost bool[S]: states of zero-cost cycles. Returns value f64[S], second value f64[S], order int64[S] (-1 where
    no path leads to a terminal state or such a cycle: value -inf).
    """
    value, extra = np.full((2, len(terminal)), _NEVER)
    order = np.full(len(terminal), -1, dtype=np.int64)
    steps = list_predecessors(next_state, terminal)
    settle_backward(*steps, next_state, reward, second, terminal, zero_cost, value, extra, order)
    return value, extra, order


@kernel(fills=3)
def settle_backward(  # type: ignore[no-untyped-def]
    offset, origin, by, next_state, reward, second, terminal, zero_cost, value, extra, order
):
    """What `reward_to_go` returns, -inf and -1 before. offset, origin, by: as `list_predecessors` lists steps."""
    heap = [(0.0, 0.0, 0) for _ in range(0)]
    for state in range(len(terminal)):
        if terminal[state]:
            value[state], extra[state], order[state] = 0.0, 0.0, 0
            continue
        if zero_cost[state]:
            value[state], extra[state] = 0.0, 0.0
        for action, target in enumerate(next_state[state]):
            if terminal[target]:
                pair = (reward[state][action], second[state][action])
                if pair > (value[state], extra[state]):
                    value[state], extra[state] = pair
        if value[state] > _NEVER:
            heapq.heappush(heap, (-value[state], -extra[state], state))
    settled = 0
    while len(heap) > 0:
        _, _, state = heapq.heappop(heap)
        if order[state] >= 0:
            continue
        settled += 1
        order[state] = settled
        here, there = value[state], extra[state]
        for edge in range(offset[state], offset[state + 1]):
            before = origin[edge] + 0  # int64, as on the heap
            if order[before] >= 0:
                continue
            pair = (here + reward[before][by[edge]], there)
            if pair > (value[before], extra[before]):
                value[before], extra[before] = pair
                heapq.heappush(heap, (-pair[0], -pair[1], before))


def reward_to_arrive(
    next_state: Integers, reward: Floats, terminal: Booleans, start: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Best return with which every state can be entered from `start` (-inf where it cannot): f64[S], order int64[S].

    next_state int32[S, A], reward f64[S, A], terminal bool[S].
    """
    best = np.full(len(terminal), _NEVER)
    order = np.full(len(terminal), -1, dtype=np.int64)
    settle_forward(next_state, reward, terminal, start, best, order)
    return best, order


@kernel(fills=2)
def settle_forward(next_state, reward, terminal, start, best, order):  # type: ignore[no-untyped-def]
    """What `reward_to_arrive` returns, -inf and -1 before."""
    heap = [(0.0, start + 0)]
    best[start] = 0.0
    settled = 0
    while len(heap) > 0:
        _, state = heapq.heappop(heap)
        if order[state] >= 0:
            continue
        settled += 1
        order[state] = settled
        if terminal[state]:
            continue
        here = best[state]
        for action, target in enumerate(next_state[state]):
            new = here + reward[state][action]
            if new > best[target]:
                best[target] = new
                if order[target] < 0:
                    heapq.heappush(heap, (-new, target + 0))
