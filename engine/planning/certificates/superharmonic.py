"""Upper bounds of returns by an inductive argument, checked in doubled precision with outward rounding.

    u(s) >= r(s, a) + gamma sum_k P(k | s, a) u(s_k)   for every action a,   u = 0 in terminal states

bounds the return of every policy that ends (undiscounted), or of every policy (discounted): apply it step after step.
The function u = V + refinement + margin is kept as a sum of arrays, of which differences between states are used:

    sum_k P(k) (r + gamma (u(s_k) - u(s))) - (1 - gamma) u(s) <= 0,

so that steps from a state to itself drop out, and neither long expected durations nor discounts near 1 cost
precision. The margin is the optimal value of a table whose rewards are the bounds of what rounding can hide in the
inequality; it bounds the error.

Sums and products are taken in twice the working precision: each number is the sum of two floats, the second one tiny.
An addition or a product misses the true result by at most `ROUNDED` times the sizes of what goes in, unless a product
underflows. Differences of equal numbers are exactly 0.

Bounds hold for every table that rounds to the stored one (each number within half a unit in the last place, rows of
probabilities summing to 1), with the discount that was meant (`interval.as_fraction`).

References: M. Puterman, "Markov Decision Processes", theorem 7.2.2 (superharmonic upper bounds); S. Rump,
"Verification methods", 2010; A. Hartmanns, B. Kaminski, "Optimistic value iteration", CAV 2020; T. Dekker, "A
floating-point technique for extending the available precision", Numerische Mathematik 18, 1971; M. Joldes,
J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", ACM
Transactions on Mathematical Software 44, 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.planning.certificates.interval import Interval, as_fraction
from engine.planning.kernels import compute_deterministic_values
from engine.planning.policy_chain import FactorisedChain, PolicyChain

ROUNDED = 2.0**-101
HALVES = 2.0**27 + 1.0  # times a number: what splits its 53 bits in two
Pair = tuple[Floats, Floats]


def add_exactly(one: Floats, other: Floats) -> Pair:
    """one + other."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)


def multiply_exactly(one: Floats, other: Floats) -> Pair:
    """one * other."""
    product = one * other
    (high, low), (other_high, other_low) = _split(one), _split(other)
    return product, low * other_low - (((product - high * other_high) - low * other_high) - high * other_low)


def add_pairs(one: Pair, other: Pair) -> Pair:
    """Return the sum of two pairs."""
    total, rest = add_exactly(one[0], other[0])
    return add_exactly(total, rest + (one[1] + other[1]))


def scale_pair(pair: Pair, factor: Floats) -> Pair:
    """Return a pair times a float."""
    product, rest = multiply_exactly(pair[0], factor)
    return add_exactly(product, rest + pair[1] * factor)


def sum_pair(pair: Pair) -> Pair:
    """Return the sum along the last axis."""
    total = pair[0][..., 0], pair[1][..., 0]
    for n in range(1, pair[0].shape[-1]):
        total = add_pairs(total, (pair[0][..., n], pair[1][..., n]))
    return total


def _split(number: Floats) -> Pair:
    """Return two floats of 26 bits at most."""
    large = HALVES * number
    high: Floats = large - (large - number)
    return high, np.asarray(number - high)


MISSED = (1.0 + 1e-6) * 2.0**-53  # of a number, at most, by rounding; and a little for the rounding of such bounds
SMALLEST = 1e-280  # products below may lose digits by underflow
UNDERFLOWN = 1e-300  # more than a product of normal numbers loses so
REFINEMENTS = 3
KEPT_BITS = 36
MARGIN_SLACK, MARGIN_NOISE = 1e-6, 1e-12
MOST_ROUNDS = 30
MOST_SWEEPS = 200
KEPT_SOLVERS = 2


Solver = Callable[[Floats], Floats]


