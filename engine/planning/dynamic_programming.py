"""Planning on tables by textbook names: value iteration, policy iteration, policy evaluation, and `plan`, which picks.

    V*(s) = max_a Q*(s, a),   Q*(s, a) = sum_k P(k | s, a) (r(s, a, k) + gamma V*(s_k))

Undiscounted values may be -inf: nobody can end there and every round costs something. Ties go to the first action.
Reference: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import spsolve

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.termination import approach, at_rest, ends, resting_actions
from engine.planning import kernels
from engine.planning.shortest_path import longest_walks

TIE = 1e-9
Policy = NDArray[np.int32]


@dataclass(frozen=True)
class Solution:
    """value: f64[S]. action_value: f64[S, A]. policy: int32[S], terminal states have action 0."""

    value: Floats
    action_value: Floats
    policy: Policy


def plan(mdp: TabularMDP, second: Floats | None = None) -> Solution:
    """An optimal solution by the method that fits the table: walks, policy iteration or value iteration.

    second: f64[S, A, K], a reward that breaks ties of undiscounted deterministic plans, paid on entering terminal
    states. Raises NoPlan where no finite optimum exists (an undiscounted loop that pays).
    """
    if mdp.discount < 1.0:
        return policy_iteration(mdp)
    if mdp.is_deterministic:
        return walk(mdp, second) if never_pays_on_the_way(mdp) else longest_walks_by_sweeps(mdp)
    return value_iteration(mdp)


def walk(mdp: TabularMDP, second: Floats | None = None) -> Solution:
    """Exact solution of an undiscounted deterministic table by Dijkstra's algorithm (`engine.planning.shortest_path`)."""
    target, reward = mdp.next_state[:, :, 0], mdp.reward[:, :, 0]
    tie = np.zeros_like(reward) if second is None else second[:, :, 0]
    value, extra, order = longest_walks(target, reward, tie, mdp.terminal, at_rest(mdp))
    action_value = action_values(mdp, value)
    tight = (reward + value[target] == value[:, None]) & np.isfinite(value)[:, None]
    tight &= np.where(mdp.terminal[target], tie, extra[target]) == extra[:, None]
    progress = tight & (mdp.terminal[target] | (order[target] < order[:, None]))
    loops = tight & (reward == 0.0)
    candidates = np.where(progress.any(axis=1)[:, None], progress, loops)
    return Solution(value, action_value, candidates.argmax(axis=1).astype(np.int32))


def longest_walks_by_sweeps(mdp: TabularMDP) -> Solution:
    """Exact solution of an undiscounted deterministic table whose steps may pay on the way (Bellman and Ford).

    The best walks of at most n steps that end, for growing n. Raises NoPlan where a loop pays. The policy makes
    progress: among equally good actions it takes one that is on the way to an end, where there is one.
    """
    resting = at_rest(mdp)
    value = np.where(mdp.terminal | resting, 0.0, -np.inf)
    for _ in range(len(value) + 1):
        change = kernels.sweep(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, 1.0, value)
        if change <= TIE * max(1.0, float(np.abs(value[np.isfinite(value)]).max(initial=0.0))):
            return _without_dawdling(mdp, _greedy_solution(mdp, value), resting)
    raise NoPlan("a loop pays", place="longest walks", remedy="use a discount below 1, or make loops cost something")


def value_iteration(mdp: TabularMDP, tolerance: float = 1e-12, most_sweeps: int = 100_000) -> Solution:
    """Gauss-Seidel value iteration until no value moves by more than `tolerance` relative to the largest.

    Undiscounted, where no step on the way pays: states from which no policy surely ends or comes to rest (stays for
    ever at no cost) are -inf, and values rise from those of a policy that does; from above they could get stuck, since
    a free loop sustains any value. Elsewhere values start at zero. Raises NoPlan where they do not settle.
    """
    if tolerance <= 0:
        raise BadValue(f"tolerance {tolerance}", place="value_iteration", remedy="choose one above 0")
    value = np.zeros(len(mdp.terminal))
    resting = np.zeros(len(value), dtype=np.bool_)
    if mdp.discount == 1.0 and never_pays_on_the_way(mdp):
        resting = at_rest(mdp)
        value = _least_values(mdp, resting)
    for _ in range(most_sweeps):
        change = kernels.sweep(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, mdp.discount, value)
        finite = value[np.isfinite(value)]
        if change <= tolerance * max(1.0, float(np.abs(finite).max(initial=0.0))):
            solution = _greedy_solution(mdp, value)
            return _without_dawdling(mdp, solution, resting) if resting.any() else solution
    raise NoPlan(
        "the values do not settle",
        place="value_iteration",
        remedy="use a discount below 1, or make loops cost something",
    )


def _least_values(mdp: TabularMDP, resting: Booleans) -> Floats:
    """The values of a policy that goes where it ends or rests, and rests where it can; -inf where it cannot."""
    everything = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    policy = approach(mdp, everything, mdp.terminal | resting)
    lost = (policy < 0) & ~mdp.terminal & ~resting
    rest = resting_actions(mdp, resting).argmax(axis=1)
    value = evaluate_policy(mdp, np.where(policy < 0, rest, policy).astype(np.int32))
    value[lost] = -np.inf
    return value


