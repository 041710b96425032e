"""What a return is worth that does not end: the one meaning that every planner, certificate and table here has.

With a discount below 1 every return is finite. Undiscounted, a stationary policy ends in a terminal state, or comes to
a class of states that it never leaves (a recurrent class), each with some probability. Let g be the average reward of a
step in such a class. There

    rewards are all 0           the episode rests: it has collected all that it ever will
    g < 0                       a loss for ever
    g > 0                       a gain for ever
    g = 0, rewards are not      sums go to and fro for ever and have no limit

and the value of the policy, the first of these that applies, is

    -inf        where it may lose for ever, whatever else may happen
    inf         where it may gain for ever
    undefined   where it may go to and fro for ever (nan)
    finite      where it surely ends or rests: the expected sum of its rewards

The optimum of a state is the best value of all stationary policies: inf before a number before undefined before -inf.
So no plan risks a loss for ever, however much it may gain, and to rest counts as an end. Where a reward has a
coefficient, this holds for each coefficient by itself, but what rests must have no reward of either kind.

How it is found: a set of states in which one can stay (an end component) gains for ever if its best average reward is
positive. Policy iteration finds that out if each state gets a free way out. The rest is a matter of the graph: what
surely leads to an end, to rest or to a gain. Where the optimum is finite no cycle gains, and policy iteration from a
policy that surely ends finds the best.

Choices: infinity minus infinity is -inf, the worse of both, as in Bertsekas and Shreve. Policies are stationary: one
that stops a fair game when it is ahead could earn any amount. Rewards of both signs that cancel on average are
undefined: the limit of discounted returns would give them a number that no episode collects. Where rewards are sums
that were rounded (numbers of full length), an average below 10^-15 of the rewards counts as 0.

References: M. Puterman, "Markov Decision Processes", 1994, chapter 7 (positive, negative and general models);
D. Bertsekas, S. Shreve, "Stochastic Optimal Control", 1978, section 7.4; D. Bertsekas, "Dynamic Programming and Optimal
Control", volume 2, chapter 3 (shortest paths, improper policies); L. de Alfaro, "Formal verification of probabilistic
systems", 1997, chapter 3 (end components).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.reachability import (
    count_allowed_steps,
    find_almost_sure_policy,
    find_end_components,
    find_states_leading_to,
    find_zero_cost_cycle_actions,
    find_zero_cost_cycle_states,
)

Number = TypeVar("Number", np.int32, np.float64)


class ZeroCostCycles:
    """A table with one more action, "cycle", into one more terminal state, where a zero-cost cycle can be entered.

    own: the table with its reward. auxiliary: f64[S, A, K], a second reward that must be 0 there too. `own` and
    `auxiliary` are the enlarged ones; the same objects where there is no such cycle.
    """

    def __init__(self, own: TabularMDP, auxiliary: Floats) -> None:
        self.original = own
        self.cyclic = np.zeros(len(own.terminal), dtype=np.bool_)
        if own.discount == 1.0:
            self.cyclic = find_zero_cost_cycle_states(own, auxiliary)
        self.own, self.auxiliary = own, auxiliary
        if not self.cyclic.any():
            return
        self.cycle_action = find_zero_cost_cycle_actions(own, self.cyclic, auxiliary).argmax(axis=1)
        self.own = replace(
            own,
            actions=(*own.actions, "cycle"),
            next_state=self.enlarge(own.next_state, len(own.terminal)),
            probability=self.enlarge(own.probability, 1.0),
            reward=self.enlarge(own.reward, 0.0),
            terminal=np.append(own.terminal, True),
            start=np.append(own.start, 0.0),
        )
        self.auxiliary = self.enlarge(auxiliary, 0.0)

    def enlarge(self, array: NDArray[Number], beyond: float) -> NDArray[Number]:
        """Return an array [S, A, K] with one action and one state more, as it is where there is no such cycle.

        beyond: what the action has in its first slot in zero-cost cycles.
        """
        if not self.cyclic.any():
            return array
        grown: NDArray[Number] = np.concatenate([array, array[:, :1]], axis=1)
        grown[self.cyclic, -1] = 0
        grown[self.cyclic, -1, 0] = beyond
        last = np.zeros((1, *grown.shape[1:]), dtype=grown.dtype)
        last[:, :, 0] = beyond
        return np.concatenate([grown, last])

    def restore_policy(self, policy: Policy) -> Policy:
        """Return a policy in the table as it was: wherever it rests it stays in a cycle, all round."""
        if not self.cyclic.any():
            return policy
        cycles = policy[:-1] == len(self.original.actions)
        if cycles.any():
            states = np.arange(len(cycles))
            possible = self.original.probability[np.arange(len(cycles)), self.cycle_action] > 0
            target = self.original.next_state[states, self.cycle_action]
            while not cycles[target[cycles][possible[cycles]]].all():
                cycles[target[cycles][possible[cycles]]] = True
        return np.where(cycles, self.cycle_action, policy[:-1]).astype(np.int32)


class EndlessOptimum(NamedTuple):
    """Where the optimum of an undiscounted table is not finite: inf, -inf or nan; 0 elsewhere, f64[S].

    policy: int32[S], one that is best there; elsewhere one that surely ends or rests.
    """

    value: Floats
    policy: Policy

    @property
    def is_finite(self) -> Booleans:
        """bool[S], where it is."""
        return np.isfinite(self.value)


class GainingComponents(NamedTuple):
    """End components that gain for ever, and those in which sums may go to and fro, bool[S] each.

    policy: int32[S], one that does so.
    """

    gains: Booleans
    breaks_even: Booleans
    policy: Policy


def find_endless_optimum(mdp: TabularMDP, components: GainingComponents | None = None) -> EndlessOptimum:
    """Return where the optimum of an undiscounted table is not finite, and a policy for it.

    components: what gains or goes to and fro, where it is known.
    """
    everything = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
    gains, breaks_even, staying = components or find_gaining_components(mdp)
    resting = find_zero_cost_cycle_states(mdp)
    ends = mdp.terminal | resting
    towards = find_almost_sure_policy(mdp, everything, ends)
    finite = ends | (towards >= 0)
    policy = np.where(resting, find_zero_cost_cycle_actions(mdp, resting).argmax(axis=1), np.maximum(towards, 0))
    value = np.where(finite, 0.0, -np.inf)
    if gains.any() or breaks_even.any():
        goal = ends | gains | breaks_even
        towards = find_almost_sure_policy(mdp, everything, goal)
        safe = goal | (towards >= 0)
        policy = np.where(finite, policy, np.where(breaks_even, staying, np.maximum(towards, 0)))
        value[safe & ~finite] = np.nan
        entering = find_entering_policy(mdp, gains, safe)
        infinite = gains | (entering >= 0)
        policy = np.where(gains, staying, np.where(infinite, entering, policy))
        value[infinite] = np.inf
    return EndlessOptimum(value, policy.astype(np.int32))


def find_entering_policy(mdp: TabularMDP, goal: Booleans, safe: Booleans) -> Policy:
    """Return int32[S], actions that may lead nearer to a goal and surely stay in safe states; else -1."""
    possible = mdp.probability > 0
    allowed = (safe[mdp.next_state] | ~possible).all(axis=2) & ~mdp.terminal[:, None]
    left = count_allowed_steps(mdp, allowed, goal)
    nearer = allowed & ((left[mdp.next_state] == left[:, None, None] - 1) & possible).any(axis=2) & (left > 0)[:, None]
    return np.where(nearer.any(axis=1), nearer.argmax(axis=1), -1).astype(np.int32)


def find_gaining_components(mdp: TabularMDP) -> GainingComponents:
    """Return the end components of an undiscounted table that gain for ever or go to and fro."""
    from engine.planning.lexicographic import EndlessGain, PairIteration  # scipy

    count = len(mdp.terminal)
    gains, breaks_even = np.zeros((2, count), dtype=np.bool_)
    policy: Policy = np.zeros(count, dtype=np.int32)
    positive = ((mdp.reward > 0.0) & (mdp.probability > 0)).any(axis=2) & ~mdp.terminal[:, None]
    if not positive.any():
        return GainingComponents(gains, breaks_even, policy)
    component, staying = find_end_components(mdp, np.ones(positive.shape, dtype=np.bool_))
    waiting = np.isin(component, component[(positive & staying).any(axis=1)]) & (component >= 0)
    while waiting.any():
        table = add_ways_out(mdp, staying & waiting[:, None])
        search = PairIteration(table, np.zeros(table.reward.shape))
        try:
            values = search.best((1.0, 0.0), (0.0, 0.0))
        except EndlessGain as cycle:
            inside = component == component[cycle.states[0]]
            core = np.isin(np.arange(count), cycle.states)
            towards = find_almost_sure_policy(mdp, staying & inside[:, None], core)
            policy = np.where(core, cycle.policy[:-1], np.where(inside, towards, policy)).astype(np.int32)
            gains, waiting = gains | inside, waiting & ~inside
            continue
        known = staying & waiting[:, None]
        component, staying = find_end_components(mdp, search.find_tied_actions(values, (1.0, 0.0))[:-1, :-1] & known)
        waiting = component >= 0
        if (staying == known).all():  # else what is left is looked at alone: beside large values small losses are 0
            breaks_even = waiting
            policy = np.where(breaks_even, staying.argmax(axis=1), policy).astype(np.int32)
            break
    return GainingComponents(gains, breaks_even, policy)


def add_ways_out(mdp: TabularMDP, staying: Booleans) -> TabularMDP:
    """Return a table of some actions alone, bool[S, A], in which each state has one more that ends at no reward.

    All other actions do the same as that one, and states without any of them are terminal. The end is one more state.
    """
    end = len(mdp.terminal)
    return replace(
        mdp,
        actions=(*mdp.actions, "leave"),
        next_state=_add_action(mdp.next_state, staying, end),
        probability=_add_action(mdp.probability, staying, 1.0),
        reward=_add_action(mdp.reward, staying, 0.0),
        terminal=np.append(~staying.any(axis=1), True),
        start=np.append(mdp.start, 0.0),
        available=None,
    )


def _add_action(array: NDArray[Number], kept: Booleans, beyond: float) -> NDArray[Number]:
    """Return an array [S, A, K] with one more action and state; `beyond` is in the first slot of what is not kept."""
    states, actions, slots = array.shape
    grown = np.zeros((states + 1, actions + 1, slots), dtype=array.dtype)
    grown[:states, :actions] = np.where(kept[:, :, None], array, 0)
    grown[:, :, 0][~np.pad(kept, ((0, 1), (0, 1)))] = beyond
    return grown


def find_endless_values(mdp: TabularMDP, policy: Policy) -> tuple[Floats, Booleans]:
    """Return what an undiscounted policy, int32[S], earns where that is known unsolved, and where it is, [S] both.

    That is 0 where it has ended or rests, and inf, -inf or nan where it may gain, lose, or go to and fro for ever.
    """
    from engine.planning.policy_chain import PolicyChain  # scipy

    chain = PolicyChain(mdp, policy)
    value = np.zeros(len(policy))
    known = np.array(mdp.terminal)
    sums = np.zeros((3, len(policy)), dtype=np.bool_)  # may lose, gain, go to and fro
    for members in chain.endless_classes():
        known[members] = True
        kind = chain.judge_class(members)
        if kind is not None:
            sums[kind, members] = True
    for what, goal in zip((np.nan, np.inf, -np.inf), sums[[2, 1, 0]], strict=True):
        if goal.any():
            leading = find_states_entering(mdp, policy, goal)
            value[leading], known[leading] = what, True
    return value, known


def mean_of_values(mdp: TabularMDP, action_value: Floats, value: Floats) -> Floats:
    """Return action values f64[S, A] in which what may come for ever outweighs what is finite.

    action_value: where the values, f64[S], that are not finite count as 0.
    """
    possible = (mdp.probability > 0) & ~mdp.terminal[:, None, None]
    result = action_value
    for what, marked in ((np.nan, np.isnan(value)), (np.inf, np.isposinf(value)), (-np.inf, np.isneginf(value))):
        if marked.any():
            result = np.where((marked[mdp.next_state] & possible).any(axis=2), what, result)
    return result


def average_over_starts(mdp: TabularMDP, value: Floats) -> float:
    """Return the mean of values, f64[S], over the start states; what is not finite there outweighs the rest."""
    reached = mdp.start > 0.0
    here = value[reached]
    for what, marked in ((-np.inf, np.isneginf(here)), (np.inf, np.isposinf(here)), (np.nan, np.isnan(here))):
        if marked.any():
            return what
    return float(mdp.start[reached] @ here)


def find_states_entering(mdp: TabularMDP, policy: Policy, goal: Booleans) -> Booleans:
    """Return bool[S], from which states a policy, int32[S], may come to a goal, which is among them."""
    states = np.arange(len(policy))
    possible = (mdp.probability[states, policy] > 0) & ~mdp.terminal[:, None]
    return find_states_leading_to(np.nonzero(possible)[0], mdp.next_state[states, policy][possible], goal)
