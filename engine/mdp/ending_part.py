"""The part of an undiscounted world in which every policy that costs nothing ends.

What an agent can earn *before an episode ends* is a supremum over policies that end with probability 1 (proper ones).
Two things keep planners from it, since they compare all policies: states from which no policy ends, and sets of states
in which one may stay for ever at no cost. The first are left out, with all actions that may lead there. In the second
(end components of free actions) an agent can come from every state to every other for nothing, so they are worth the
same: whoever enters such a set begins at its first state, may leave there or go on to the next one, and so on to its
last state, which must be left. No policy can then go round for nothing, and what can be earned is the same as before.

Reference: L. de Alfaro, "Computing minimum and maximum reachability times in probabilistic systems", CONCUR 1999,
section 4; D. Bertsekas and H. Yu, "Stochastic shortest path problems under weak conditions", 2016.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.reachability import find_almost_sure_actions, find_end_components


@dataclass(frozen=True)
class EndingPart:
    """An undiscounted table without what keeps episodes from ending.

    table: the same states and actions; states from which no policy ends are terminal. second: a second reward,
    f64[S, A, K], as it is there. entry: int64[S], the state that stands for each one. ends: bool[S], from which states
    some policy ends with probability 1.
    """

    table: TabularMDP
    second: Floats
    entry: NDArray[np.int64]
    ends: Booleans


def keep_ending_part(mdp: TabularMDP, second: Floats) -> EndingPart:
    """Return the ending part of a table. second: f64[S, A, K], a reward that must be 0, too, where staying is free."""
    states = np.arange(len(mdp.terminal))
    allowed, left = find_almost_sure_actions(mdp, mdp.action_mask(states), mdp.terminal)
    ends = left >= 0
    allowed = allowed & (ends & ~mdp.terminal)[:, None]
    costs = ((mdp.reward != 0.0) | (second != 0.0)) & (mdp.probability > 0.0)
    component, staying = find_end_components(mdp, allowed & ~costs.any(axis=2))
    if ends.all() and not staying.any() and mdp.available is None:
        return EndingPart(mdp, second, states, ends)
    entry = states.copy()
    next_state, probability = mdp.next_state.copy(), mdp.probability.copy()
    reward, second = mdp.reward.copy(), np.array(second)
    onward = np.zeros_like(allowed)
    for number in np.unique(component[component >= 0]).tolist():
        members = np.flatnonzero(component == number)
        can_leave = (allowed & ~staying)[members].any(axis=1)
        chain = np.concatenate([members[~can_leave], members[can_leave]])
        entry[members] = chain[0]
        for state, following in zip(chain[:-1].tolist(), chain[1:].tolist(), strict=True):
            action = int(staying[state].argmax())
            onward[state, action] = True
            next_state[state, action], probability[state, action] = following, 0.0
            probability[state, action, 0] = 1.0
    next_state = np.where(onward[:, :, None], next_state, entry[next_state]).astype(mdp.next_state.dtype)
    lost = ~ends
    next_state[lost] = states[lost, None, None]
    reward[lost], second[lost] = 0.0, 0.0
    plain = replace(
        mdp,
        next_state=next_state,
        probability=probability,
        reward=reward,
        terminal=mdp.terminal | lost,
        available=None,
    )
    table = plain.with_available((allowed & ~staying) | onward)
    return EndingPart(table, table.complete(second), entry, ends)
