"""The equations of sections 4.1 to 4.4 as they are printed: plain recursions over histories, exact and slow.

    P^i(h)  = nu(h^i = h) / sum_j nu(h^j = h)                                  P^ij(ha) = nu(c^ij) / sum_k nu(c^ik)
    V^cpy   = sum_i P^i(h) sum_j P^ij(ha) sum_o nu(c^ij o | h^i a^i = ha) [ r(o) + gamma V^cpy(hao) ]
    V^sta,i = sum_o nu(c^ii o | h^i a^i = ha, c^ii always before) [ r(o) + gamma V^sta,i(hao) ]
    V^dyn   = sum_i P^i(h) V^dyn,i,   V^dyn,i = sum_o nu(c^ii o | h^i a^i = ha) [ r(o) + gamma V^dyn,i(hao) ]
    V_M     = sum_nu w_nu(h) V_nu,  all of them for one policy, pi(h) = the first action of the largest V_M   (Eq. 2)

The planner (`multislot.planning.planner`) computes the same numbers and is tested against these. Every V is that of
the policy pi with n steps left, for an agent that takes action a at history h; V(hao) is V(hao, pi(hao)).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from multislot.learning import Mixture
from multislot.worlds.environment import (
    AgentHistory,
    CheckedEnvironment,
    Label,
    Slot,
    compute_state_after,
    copy_observation,
    copy_probability,
)

KnownWorld = CheckedEnvironment
StepPolicy = Callable[[AgentHistory, int], Label]
PrintedValue = Callable[[KnownWorld, StepPolicy, Fraction, AgentHistory, Label, int], Fraction]


def compute_masses(nu: KnownWorld, h: AgentHistory) -> dict[Slot, Fraction]:
    """nu(h^i = h) by slot: how the agents with the history before were copied."""
    if not h:
        return dict.fromkeys(nu.initial, Fraction(1))
    masses: dict[Slot, Fraction] = {}
    for i, mass in compute_masses(nu, h[:-1]).items():
        for (j, o), p in copy_observation(nu.law(compute_state_after(nu, h[:-1]), i, h[-1][0])).items():
            if o == h[-1][1]:
                masses[j] = masses.get(j, Fraction(0)) + mass * p
    return masses


def P(nu: KnownWorld, h: AgentHistory) -> dict[Slot, Fraction]:
    """P^i(h) by slot; empty, that is 0, where nobody can have the history."""
    masses = compute_masses(nu, h)
    return {i: mass / sum(masses.values()) for i, mass in masses.items()}


def cpy(nu: KnownWorld, pi: StepPolicy, gamma: Fraction, h: AgentHistory, a: Label, n: int) -> Fraction:
    """V^cpy."""
    total = Fraction(0)
    for i, chance in P(nu, h).items() if n else ():
        law = nu.law(compute_state_after(nu, h), i, a)
        copied = copy_probability(law)
        for (j, o), p in copy_observation(law).items():
            hao = (*h, (a, o))
            later = cpy(nu, pi, gamma, hao, pi(hao, n - 1), n - 1)
            total += chance * copied[j] / sum(copied.values()) * p * (nu.rewards[o] + gamma * later)
    return total


def evaluate_on_slot(
    nu: KnownWorld, pi: StepPolicy, gamma: Fraction, h: AgentHistory, a: Label, n: int, i: Slot
) -> Fraction:
    """Return the value on slot i of an agent that is there and whose future is on it: V^dyn,i, and V^sta,i."""
    total = Fraction(0)
    for (j, o), p in copy_observation(nu.law(compute_state_after(nu, h), i, a)).items() if n else ():
        if j == i:
            hao = (*h, (a, o))
            total += p * (nu.rewards[o] + gamma * evaluate_on_slot(nu, pi, gamma, hao, pi(hao, n - 1), n - 1, i))
    return total


def sta(i: Slot) -> PrintedValue:
    """V^sta,i; 0 where the agent on slot i cannot have the history without ever having left the slot."""

    def value(nu: KnownWorld, pi: StepPolicy, gamma: Fraction, h: AgentHistory, a: Label, n: int) -> Fraction:
        stayed = i in nu.initial and all(
            (i, o) in copy_observation(nu.law(compute_state_after(nu, h[:t]), i, b)) for t, (b, o) in enumerate(h)
        )
        return evaluate_on_slot(nu, pi, gamma, h, a, n, i) if stayed else Fraction(0)

    return value


def dyn(nu: KnownWorld, pi: StepPolicy, gamma: Fraction, h: AgentHistory, a: Label, n: int) -> Fraction:
    """V^dyn."""
    return sum((chance * evaluate_on_slot(nu, pi, gamma, h, a, n, i) for i, chance in P(nu, h).items()), Fraction(0))


def evaluate_as_printed(
    mixture: Mixture, value: PrintedValue, n: int, gamma: Fraction, h: AgentHistory = ()
) -> dict[Label, Fraction]:
    """V_M(h, a) by action, of the policy that is optimal for V_M; a known environment is a class of one."""

    def averages(h: AgentHistory, n: int) -> dict[Label, Fraction]:
        members = list(zip(mixture.posterior(h), mixture.members, strict=True))
        return {a: sum((w * value(nu, pi, gamma, h, a, n) for w, nu in members), Fraction(0)) for a in mixture.actions}

    @cache
    def pi(h: AgentHistory, n: int) -> Label:
        return max(mixture.actions, key=averages(h, n).__getitem__)

    return averages(h, n)