class ChainSolvers:
    """Solvers of the policies of one table; the last few are kept, so that one factorisation does for all bounds."""

    def __init__(self, mdp: TabularMDP, allowed: Booleans | None = None) -> None:
        """allowed: bool[S, A], the actions that may be taken; states with none count as terminal."""
        self.mdp = mdp if allowed is None else replace(mdp, terminal=mdp.terminal | ~allowed.any(axis=1))
        self._known: dict[bytes, Solver] = {}

    def of(self, policy: Policy) -> Solver:
        """Return a function from a reward by states, f64[S], to a policy's values, f64[S], approximately."""
        key = policy.tobytes()
        if key not in self._known:
            if len(self._known) == KEPT_SOLVERS:
                del self._known[next(iter(self._known))]
            self._known[key] = _make_chain_solver(self.mdp, policy)
        return self._known[key]


@dataclass(frozen=True)
class RoundedReward:
    """reward: a pair of f64[S, A, K]. slack: f64[S, A, K], how far the true reward may be from it."""

    reward: Pair
    slack: Floats

    def negate(self) -> RoundedReward:
        """Of the opposite sign."""
        return replace(self, reward=(-self.reward[0], -self.reward[1]))


def store_reward(reward: Floats) -> RoundedReward:
    """Return a reward as a table stores it."""
    return RoundedReward((reward, np.zeros_like(reward)), MISSED * np.abs(reward))


def weigh_rewards(rewards: Sequence[Floats], weights: Sequence[float]) -> RoundedReward:
    """Return the weighed sum of rewards, f64[S, A, K] each, the weights being exact."""
    nothing = np.zeros_like(rewards[0])
    total, slack = (nothing, nothing), nothing
    for weight, reward in zip(weights, rewards, strict=True):
        part = multiply_exactly(np.float64(weight) * np.ones(1), reward)
        total, slack = add_pairs(total, part), slack + MISSED * np.abs(part[0])
    return RoundedReward(total, slack)


def find_upper_bound(
    solvers: ChainSolvers, allowed: Booleans, reward: RoundedReward, policy: Policy, value: Floats, start: int
) -> Fraction | None:
    """Return a bound that no policy's return from a state exceeds; None where none is found.

    solvers: of the table. allowed: bool[S, A], the actions that may be taken; none in terminal states. policy:
    int32[S], proper, optimal but for rounding. value: f64[S], its values, of whatever precision.
    """
    counted = solvers.mdp
    parts = [_quantise(np.where(counted.terminal, 0.0, value))]
    states = np.arange(len(value))
    solve = solvers.of(policy)
    for _ in range(REFINEMENTS):
        excess, _ = _compute_excess(counted, reward, parts)
        parts.append(_quantise(solve(excess[states, policy])))
    excess, error = _compute_excess(counted, reward, parts)
    margin = _find_margin(solvers, allowed, np.where(allowed, excess + 2.0 * error, -np.inf), error, policy)
    if margin is None or not all(np.isfinite(part).all() for part in [*parts, margin]):
        return None
    margin = _quantise(margin)
    for _ in range(MOST_SWEEPS):
        excess, error = _compute_excess(counted, reward, [*parts, margin])
        above = np.where(allowed, excess + error, -np.inf).max(axis=1, initial=-np.inf)
        if not (above > 0.0).any():
            return sum((Fraction(float(part[start])) for part in [*parts, margin]), Fraction(0))
        margin = margin + np.where(above > 0.0, np.maximum(2.0 * above, np.spacing(margin)), 0.0)
    return None


def find_policy_bounds(solvers: ChainSolvers, reward: RoundedReward, value: Floats, start: int) -> Interval | None:
    """Bounds of the return of a table's only policy from a state; None where none are found.

    solvers: of a table with one action, where the episode surely ends or the discount is below 1. value: f64[S], but
    for rounding.
    """
    allowed = ~solvers.mdp.terminal[:, None]
    only = np.zeros(len(value), dtype=np.int32)
    upper = find_upper_bound(solvers, allowed, reward, only, value, start)
    lower = find_upper_bound(solvers, allowed, reward.negate(), only, -value, start)
    return None if upper is None or lower is None else Interval(-lower, upper)


