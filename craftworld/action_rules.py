"""Policies that do less than optimise: quantilizers, satisficing and soft policies, as probabilities of actions.

Each is a function (problem, care) -> f64[S, A], a method of the benchmark and of `evaluate`:

| rule         | pi(a | s), with Q* of the augmented reward and the base b uniform over available actions     |
| ------------ | -------------------------------------------------------------------------------------------- |
| `quantilize` | b, restricted to the best actions by Q* until they have the mass q of b, and normalised      |
| `satisfice`  | uniform over the actions with Q*(s, a) >= V*(s) - slack                                      |
| `act_softly` | ~ exp(Q*(s, a) / T)                                                                          |

q = 1 is acting at random, q -> 0 and slack = 0 are optimal (ties at random). References: J. Taylor, "Quantilizers: a
safer alternative to maximizers for limited optimization", 2016, definition 1; H. Simon, "Rational choice and the
structure of the environment", 1956 (satisficing).

Choices: Taylor defines one decision. Here every state is one, and its utility is Q*, as if all later decisions were
optimal. Actions of equal Q* share what is left of the mass. An action of Q* = -inf comes last. Where each start state
has a baseline of its own (Eq 3), the optimum is that from the likeliest one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.mdp.mdp import Floats
from engine.mdp.policies import make_random_policy
from engine.planning.dynamic_programming import TIE

FRACTION, SLACK, TEMPERATURE = 0.5, 1.0, 1.0


def quantilize(problem: Problem, care: float, fraction: float = FRACTION) -> Floats:
    """Return the quantilizer of a base that is uniform over available actions, f64[S, A].

    fraction: q, above 0 and at most 1; BadValue for another one.
    """
    if not 0.0 < fraction <= 1.0:
        raise BadValue(f"fraction {fraction}", place="quantilize", remedy="choose one above 0 and at most 1")
    value, base = _find_values(problem, care), make_random_policy(problem.mdp)
    left = np.full(len(value), float(fraction))
    chance = np.zeros_like(base)
    rank = _rank(value)
    for place in range(rank.max() + 1):
        tied = np.where(rank == place, base, 0.0)
        mass = tied.sum(axis=1)
        share = np.minimum(left, mass)
        chance += tied * np.divide(share, mass, out=np.zeros_like(mass), where=mass > 0.0)[:, None]
        left -= share
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def satisfice(problem: Problem, care: float, slack: float = SLACK) -> Floats:
    """Return the policy that is content with any action at most `slack` below the best, f64[S, A].

    slack: of the augmented return, 0 or more; BadValue for another one.
    """
    if not slack >= 0.0:
        raise BadValue(f"slack {slack}", place="satisfice", remedy="choose 0 or more")
    value, base = _find_values(problem, care), make_random_policy(problem.mdp)
    best = value.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        enough = (value >= best - slack - TIE * np.maximum(1.0, np.abs(best))) | (value == best)
    chance = np.where(enough, base, 0.0)
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def act_softly(problem: Problem, care: float, temperature: float = TEMPERATURE) -> Floats:
    """Return the soft policy of the optimal action values, f64[S, A].

    temperature: T, above 0, in units of the augmented return; BadValue for another one.
    """
    if not temperature > 0.0:
        raise BadValue(f"temperature {temperature}", place="act_softly", remedy="choose one above 0")
    value, base = _find_values(problem, care), make_random_policy(problem.mdp)
    best = value.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        below = np.where(np.isfinite(best), value - best, 0.0)
    weight = base * np.exp(below / temperature)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _find_values(problem: Problem, care: float) -> Floats:
    """Q*, f64[S, A], from the likeliest start state; -inf for actions that are not available."""
    start = int(problem.mdp.start.argmax())
    value = problem.plan_optimum(care, start).action_value
    return np.where(make_random_policy(problem.mdp) > 0.0, value, -np.inf)


def _rank(value: Floats) -> NDArray[np.int64]:
    """int64[S, A]: how many different values are above each; those that differ by rounding alone are one."""
    order = np.argsort(-value, axis=1, kind="stable")
    falling = np.take_along_axis(value, order, axis=1)
    before, after = falling[:, :-1], falling[:, 1:]
    with np.errstate(invalid="ignore"):
        lower = (before - after > TIE * np.maximum(1.0, np.abs(before))) & (before != after)
    places = np.concatenate([np.zeros((len(value), 1), dtype=np.int64), lower.cumsum(axis=1)], axis=1)
    rank = np.zeros(value.shape, dtype=np.int64)
    np.put_along_axis(rank, order, places, axis=1)
    return rank
