"""Planning on tables by textbook names: value iteration, policy iteration, policy evaluation, and `plan`, which picks.

    V*(s) = max_a Q*(s, a),   Q*(s, a) = sum_k P(k | s, a) (r(s, a, k) + gamma V*(s_k))

Undiscounted values may be -inf: no policy is proper there and every cycle costs something. Ties go to the first
action. Reference: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, chapter 4.

How likely a policy is to end, however long that takes, is a value as well:

    h(s) = sum_k P(k | s) h(s_k);   h = 1 where it surely ends, h = 0 where it cannot end

Reference: J. Kemeny, J. Snell, "Finite Markov Chains", 1960, theorem 3.3.7 (absorption probabilities).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.reachability import find_states_leading_to
from engine.mdp.termination import (
    find_almost_sure_policy,
    find_lost_states,
    find_proper_states,
    find_zero_cost_cycle_actions,
    find_zero_cost_cycle_states,
)
from engine.planning import kernels
from engine.planning.shortest_path import best_to_go, has_no_positive_step

if TYPE_CHECKING:
    from scipy import sparse

    from engine.planning.policy_evaluation import PolicyEvaluation


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
NOISE = 1e-12
MOST_IMPROVEMENTS = 50
CLOSE = 1e-3


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
    """An optimal solution by the method that fits the table: shortest paths, policy iteration or value iteration.

    mdp: any table. second: f64[S, A, K], a reward that breaks ties of undiscounted deterministic plans, collected on
    entering terminal states. Raises NoPlan where no finite optimum exists (an undiscounted cycle of positive reward).
    """
    if mdp.discount < 1.0:
        return policy_iteration(mdp)
    if mdp.is_deterministic:
        return dijkstra(mdp, second) if has_no_positive_step(mdp) else bellman_ford(mdp)
    return _find_limit(mdp, value_iteration(mdp))


def find_optimal_value(mdp: TabularMDP) -> Floats:
    """V*, f64[S], as `plan` finds it; in large tables without its actions, which cost more time and memory."""
    if mdp.discount == 1.0 and mdp.is_deterministic and has_no_positive_step(mdp):
        return best_to_go(mdp)[0]
    return plan(mdp).value


def dijkstra(mdp: TabularMDP, second: Floats | None = None) -> Solution:
    """Exact solution of an undiscounted deterministic table without positive steps, by Dijkstra's algorithm.

    second: as in `plan`. The algorithm is `engine.planning.shortest_path.reward_to_go`.
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


def bellman_ford(mdp: TabularMDP) -> Solution:
    """Exact solution of an undiscounted deterministic table with positive steps, by Bellman and Ford's algorithm.

    The best paths of at most n steps to a terminal state, for growing n. Raises NoPlan where a cycle has positive
    reward. The policy is proper: among equally good actions it takes one that leads to a terminal state, if any does.
    """
    zero_cost = find_zero_cost_cycle_states(mdp)
    value = np.where(mdp.terminal | zero_cost, 0.0, -np.inf)
    unit = find_reward_unit(mdp)
    order = np.arange(len(value))
    for _ in range(len(value) + 1):
        change = kernels.sweep(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, 1.0, value, order)
        if change <= TIE * max(unit, float(np.abs(value[np.isfinite(value)]).max(initial=0.0))):
            return _attach_proper_policy(mdp, _solve_greedily(mdp, value), zero_cost)
    raise NoPlan(
        "a cycle has positive reward",
        place="bellman_ford",
        remedy="use a discount below 1, or make cycles cost something",
    )


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


def _find_limit(mdp: TabularMDP, solution: Solution) -> Solution:
    """Return the limit of undiscounted value iteration, by policy iteration from where it stopped.

    The solution as it was where its policy does not end, or has other values than those that were found.
    """
    unit, policy = find_reward_unit(mdp), solution.policy
    finite = np.isfinite(solution.value)
    for _ in range(MOST_IMPROVEMENTS):
        try:
            value = evaluate_policy(mdp, policy)
        except NoPlan:
            return solution
        near = CLOSE * np.maximum(unit, np.abs(solution.value[finite]))
        if not (
            (np.isfinite(value) == finite).all() and (np.abs(value[finite] - solution.value[finite]) <= near).all()
        ):
            return solution
        action_value = action_values(mdp, np.where(finite, value, -np.inf))
        improved = np.zeros(len(value), dtype=np.bool_)
        gain = action_value[finite].max(axis=1) - value[finite]
        improved[finite] = gain > NOISE * np.maximum(unit, np.abs(value[finite]))
        if not improved.any():
            return Solution.of_available(mdp, np.where(finite, value, -np.inf), action_value, policy)
        policy = np.where(improved, action_value.argmax(axis=1), policy).astype(np.int32)
    return solution


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