def _compute_excess(mdp: TabularMDP, reward: RoundedReward, parts: list[Floats]) -> tuple[Floats, Floats]:
    """r + gamma P u - u by actions, and what rounding may hide in it: f64[S, A] twice; u: the sum of the parts."""
    gain, size = reward.reward, np.abs(reward.reward[0])
    gamma, missing, remainder = _split_discount(mdp.discount)
    for part in parts:
        difference = add_exactly(part[mdp.next_state], -part[:, None, None])
        change = scale_pair(difference, gamma)
        ending = scale_pair(remainder, -part[:, None, None])
        gain = add_pairs(add_pairs(gain, change), ending)
        if missing.any():
            gain = add_pairs(gain, multiply_exactly(difference[0], missing))
        size += np.abs(change[0]) + np.abs(ending[0])
    product = scale_pair(gain, mdp.probability)
    most = ROUNDED * (mdp.next_state.shape[2] + 8 * len(parts) + 4)
    hidden = mdp.probability * (MISSED * np.abs(gain[0]) + most * size + (1.0 + MISSED) * reward.slack)
    hidden = hidden + np.where(
        (mdp.probability > 0.0) & (gain[0] != 0.0) & (np.abs(product[0]) < SMALLEST), UNDERFLOWN, 0.0
    )
    total = sum_pair(product)[0]
    return total, (1.0 + MISSED) ** 4 * hidden.sum(axis=2) + MISSED * np.abs(total)


def _split_discount(discount: float) -> tuple[Floats, Floats, Pair]:
    """Return gamma as it is stored, what it lacks of the one that was meant, and 1 - gamma of the latter.

    The last two are rounded by less than `ROUNDED` times gamma and 1 - gamma.
    """
    meant = as_fraction(discount)
    meant = Fraction(discount) if meant is None else meant
    high = float(1 - meant)
    low = float(1 - meant - Fraction(high))
    return np.array([discount]), np.array([float(meant - Fraction(discount))]), (np.array([high]), np.array([low]))


def _find_margin(
    solvers: ChainSolvers, allowed: Booleans, reward: Floats, error: Floats, policy: Policy
) -> Floats | None:
    """Return f64[S], w >= reward + gamma P w for the allowed actions, by policy iteration; None where it does not end.

    reward: f64[S, A]. error: f64[S, A], a quarter of which may be missed, or a small part of the margin where that is
    less: near discount 1 it would be more than the inequality has to spare.
    """
    mdp = solvers.mdp
    present = np.array(policy)
    states = np.arange(len(policy))
    for _ in range(MOST_ROUNDS):
        if mdp.discount == 1.0 and PolicyChain(mdp, present).endless_classes():
            return None
        margin = solvers.of(present)(reward[states, present])
        later = mdp.average(margin[mdp.next_state])
        action_value = np.where(allowed, reward + mdp.discount * later, -np.inf)
        chosen = action_value.argmax(axis=1)
        best = action_value[states, chosen]
        largest = np.abs(margin).max(initial=0.0)
        slack = np.minimum(
            MARGIN_SLACK * np.abs(margin) + MARGIN_SLACK**2 * largest,
            np.maximum(error[states, chosen] / 4.0, MARGIN_NOISE * largest),
        )
        improved = ~mdp.terminal & (best > margin + slack) & (chosen != present)
        if not improved.any():
            return margin
        present = np.where(improved, chosen, present).astype(np.int32)
    return None


def _quantise(numbers: Floats) -> Floats:
    """Numbers rounded to a common unit, so that those that differ by noise alone are equal.

    Where a step is free, u must not rise at all on it.
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    if not math.isfinite(largest) or largest < SMALLEST:
        return numbers
    unit = 2.0 ** (math.frexp(largest)[1] - KEPT_BITS)
    return np.rint(numbers / unit) * unit


def _make_chain_solver(mdp: TabularMDP, policy: Policy) -> Solver:
    """Return a function from a reward by states, f64[S], to a policy's values, f64[S], approximately."""
    states = np.arange(len(policy))
    target, chance = mdp.next_state[states, policy], mdp.probability[states, policy]
    if mdp.is_deterministic:
        return lambda reward: np.asarray(
            compute_deterministic_values(target[:, 0], np.where(mdp.terminal, 0.0, reward), mdp.terminal, mdp.discount)
        )
    try:
        factors = FactorisedChain(target, chance, mdp.terminal, mdp.discount)
    except RuntimeError:  # singular but for rounding: no bound is found from these
        return lambda reward: np.full(len(reward), np.nan)
    return lambda reward: factors.solve(np.where(mdp.terminal, 0.0, reward))
