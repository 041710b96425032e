"""The best that the remembered steps of a deterministic table allow, and what was never tried at its initial value.

    Q(s, a) = r + gamma max_a' Q(s', a')   where (s, a) is remembered,     Q(s, a) = initial   where it is not

Updates one at a time reach the same values, but slowly: where every known way has turned out worse than was hoped,
values fall round a cycle by its cost a round. Solved as a whole, nothing has to fall. As long as `initial` is an upper
bound, so are these values; a policy that earns what they promise is therefore optimal.
Reference: R. Brafman, M. Tennenholtz, "R-max", 2002 (the optimistic model).
"""

from __future__ import annotations

import numpy as np

from engine.learning.q_learning_kernel import UNSEEN, StepMemory
from engine.mdp.mdp import Policy, TabularMDP
from engine.planning.dynamic_programming import (
    TIE,
    Solution,
    action_values,
    dijkstra,
    evaluate_policy,
    has_no_positive_step,
)

MOST_ROUNDS = 10_000


def optimistic_solution(mdp: TabularMDP, memory: StepMemory, initial: float) -> Solution:
    """Values f64[S], action values f64[S, A] and a policy that earns them, by the remembered steps.

    mdp: the table, of which only the remembered steps are read. initial: what an untried action is worth. Values are
    -inf where every action leads on for ever at a cost, inf where a cycle gains (undiscounted tables).
    """
    states, actions = memory.action_value.shape
    known = (memory.link != UNSEEN).reshape(states, actions) | mdp.terminal[:, None]
    target = np.full((states + 1, actions, 1), states, dtype=np.int32)
    target[:states, :, 0] = np.where(known, mdp.next_state[:, :, 0], states)
    reward = np.zeros(target.shape)
    untried = np.where(mdp.action_mask(slice(None)), initial, -np.inf)
    reward[:states, :, 0] = np.where(known, memory.reward.reshape(states, actions), untried)
    model = TabularMDP(
        states=range(states + 1),
        index={},
        actions=mdp.actions,
        next_state=target,
        probability=np.ones(target.shape),
        reward=reward,
        terminal=np.append(mdp.terminal, True),
        start=np.append(mdp.start, 0.0),
        discount=mdp.discount,
    )
    if mdp.discount == 1.0 and has_no_positive_step(model):
        solution = dijkstra(model)
    else:
        solution = _improved(model, np.append(memory.greedy, 0).astype(np.int32))
    action_value = np.where(mdp.action_mask(slice(None)), solution.action_value[:-1], -np.inf)
    return Solution(solution.value[:-1], action_value, mdp.executable(solution.policy[:-1]))


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