def policy_iteration(mdp: TabularMDP, most_rounds: int = 10_000) -> Solution:
    """Howard's policy iteration with exact evaluation each round, for discounts below 1.

    most_rounds: before giving up. Raises BadValue for discount 1, NoPlan where policies do not converge.
    """
    if mdp.discount >= 1.0:
        raise BadValue("discount 1", place="policy_iteration", remedy="use plan() or value_iteration()")
    states = np.arange(len(mdp.terminal))
    policy = find_greedy_policy(action_values(mdp, np.zeros(len(states))), TIE, find_reward_unit(mdp))
    largest = mdp.expected(np.abs(mdp.reward)).max(axis=1)
    evaluation = _make_evaluation(mdp)
    for _ in range(most_rounds):
        value, _, size, *_ = evaluation.values(policy).T
        action_value = action_values(mdp, value)
        better = find_greedy_policy(action_value, 0.0, 0.0)
        gain = action_value[states, better] - action_value[states, policy]
        improved = gain > NOISE * np.maximum(size, largest)
        if not improved.any():
            return _solve_greedily(mdp, value)
        policy = np.where(improved, better, policy).astype(np.int32)
    raise NoPlan("the policies do not converge", place="policy_iteration", remedy="use value_iteration()")


def evaluate_policy(mdp: TabularMDP, policy: Policy) -> Floats:
    """Return the value function of a policy, f64[S].

    policy: int32[S], the action of each state.
    The method fits the table (`engine.planning.policy_evaluation`). Undiscounted: where the policy may cycle for
    ever the value is -inf if rewards there are never positive and sometimes negative, and so on by sign. Raises NoPlan
    where they are both.
    """
    states = np.arange(len(mdp.terminal))
    chance = mdp.probability[states, policy]
    expected = (chance * mdp.reward[states, policy]).sum(axis=1)
    if mdp.is_deterministic:
        target = mdp.next_state[states, policy, 0]
        return kernels.compute_deterministic_values(target, expected, mdp.terminal, mdp.discount)
    from engine.planning.policy_chain import PolicyChain
    from engine.planning.policy_evaluation import evaluate_chain

    transition = PolicyChain(mdp, policy).transitions
    value = np.zeros(len(states))
    if mdp.discount == 1.0:
        value = _find_endless_values(transition, expected, mdp.terminal)
    unknown = ~mdp.terminal & np.isnan(value) if mdp.discount == 1.0 else ~mdp.terminal
    found = evaluate_chain(replace(mdp, terminal=~unknown), policy, np.where(unknown, expected, 0.0)[:, None])[:, 0]
    return np.where(unknown, found, value)


def _make_evaluation(mdp: TabularMDP) -> PolicyEvaluation:
    """Evaluates policies for the one reward of a table, `values(policy)[:, 0]`."""
    from engine.planning.policy_evaluation import PolicyEvaluation

    size = mdp.expected(np.abs(mdp.reward))
    nothing = np.broadcast_to(np.float64(0.0), mdp.reward.shape)
    return PolicyEvaluation(mdp, nothing, np.stack([size, np.zeros_like(size)], axis=2))


def is_proper(mdp: TabularMDP, policy: Policy) -> bool:
    """Return whether a policy, int32[S], is proper from every start state."""
    return bool(find_proper_states(mdp, policy)[mdp.start_states()].all())


def _find_endless_values(transition: sparse.csr_matrix, expected: Floats, terminal: NDArray[np.bool_]) -> Floats:
    """Undiscounted values known unsolved: 0 in terminal states and zero-cost cycles, infinite before others; or nan."""
    from scipy.sparse import csgraph

    _, component = csgraph.connected_components(transition, directed=True, connection="strong")
    origin, target = transition.nonzero()
    leaves = np.zeros(component.max() + 1, dtype=np.bool_)
    leaves[component[origin[component[origin] != component[target]]]] = True
    closed = ~leaves[component]
    gains = np.bincount(component, expected > 0)[component] > 0
    costs = np.bincount(component, expected < 0)[component] > 0
    if (closed & gains & costs & ~terminal).any():
        problem = "a cycle with positive and negative rewards has no value"
        raise NoPlan(problem, place="evaluate_policy", remedy="use a discount below 1")
    value = np.full(len(expected), np.nan)
    for sign, cycle in ((np.inf, closed & gains & ~terminal), (-np.inf, closed & costs & ~terminal)):
        if cycle.any():
            value[find_states_leading_to(origin, target, cycle)] = sign
    value[terminal | (closed & ~gains & ~costs)] = 0.0
    return value


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
