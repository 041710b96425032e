"""The best that the remembered steps of a table allow, and what was not tried often enough at its initial value.

    Q(s, a) = sum_k n_k / n (r_k + gamma max_a' Q(s_k, a'))   where (s, a) was tried n >= m times,   else initial

with n_k the times that it led to s_k. m is 1 in a deterministic table, `KNOWN_AFTER` in a stochastic one.

Updates one at a time reach the same values, but slowly: where every known way has turned out worse than was hoped,
values fall round a cycle by its cost a round. Solved as a whole, nothing has to fall. As long as `initial` is an
upper bound, so are these values of a deterministic table; a policy that earns what they promise is therefore
optimal. Reference: R. Brafman, M. Tennenholtz, "R-max", 2002 (the optimistic model).

Undiscounted deterministic tables whose every step on the way costs something are solved by Dijkstra's algorithm in
one compiled loop (`settle_remembered`). The steps into a state are those of the learner's memory, so that no table
of them is made.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.compiling.kernel import kernel
from engine.learning.q_learning_kernels import KNOWN_AFTER, UNSEEN, StepMemory, find_seen_steps
from engine.mdp.mdp import Policy, TabularMDP
from engine.mdp.reachability import find_zero_cost_cycle_actions, find_zero_cost_cycle_states
from engine.planning.dynamic_programming import (
    TIE,
    Solution,
    action_values,
    dijkstra,
    evaluate_policy,
    has_no_positive_step,
    policy_iteration,
    value_iteration,
)


@kernel
def settle_remembered(  # type: ignore[no-untyped-def]
    table, terminal, available, memory, initial, value, order, action_value, policy
):
    """Fill in the best values f64[S], the order int64[S] in which they settle, Q f64[S, A] and the policy int32[S].

    table: a StepTable, memory: a StepMemory, as plain tuples. terminal: bool[S]. available: bool[S, A]. initial: what
    an action is worth that was not tried. value holds -inf and order -1 before.
    """
    following, reward, _, _ = table
    _, _, _, head, link, _, _, _, _ = memory
    states, actions = action_value.shape
    width = len(link) // states
    shift = 0
    while 1 << shift < width:
        shift += 1
    heap, place, waiting = np.empty(states, dtype=np.int64), np.empty(states, dtype=np.int64), np.int64(0)
    for state in range(states):
        if terminal[state]:
            value[state], order[state] = 0.0, 0
            continue
        for action in range(actions):
            pair = state << shift | action
            if link[pair] == UNSEEN:
                if available[state, action] and initial > value[state]:
                    value[state] = initial
            elif following[pair] < 0 and reward[pair] > value[state]:
                value[state] = reward[pair]
        if value[state] > -math.inf:
            _sift_up(state, waiting, value, heap, place)
            waiting += 1
    settled = 0
    while waiting > 0:
        state = heap[0]
        settled += 1
        order[state] = settled
        waiting -= 1
        hole, child = 0, 1
        while child < waiting:
            other, next_one = heap[child], heap[child + (child + 1 < waiting)]
            if value[next_one] > value[other] or (value[next_one] == value[other] and next_one < other):
                child, other = child + 1, next_one
            heap[hole], place[other] = other, hole
            hole, child = child, 2 * child + 1
        _sift_up(heap[waiting], hole, value, heap, place)
        step = np.int64(head[state])
        while step >= 0:
            before = int(step >> shift)
            if order[before] < 0 and value[state] + reward[step] > value[before]:
                is_new = value[before] == -math.inf
                value[before] = value[state] + reward[step]
                _sift_up(before, waiting if is_new else place[before], value, heap, place)
                waiting += is_new
            step = np.int64(link[step])
    for state in range(states):
        policy[state] = -1
        for action in range(actions):
            if not available[state, action]:
                action_value[state, action] = -math.inf
                continue
            pair = state << shift | action
            after = np.int64(following[pair])
            target = after ^ (after >> 63)
            seen = link[pair] != UNSEEN
            found = reward[pair] + value[target] if seen else initial + 0.0
            action_value[state, action] = 0.0 if terminal[state] else found
            nearer = after < 0 or not seen or order[target] < order[state]
            if policy[state] < 0 and found == value[state] and nearer and found > -math.inf and not terminal[state]:
                policy[state] = action
        if policy[state] < 0:
            policy[state] = 0


@kernel
def _sift_up(state, at, value, heap, place):  # type: ignore[no-untyped-def]
    """Move a state up in a heap, from place `at`, past those of a lower value, or of the same and a higher number.

    heap: int64[S], states; place: int64[S], where in it each of them is. numba's own heap takes longer to compile.
    """
    while at > 0:
        parent = (at - 1) >> 1
        other = heap[parent]
        if value[other] > value[state] or (value[other] == value[state] and other < state):
            break
        heap[at], place[other] = other, at
        at = parent
    heap[at], place[state] = state, at


@kernel
def take_over(found, only_lower, action_value, value, greedy):  # type: ignore[no-untyped-def]
    """Take over the finite ones of found action values f64[S, A]; with `only_lower`, none above those that are held.

    action_value f64[S, W], value f64[S] and greedy uint[S] are those of a StepMemory.
    """
    states, actions = found.shape
    for state in range(states):
        top, where = -math.inf, 0
        for action in range(actions):
            new, held = found[state, action], action_value[state, action]
            if math.isfinite(new) and (new < held or not only_lower):
                action_value[state, action] = held = new
            if held > top:
                top, where = held, action
        value[state], greedy[state] = top, where


MOST_ROUNDS = 10_000
TOLERANCE, MOST_SWEEPS = 1e-10, 10_000


def solve_optimistically(mdp: TabularMDP, memory: StepMemory, initial: float, policy: Policy | None = None) -> Solution:
    """Values f64[S], action values f64[S, A] and a policy that earns them, by the remembered steps.

    mdp: the table, of which only the remembered steps are read. initial: what an untried action is worth. policy:
    int32[S], which a deterministic table's best policy keeps to wherever nothing is better, such as a cycle that costs
    nothing where every way to an end does. Values are -inf where every
    action leads on for ever at a cost, inf where a cycle gains (undiscounted tables). Raises NoPlan for a stochastic,
    undiscounted table in which steps may gain for ever.
    """
    model = _build_model(mdp, memory, initial)
    if mdp.discount < 1.0 and not mdp.is_deterministic:
        solution = policy_iteration(model)
    elif not mdp.is_deterministic:
        solution = value_iteration(model, TOLERANCE, MOST_SWEEPS)
    elif policy is None and mdp.discount == 1.0 and has_no_positive_step(model):
        solution = dijkstra(model)
    else:
        begin = np.append(memory.greedy, 0) if policy is None else _stay_in_free_cycles(model, np.append(policy, 0))
        solution = _iterate_policy(model, begin.astype(np.int32))
    action_value = np.where(mdp.action_mask(slice(None)), solution.action_value[:-1], -np.inf)
    return Solution(solution.value[:-1], action_value, mdp.executable(solution.policy[:-1]))


def solve_by_shortest_paths(mdp: TabularMDP, table: tuple[Any, ...], memory: StepMemory, initial: float) -> Solution:
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
    """Whether `solve_by_shortest_paths` applies to a table, and every step on the way costs more than so much."""
    if not mdp.is_deterministic or mdp.discount < 1.0:
        return False
    last = mdp.terminal[:, None] | mdp.terminal.take(mdp.next_state[:, :, 0])
    return bool((last | (mdp.reward[:, :, 0] < -least_cost)).all())


def _build_model(mdp: TabularMDP, memory: StepMemory, initial: float) -> TabularMDP:
    """The remembered table, and one more state that ends: untried actions lead there and get their initial value."""
    shape = states, actions, slots = mdp.next_state.shape
    known, chance = mdp.terminal[:, None], mdp.probability
    if mdp.is_deterministic:
        known = known | find_seen_steps(memory, (states, actions))
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


def _stay_in_free_cycles(model: TabularMDP, policy: Policy) -> Policy:
    """Return a policy that stays in cycles of free steps wherever it would lose by leaving them (undiscounted tables).

    No improvement by one action finds these: an action that begins such a cycle is as good as the old way from there.
    """
    if model.discount < 1.0:
        return policy
    free = find_zero_cost_cycle_states(model)
    losing = free & (evaluate_policy(model, policy.astype(np.int32)) < 0.0)
    staying: Policy = np.where(losing, find_zero_cost_cycle_actions(model, free).argmax(axis=1), policy)
    return staying


def _iterate_policy(model: TabularMDP, policy: Policy) -> Solution:
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
