"""The best that the remembered steps of a table allow, and what was not tried often enough at its initial value.

    Q(s, a) = sum_k n_k / n (r_k + gamma max_a' Q(s_k, a'))   where (s, a) was tried n >= m times,   else initial

with n_k the times that it led to s_k. m is 1 in a deterministic table, `KNOWN_AFTER` in a stochastic one.

Updates one at a time reach the same values, but slowly: where every known way has turned out worse than was hoped,
values fall round a cycle by its cost a round. Solved as a whole, nothing has to fall. As long as `initial` is an upper
bound, so are these values of a deterministic table; a policy that earns what they promise is therefore optimal.
Reference: R. Brafman, M. Tennenholtz, "R-max", 2002 (the optimistic model).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.learning.remembered_paths import settle_remembered
from engine.learning.step_memory import KNOWN_AFTER, StepMemory, seen_steps
from engine.mdp.mdp import Policy, TabularMDP
from engine.mdp.termination import zero_cost_cycle_actions, zero_cost_cycle_states
from engine.planning.dynamic_programming import (
    TIE,
    Solution,
    action_values,
    dijkstra,
    evaluate_policy,
    policy_iteration,
    value_iteration,
)
from engine.planning.shortest_path import has_no_positive_step

MOST_ROUNDS = 10_000
TOLERANCE, MOST_SWEEPS = 1e-10, 10_000


def optimistic_solution(mdp: TabularMDP, memory: StepMemory, initial: float, policy: Policy | None = None) -> Solution:
    """Values f64[S], action values f64[S, A] and a policy that earns them, by the remembered steps.

    mdp: the table, of which only the remembered steps are read. initial: what an untried action is worth. policy:
    int32[S], which a deterministic table's best policy keeps to wherever nothing is better, such as a cycle that costs
    nothing where every way to an end does. Values are -inf where every
    action leads on for ever at a cost, inf where a cycle gains (undiscounted tables). Raises NoPlan for a stochastic,
    undiscounted table in which steps may gain for ever.
    """
    model = _model(mdp, memory, initial)
    if mdp.discount < 1.0 and not mdp.is_deterministic:
        solution = policy_iteration(model)
    elif not mdp.is_deterministic:
        solution = value_iteration(model, TOLERANCE, MOST_SWEEPS)
    elif policy is None and mdp.discount == 1.0 and has_no_positive_step(model):
        solution = dijkstra(model)
    else:
        begin = np.append(memory.greedy, 0) if policy is None else _staying(model, np.append(policy, 0))
        solution = _improved(model, begin.astype(np.int32))
    action_value = np.where(mdp.action_mask(slice(None)), solution.action_value[:-1], -np.inf)
    return Solution(solution.value[:-1], action_value, mdp.executable(solution.policy[:-1]))


def shortest_paths(mdp: TabularMDP, table: tuple[Any, ...], memory: StepMemory, initial: float) -> Solution:
    """The same to the bit, faster, for an undiscounted deterministic table whose every step on the way has a cost.

    table: a StepTable of mdp for that memory, as a plain tuple.
    """
    states, actions = mdp.next_state.shape[:2]
    value, order = np.full(states, -np.inf), np.full(states, -1, dtype=np.int64)
    action_value, policy = np.empty((states, actions)), np.empty(states, dtype=np.int32)
    given = (table, mdp.terminal, mdp.action_mask(np.arange(states)), tuple(memory), float(initial))
    settle_remembered(*given, value, order, action_value, policy)
    return Solution(value, action_value, mdp.executable(policy))


def has_shortest_paths(mdp: TabularMDP, least_cost: float = 0.0) -> bool:
    """Whether `shortest_paths` applies to a table, and every step on the way costs more than so much."""
    if not mdp.is_deterministic or mdp.discount < 1.0:
        return False
    last = mdp.terminal[:, None] | mdp.terminal.take(mdp.next_state[:, :, 0])
    return bool((last | (mdp.reward[:, :, 0] < -least_cost)).all())


def _model(mdp: TabularMDP, memory: StepMemory, initial: float) -> TabularMDP:
    """The remembered table, and one more state that ends: untried actions lead there and get their initial value."""
    shape = states, actions, slots = mdp.next_state.shape
    known, chance = mdp.terminal[:, None], mdp.probability
    if mdp.is_deterministic:
        known = known | seen_steps(memory, (states, actions))
    else:
        counts = memory.counts.reshape(shape)
        tried = counts.sum(axis=2)
        chance = np.where(known[:, :, None], chance, counts / np.maximum(tried, 1)[:, :, None])
        known = known | (tried >= KNOWN_AFTER)
    first = np.zeros(slots)
    first[0] = 1.0
    remembered = known[:, :, None]
    target = np.full((states + 1, actions, slots), states, dtype=np.int32)
    reward = np.zeros(target.shape)
    target[:states] = np.where(remembered, mdp.next_state, np.int32(states))
    reward[:states] = np.where(remembered, mdp.reward, initial * first)
    probability = np.broadcast_to(first, target.shape)
    if not mdp.is_deterministic:
        probability = np.concatenate([np.where(remembered, chance, first), probability[:1]])
    model = TabularMDP(
        states=range(states + 1),
        index={},
        actions=mdp.actions,
        next_state=target,
        probability=probability,
        reward=reward,
        terminal=np.append(mdp.terminal, True),
        start=np.append(mdp.start, 0.0),
        discount=mdp.discount,
    )
    return model if mdp.available is None else model.with_available(np.append(mdp.available, mdp.available[:1], axis=0))


def _staying(model: TabularMDP, policy: Policy) -> Policy:
    """A policy that stays in cycles of free steps wherever it would lose by leaving them (undiscounted tables).

    No improvement by one action finds these: an action that begins such a cycle is as good as the old way from there.
    """
    if model.discount < 1.0:
        return policy
    free = zero_cost_cycle_states(model)
    losing = free & (evaluate_policy(model, policy.astype(np.int32)) < 0.0)
    staying: Policy = np.where(losing, zero_cost_cycle_actions(model, free).argmax(axis=1), policy)
    return staying


def _improved(model: TabularMDP, policy: Policy) -> Solution:
    """Policy iteration from a policy; values may be infinite. A strict improvement closes only cycles that gain."""
    states = np.arange(len(policy))
    for _ in range(MOST_ROUNDS):
        value = evaluate_policy(model, policy)
        action_value = action_values(model, value)
        better = action_value.argmax(axis=1)
        margin = np.where(np.isfinite(value), TIE * np.maximum(1.0, np.abs(value)), 0.0)
        improved = action_value[states, better] > value + margin
        improved &= ~model.terminal
        if not improved.any():
            break
        policy = np.where(improved, better, policy).astype(np.int32)
    return Solution(value, action_value, policy)
