"""Values of an infinite horizon, where discounting outweighs copying: a horizon that is long enough, with its bound.

    |Q(h, a) - Q_T(h, a)| <= c^T R / (1 - c)
    c = max over s, a of  gamma sum of w_sj(o) / m_s        R = max over s, a of  |sum of w_sj(o) r(o)| / m_s

Q_T looks T steps ahead, the sums run over copies j and observations o, s over all pairs of a state and a slot that can
follow, m_s is the multiplicity. A backup
averages, over slots, sums of later values with weights of total c at most; so where later values differ by d, it
differs by c d at most, and so does its maximum over actions. Q_1 differs from Q_0 = 0 by R at most, and the differences
add up to R (1 + c + c^2 + ...) from T on times c^T.

Where T is above 1,000, the digits of fractions would cost more than the steps. Values are then rounded to multiples of
g after every backup, by g / 2 at most, an average over slots once more: the differences add up to g / (1 - c) at most.
g is chosen so that this is a thousandth of the error that is allowed, and T for the rest.

Where the later value is on the slot (`Continuation.ON_THE_SLOT`), or in one environment of several, it depends on which
action is best on average, and may jump from horizon to horizon: there only a policy has such values. On the slot the
bound has weights and rewards without m_s, too, where they are larger. Refused are c >= 1 and endlessly many states.
Reference: the contraction argument of D. Blackwell, "Discounted dynamic programming" (1965).

Choices: the maxima hold for all time steps where weights do not depend on the step. A future whose weights differ in
the first three steps, such as `prime`, is refused; a later change is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from engine.effort import ASK_FIRST, Effort
from engine.errors import BadValue
from multislot.futures import Continuation, Future, find_future
from multislot.learning import Mixture, make_single_environment
from multislot.planning.backup import Arithmetic, SlotBackup, exact_arithmetic
from multislot.planning.belief import BeliefTransitions, compute_belief
from multislot.planning.planner import SlotEvaluation, check_horizon_and_discount, evaluate
from multislot.worlds.environment import AgentHistory, CheckedEnvironment, HistoryBasedEnvironment, HistoryPolicy

MOST_SITUATIONS = 10_000
LONGEST_EXACT = 1_000
POWER_DIGITS = 256
ROUNDED_SHARE = Fraction(1, 1_000)
"""The part of the allowed error that is left to rounding."""
TIMES_COMPARED = (1, 2, 3)
REMEDY = "give a horizon"


def raise_rounding_up(base: Fraction, exponent: int) -> Fraction:
    """Return a number that is at least base^exponent, and equal to it in nearly `POWER_DIGITS` binary digits.

    base: from 0 to 1.
    """
    result, square = Fraction(1), base
    while exponent:
        result = _round_up(result * square) if exponent % 2 else result
        square, exponent = _round_up(square * square), exponent // 2
    return result


def _round_up(number: Fraction) -> Fraction:
    shift = POWER_DIGITS + number.denominator.bit_length() - number.numerator.bit_length()
    return Fraction(math.ceil(number * 2**shift), 2**shift) if number else number


class Contraction(NamedTuple):
    """By how much a step shrinks a difference of later values, and how large its reward can be: c and R."""

    factor: Fraction
    reward: Fraction

    def bound(self, horizon: int) -> Fraction:
        """Return how far a value of that horizon may be from that of the infinite one."""
        power = self.factor**horizon if horizon <= LONGEST_EXACT else raise_rounding_up(self.factor, horizon)
        return power * self.reward / (1 - self.factor)

    def find_horizon(self, within: Fraction) -> int:
        """Return the shortest horizon whose bound is at most `within`."""
        shortest, longest = 0, 1
        while self.bound(longest) > within:
            shortest, longest = longest, 2 * longest
        while longest - shortest > 1:
            middle = (shortest + longest) // 2
            shortest, longest = (middle, longest) if self.bound(middle) > within else (shortest, middle)
        return longest

    def find_grid(self, within: Fraction) -> Fraction:
        """Return the coarsest g = 2^-k by which rounding after every backup changes values by at most `within`."""
        return Fraction(1, 1 << max(0, math.ceil(1 / ((1 - self.factor) * within)) - 1).bit_length())


def round_to_grid(grid: Fraction) -> Arithmetic:
    """Fractions of which every average is rounded to the nearest multiple of a grid."""

    def combine(weights: Sequence[Any], values: Sequence[Any], denominator: Any) -> Fraction:
        return round(Fraction(exact_arithmetic.combine(weights, values, denominator)) / grid) * grid

    return replace(exact_arithmetic, combine=combine)


class EndlessEvaluation(NamedTuple):
    """Values that differ from those of the infinite horizon by `error` at most; horizon: how far they look ahead."""

    evaluation: SlotEvaluation
    horizon: int
    error: Fraction


def evaluate_endlessly(
    world: HistoryBasedEnvironment | Mixture,
    future: Future | str,
    within: Fraction,
    discount: Fraction,
    history: AgentHistory = (),
    policy: HistoryPolicy | None = None,
    effort: Effort = ASK_FIRST,
) -> EndlessEvaluation:
    """Return the values of all actions at a history, over an infinite horizon, in fractions.

    within: how far they may be from the exact ones, > 0. The other arguments are those of `evaluate`. Raises BadValue
    where there is no such bound, and what `evaluate` does.
    """
    check_horizon_and_discount(0, discount)
    if within <= 0:
        raise BadValue(f"values within {within}", place="within", remedy="give a number above 0")
    mixture = world if isinstance(world, Mixture) else make_single_environment(world)
    chosen = find_future(future) if isinstance(future, str) else future
    if policy is None and len(mixture.members) > 1:
        raise BadValue("a class has no values of an infinite horizon", place="within", remedy=f"{REMEDY} or a policy")
    if policy is None and chosen.continuation is Continuation.ON_THE_SLOT:
        problem = "values on a slot need not settle as the horizon grows"
        raise BadValue(problem, place="within", remedy=f"{REMEDY} or a policy")
    known = mixture.spell(history)
    found = [find_contraction(member, chosen, discount, known) for member in mixture.members]
    whole = Contraction(max(one.factor for one in found), max(one.reward for one in found))
    if whole.factor >= 1:
        problem = f"copies can weigh {whole.factor} in the next step, discount included: values may grow for ever"
        raise BadValue(problem, place="within", remedy=f"{REMEDY} or a smaller discount")
    horizon = whole.find_horizon(within)
    arithmetic = exact_arithmetic
    rounded = Fraction(0)
    if horizon > LONGEST_EXACT:
        rounded = ROUNDED_SHARE * within
        horizon, arithmetic = whole.find_horizon(within - rounded), round_to_grid(whole.find_grid(rounded))
    evaluation = evaluate(mixture, chosen, horizon, discount, known, arithmetic, policy, effort)
    return EndlessEvaluation(evaluation, horizon, whole.bound(horizon) + rounded)


def find_contraction(
    environment: CheckedEnvironment, future: Future, discount: Fraction, history: AgentHistory
) -> Contraction:
    """c and R over all that can follow a history in one environment; both 0 where nobody can have it."""
    belief = compute_belief(environment, history, future.admissible)
    transitions = BeliefTransitions(environment, future.admissible)
    backups = [
        SlotBackup(future, environment.rewards, discount, exact_arithmetic, len(history) + time)
        for time in TIMES_COMPARED
    ]
    situations = [(belief.state, slot) for slot in belief.slots] if belief else []
    seen = set(situations)
    factor, reward = Fraction(0), Fraction(0)
    for state, slot in situations:  # which grows
        for action in environment.actions:
            transition = transitions(state, (slot,), action)
            weights, *later = [backup.weights(transition) for backup in backups]
            if any(other != weights for other in later):
                problem = "the future counts other copies at other time steps"
                raise BadValue(problem, place="within", remedy=REMEDY)
            counts = {Fraction(1)} if future.continuation is Continuation.ON_THE_SLOT else set()
            counts |= set(map(Fraction, weights.multiplicity or [1]))
            total = Fraction(sum(of_slot[0] for of_slot in weights.total_copy_weight.values()), weights.scale)
            factor = max(factor, total / min(counts))
            reward = max(reward, abs(Fraction(weights.rewards[0], weights.scale)) / min(counts))
            reached = {(update.state, copy) for update in transition.updates.values() for copy in update.position}
            situations += reached - seen
            seen |= reached
        if len(seen) > MOST_SITUATIONS:
            problem = f"more than {MOST_SITUATIONS:,} states of slots can follow, or endlessly many"
            raise BadValue(problem, place="within", remedy=REMEDY)
    return Contraction(factor, reward)
