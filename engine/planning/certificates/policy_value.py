"""A policy's returns between two bounds: in fractions where its table has them, else by superharmonic functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import reachable_part
from engine.planning.certificates.interval import Interval, exactly
from engine.planning.certificates.rational_optimum import policy_returns
from engine.planning.certificates.rational_table import rational_table
from engine.planning.certificates.superharmonic import ChainSolvers, policy_bounds, stored
from engine.planning.chains.policy_chain import PolicyChain


def policy_values(mdp: TabularMDP, rewards: Sequence[Floats], policy: Policy, start: int) -> list[Interval | None]:
    """Bounds of what a policy earns from a state, for each of several rewards: exact ones where there are fractions.

    rewards: f64[S, A, K] each. policy: int32[S]. None where no bounds are found: an undiscounted policy that goes on
    for ever has a return only where all that it collects then is 0.
    """
    alone = _alone(mdp, rewards, policy, start)
    if alone is None:
        return [None for _ in rewards]
    return _exact_values(*alone, start) or _bounded_values(*alone, start)


def bounded_policy_values(
    mdp: TabularMDP, rewards: Sequence[Floats], policy: Policy, start: int
) -> list[Interval | None]:
    """The same without fractions, in a few sparse solves."""
    alone = _alone(mdp, rewards, policy, start)
    return [None for _ in rewards] if alone is None else _bounded_values(*alone, start)


def _alone(
    mdp: TabularMDP, rewards: Sequence[Floats], policy: Policy, start: int
) -> tuple[TabularMDP, list[Floats]] | None:
    """The table and the rewards, f64[S, 1, K], of the policy as the only action, on the states that it reaches.

    States where it stays for ever and collects nothing are terminal; None where it stays and collects something.
    """
    states = np.arange(len(policy))
    alone = reachable_part(
        replace(
            mdp,
            actions=("",),
            next_state=mdp.next_state[states, policy][:, None],
            probability=mdp.probability[states, policy][:, None],
            reward=mdp.reward[states, policy][:, None],
            available=None,
        ),
        start,
    )
    taken = [reward[states, policy][:, None] for reward in rewards]
    endless = PolicyChain(alone, _only(alone)).endless_classes() if mdp.discount == 1.0 else []
    if endless:
        terminal = np.array(alone.terminal)
        for members in endless:
            if any((reward[members] * alone.probability[members]).any() for reward in taken):
                return None
            terminal[members] = True
        alone = replace(alone, terminal=terminal)
    return alone, taken


def _exact_values(alone: TabularMDP, taken: list[Floats], start: int) -> list[Interval | None] | None:
    table = rational_table(alone, ~alone.terminal[:, None], tuple(taken))
    if table is None:
        return None
    returns = policy_returns(table, _only(alone), table.rewards, table.reward_unit)
    return None if returns is None else [exactly(each.get(start, Fraction(0))) for each in returns]


def _bounded_values(alone: TabularMDP, taken: list[Floats], start: int) -> list[Interval | None]:
    solvers = ChainSolvers(alone)
    solve = solvers.of(_only(alone))
    values = [solve((alone.probability * reward).sum(axis=2)[:, 0]) for reward in taken]
    return [policy_bounds(solvers, stored(each), value, start) for each, value in zip(taken, values, strict=True)]


def _only(alone: TabularMDP) -> Policy:
    return np.zeros(len(alone.terminal), dtype=np.int32)