def policy_iteration(mdp: TabularMDP, most_rounds: int = 10_000) -> Solution:
    """Howard's policy iteration, exact evaluation each round; needs a discount below 1."""
    if mdp.discount >= 1.0:
        raise BadValue("discount 1", place="policy_iteration", remedy="use plan() or value_iteration()")
    states = np.arange(len(mdp.terminal))
    policy = kernels.greedy(action_values(mdp, np.zeros(len(states))), TIE)
    for _ in range(most_rounds):
        value = evaluate_policy(mdp, policy)
        action_value = action_values(mdp, value)
        better = kernels.greedy(action_value, 0.0)
        gain = action_value[states, better] - action_value[states, policy]
        improved = gain > TIE * np.maximum(1.0, np.abs(value))
        if not improved.any():
            return _greedy_solution(mdp, value)
        policy = np.where(improved, better, policy).astype(np.int32)
    raise NoPlan("the policies do not settle", place="policy_iteration")


def evaluate_policy(mdp: TabularMDP, policy: Policy) -> Floats:
    """V of a policy, f64[S]; policy: int32[S].

    Deterministic tables in linear time, others by a sparse linear system. Undiscounted: where the policy may loop for
    ever the value is -inf if what it pays there is never positive and sometimes negative, and so on by sign.
    """
    states = np.arange(len(mdp.terminal))
    chance = mdp.probability[states, policy]
    expected = (chance * mdp.reward[states, policy]).sum(axis=1)
    if mdp.is_deterministic:
        target = mdp.next_state[states, policy, 0]
        return np.asarray(kernels.evaluate_deterministic(target, expected, mdp.terminal, mdp.discount))
    columns = mdp.next_state[states, policy]
    rows = np.broadcast_to(states[:, None], columns.shape)
    shape = (len(states), len(states))
    transition = sparse.csr_matrix((chance.ravel(), (rows.ravel(), columns.ravel())), shape=shape)
    transition.eliminate_zeros()  # unused successors are no steps
    value = np.zeros(len(states))
    if mdp.discount == 1.0:
        value = _endless_values(transition, expected, mdp.terminal)
    inside = np.flatnonzero(~mdp.terminal & np.isnan(value) if mdp.discount == 1.0 else ~mdp.terminal)
    if len(inside):
        system = sparse.identity(len(inside), format="csc") - mdp.discount * transition[inside][:, inside].tocsc()
        value[inside] = np.atleast_1d(spsolve(system, expected[inside]))
    return value


def is_terminating(mdp: TabularMDP, policy: Policy) -> bool:
    """Whether the policy ends surely from every start state."""
    return bool(ends(mdp, policy)[mdp.start_numbers()].all())


def _endless_values(transition: sparse.csr_matrix, expected: Floats, terminal: NDArray[np.bool_]) -> Floats:
    """Undiscounted values known unsolved: 0 in ends and free loops, infinite before loops that pay; else nan."""
    _, component = csgraph.connected_components(transition, directed=True, connection="strong")
    origin, target = transition.nonzero()
    leaves = np.zeros(component.max() + 1, dtype=np.bool_)
    leaves[component[origin[component[origin] != component[target]]]] = True
    closed = ~leaves[component]
    pays = np.bincount(component, expected > 0)[component] > 0
    costs = np.bincount(component, expected < 0)[component] > 0
    if (closed & pays & costs & ~terminal).any():
        raise NoPlan("an endless policy that both pays and costs has no value", place="evaluate_policy")
    value = np.full(len(expected), np.nan)
    for sign, loop in ((np.inf, closed & pays & ~terminal), (-np.inf, closed & costs & ~terminal)):
        if loop.any():
            value[_leading_into(transition, loop)] = sign
    value[terminal | (closed & ~pays & ~costs)] = 0.0
    return value


def _leading_into(transition: sparse.csr_matrix, goal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[S]: the goal states and all from which they may be reached."""
    inside = goal.copy()
    backward = (transition > 0).astype(np.int64)
    while True:
        grown = inside | (backward @ inside.astype(np.int64) > 0)
        if (grown == inside).all():
            return inside
        inside = grown


def _greedy_solution(mdp: TabularMDP, value: Floats) -> Solution:
    action_value = action_values(mdp, value)
    return Solution(value, action_value, kernels.greedy(action_value, TIE))


def _without_dawdling(mdp: TabularMDP, solution: Solution, resting: NDArray[np.bool_]) -> Solution:
    """The same values with a policy that collects them: of equally good actions those that lead to an end or to rest.

    A step that costs nothing and leads to where the value is the same looks as good as any, and for ever.
    """
    slack = TIE * np.maximum(1.0, np.abs(solution.value))
    with np.errstate(invalid="ignore"):
        tight = solution.action_value >= (solution.value - slack)[:, None]
    rest = resting & (np.abs(solution.value) <= slack)
    policy = approach(mdp, tight, mdp.terminal | rest)
    policy = np.where(rest, resting_actions(mdp, rest).argmax(axis=1), policy)
    return replace(solution, policy=np.where(policy >= 0, policy, solution.policy).astype(np.int32))


def action_values(mdp: TabularMDP, value: Floats) -> Floats:
    """Q: f64[S, A] from V: f64[S]; 0 in terminal states."""
    return np.asarray(
        kernels.action_values(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, mdp.discount, value)
    )


def _on_the_way(mdp: TabularMDP) -> NDArray[np.bool_]:
    """bool[S, A, K]: possible steps from a non-terminal state to a non-terminal state."""
    return (mdp.probability > 0) & ~mdp.terminal[:, None, None] & ~mdp.terminal[mdp.next_state]


def never_pays_on_the_way(mdp: TabularMDP) -> bool:
    """Whether no step between non-terminal states has a positive reward."""
    return bool((mdp.reward <= 0.0).all(where=_on_the_way(mdp)))
