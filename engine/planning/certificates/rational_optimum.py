"""An optimum in fractions: policy iteration without rounding, from a policy that is optimal but for rounding.

A policy is optimal if no action has a positive reduced cost  A(s, a) = r + gamma P V - V  anywhere. That is checked
exactly for  w1 . own + w2 . auxiliary, so that nothing about how the policy was found matters. Undiscounted, the
policies compared are the proper ones: V >= r + P V for every action bounds the return of each of them, and no set of
states that can be stayed in gains on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from engine.mdp.mdp import Floats, Policy
from engine.planning.certificates.rational_chain import MOST_BITS, chain_values
from engine.planning.certificates.rational_table import RationalTable, Whole

MOST_ROUNDS = 30
MOST_ROUNDED = 2.0**52
MOST_UNIT_BITS = 1000


def policy_returns(
    table: RationalTable, policy: Policy, rewards: Sequence[Whole], reward_unit: int
) -> list[dict[int, Fraction]] | None:
    """State -> return of a policy, int32[S], for each of several rewards; None where it has none.

    rewards: whole[S, A] each, over reward_unit.
    """
    states = table.states()
    inside = set(states)
    unit = table.discount / table.chance_unit
    chain = {}
    for state in states:
        action = int(policy[state])
        row: dict[int, int] = {}
        for target, chance in zip(table.next_state[state, action].tolist(), table.chance[state, action], strict=True):
            if chance and target in inside:
                row[target] = row.get(target, 0) + chance
        chain[state] = {target: chance * unit for target, chance in row.items()}
    amounts = [{s: Fraction(reward[s, policy[s]], reward_unit) for s in states} for reward in rewards]
    return chain_values(chain, amounts)


def rational_optimum(
    table: RationalTable, weights: Sequence[Fraction], policy: Policy, approximate: Floats, start: int
) -> Fraction | None:
    """The optimal return of one state for weighed rewards; None where it cannot be shown.

    weights: one for each of the table's rewards. policy: int32[S], proper, where the search begins. approximate:
    f64[S], its values but for rounding.
    """
    weight_unit = math.lcm(*(weight.denominator for weight in weights))
    reward: Whole = np.zeros(table.allowed.shape, dtype=object)
    for weight, each in zip(weights, table.rewards, strict=True):
        reward = reward + int(weight * weight_unit) * each
    reward_unit = weight_unit * table.reward_unit
    present, values = np.array(policy), _nearby(table, reward, reward_unit, policy, approximate)
    for _ in range(MOST_ROUNDS):
        if values is None:
            values = _values(table, reward, reward_unit, present)
        if values is None:
            return None
        total, unit = _action_values(table, reward, reward_unit, *values)
        here = values[0] * (unit // values[1])
        better = np.asarray(total > here[:, None], dtype=np.bool_) & table.allowed
        improved = np.flatnonzero(better.any(axis=1)).tolist()
        if not improved:
            return Fraction(values[0][start], values[1])
        for state in improved:
            present[state] = max(np.flatnonzero(better[state]).tolist(), key=total[state].__getitem__)
        values = None
    return None


def _values(table: RationalTable, reward: Whole, reward_unit: int, policy: Policy) -> tuple[Whole, int] | None:
    """A policy's values as whole numbers over a unit; None where there are none of bounded length."""
    returns = policy_returns(table, policy, [reward], reward_unit)
    if returns is None:
        return None
    unit = math.lcm(*{fraction.denominator for fraction in returns[0].values()}) if returns[0] else 1
    if unit.bit_length() > MOST_BITS:
        return None
    whole = np.zeros(len(policy), dtype=object)
    for state, fraction in returns[0].items():
        whole[state] = fraction.numerator * (unit // fraction.denominator)
    return whole, unit


def _nearby(
    table: RationalTable, reward: Whole, reward_unit: int, policy: Policy, approximate: Floats
) -> tuple[Whole, int] | None:
    """The values that the approximate ones round to, where these are a policy's values exactly; else None."""
    unit = reward_unit // table.chance_unit
    if unit.bit_length() > MOST_UNIT_BITS:
        return None
    rounded = np.rint(np.where(table.allowed.any(axis=1), approximate, 0.0) * float(unit))
    if not (np.abs(rounded) < MOST_ROUNDED).all():
        return None
    whole = rounded.astype(np.int64).astype(object)
    total, common = _action_values(table, reward, reward_unit, whole, unit)
    states = np.flatnonzero(table.allowed.any(axis=1))
    same = total[states, policy[states]] == (whole * (common // unit))[states]
    return (whole, unit) if np.asarray(same, dtype=np.bool_).all() else None


def _action_values(table: RationalTable, reward: Whole, reward_unit: int, whole: Whole, unit: int) -> tuple[Whole, int]:
    """r + gamma P V as whole numbers [S, A] over a multiple of the values' unit."""
    gamma = table.discount
    later = (table.chance * whole[table.next_state]).sum(axis=2) * (gamma.numerator * reward_unit)
    return reward * (unit * gamma.denominator * table.chance_unit) + later, (
        unit * reward_unit * gamma.denominator * table.chance_unit
    )
