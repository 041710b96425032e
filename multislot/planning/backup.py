"""One multi-slot Bellman backup, in fractions or floats: an action's value from those of the histories after it.

    v_s(h, a) = sum over t, o of  w_st(o) [ r(o) + gamma later_t(h a o) ]
    Q(h, a)   = sum_s P^s(h) v_s(h, a) / normaliser
    a*        = the first best action,   V(h) = Q(h, a*)

s is a slot of the history h, t a slot after it, w_st(o) and what later_t is are the future's (`multislot.futures`):
V(h a o), or v_t(h a o, a*). The normaliser is 1 but for futures in which a slot counts for several agents. The
planner (`multislot.planning.planner`) and the batches (`multislot.planning.batches`) call the same functions: where
one passes P^s(h) and later values as numbers, the other passes rows with an entry a history. Reference: The
Multi-slot Framework, sections 4.2 to 4.4.

Two arithmetics have one interface: exact fractions, or float64 with near-equal action values taken as ties. An action
ties with the best where their difference is at most the tolerance times the larger of the best value and the largest
reward in absolute value; the first tying action in the listed order wins. Exact sums are made of integer numerators
over a common denominator, with a single division by the common factor at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any, NamedTuple, TypeAlias

from engine.contracts import refuse
from engine.errors import UnknownName
from multislot.futures import Continuation, Future
from multislot.planning.belief import BeliefTransition
from multislot.worlds.environment import HistoryState, Label, Law, Slot, SlotTransition

ExactOrFloat: TypeAlias = Fraction | float


@dataclass(frozen=True)
class Arithmetic:
    """The numbers that values are computed in.

    name: how users call it. number: a fraction in this arithmetic. tolerance: the relative width of a tie. estimates:
    integer masses -> the estimate of each slot, in whatever scale is cheap. scale: denominators of weights -> a factor
    that makes them cheap. weight: fraction, factor -> their product. combine: weights, values, denominator -> sum of
    weight times value, over the denominator. columns: whether the numbers may also be arrays, a number a history.
    """

    name: str
    number: Callable[[Fraction], ExactOrFloat]
    estimates: Callable[[Sequence[int]], Sequence[ExactOrFloat]]
    scale: Callable[[Sequence[int]], int]
    weight: Callable[[Fraction, int], int | float]
    combine: Callable[[Sequence[Any], Sequence[Any], Any], ExactOrFloat]
    tolerance: float
    columns: bool

    def is_near(self, value: Any, best: Any, scale: Any) -> Any:
        """Return whether a value ties with the best one, where values are rounded; of arrays, by element."""
        gap = best - value
        return (gap <= self.tolerance * abs(best)) | (gap <= self.tolerance * scale)

    def find_ties(self, values: Sequence[Any], scale: Any) -> tuple[int, ...]:
        """Positions of the best values; scale is the largest reward in absolute value."""
        best = max(values)
        if not self.tolerance:
            return tuple([k for k, value in enumerate(values) if value == best])
        return tuple([k for k, value in enumerate(values) if self.is_near(value, best, scale)])


def _sum_fractions(weights: Sequence[int], values: Sequence[Any], denominator: int) -> Fraction:
    denominators = [value.denominator for value in values]
    common = lcm(*denominators)
    numerators = [value.numerator * (common // below) for value, below in zip(values, denominators, strict=True)]
    return Fraction(sum(map(mul, weights, numerators)), common * denominator)


def _normalise_masses(masses: Sequence[int]) -> Sequence[float]:
    total = sum(masses)
    return [mass / total for mass in masses]


def _sum_floats(weights: Sequence[float], values: Sequence[float], denominator: float) -> float:
    total: float = sum(map(mul, weights, values)) / denominator
    return total


exact_arithmetic = Arithmetic(
    name="exact",
    number=lambda fraction: fraction,
    estimates=lambda masses: masses,
    scale=lambda denominators: lcm(*denominators),
    weight=lambda fraction, factor: int(fraction * factor),
    combine=_sum_fractions,
    tolerance=0.0,
    columns=False,
)
float_arithmetic = Arithmetic(
    name="float",
    number=float,
    estimates=_normalise_masses,
    scale=lambda denominators: 1,
    weight=lambda fraction, factor: float(fraction),
    combine=_sum_floats,
    tolerance=1e-12,
    columns=True,
)

ARITHMETICS = {arithmetic.name: arithmetic for arithmetic in (exact_arithmetic, float_arithmetic)}


def find_arithmetic(name: str) -> Arithmetic:
    """Return an arithmetic by its name; UnknownName otherwise."""
    if name not in ARITHMETICS:
        raise UnknownName("arithmetic", name, ARITHMETICS)
    return ARITHMETICS[name]


Retained: TypeAlias = Any
"""What earlier backups need of a history: V(h), or v_s(h, a*) by slot; one number each, or one row."""


class BackupWeights(NamedTuple):
    """The w_st(o) of one action, as numbers of an arithmetic multiplied by `scale`.

    rewards: by s, sum over t and o of w_st(o) r(o). copy_weights: by o, the entries (s, t, gamma w_st(o)) with t among
    the slots after o. total_copy_weight: by o, their sums over t, by s. multiplicity: by s, for how many agents the
    slot counts; empty where each counts for one.
    """

    scale: int
    rewards: Sequence[Any]
    copy_weights: Mapping[Label, tuple[tuple[int, int, Any], ...]]
    total_copy_weight: Mapping[Label, Sequence[Any]]
    multiplicity: Sequence[Any]

    def normaliser(self, estimates: Sequence[Any]) -> Any:
        """Return what the average over slots is divided by."""
        return sum(map(mul, estimates, self.multiplicity)) if self.multiplicity else sum(estimates)


@dataclass
class SlotBackup:
    """Backups of one future at one time step (from 1). rewards: by observation. discount: gamma.

    Weights are computed once for each state, slots and action.
    """

    future: Future
    rewards: Mapping[Label, Fraction]
    discount: Fraction
    arithmetic: Arithmetic
    time: int
    _computed: dict[tuple[HistoryState, tuple[Slot, ...], Label], BackupWeights] = field(default_factory=dict)

    def action_value(
        self, weights: BackupWeights, estimates: Sequence[Any], later: Mapping[Label, Retained]
    ) -> tuple[ExactOrFloat, Retained]:
        """Q(h, a), and what earlier backups need of h if a is chosen there.

        estimates: P^s(h) by s, up to a common factor. later: by observation, what is retained of the histories h a o.
        """
        if self.future.continuation is Continuation.ON_THE_SLOT:
            values = self.slot_values(weights, later)
            return self.arithmetic.combine(estimates, values, weights.normaliser(estimates)), values
        factors, numbers = [sum(map(mul, estimates, weights.rewards))], [1]
        for observation, value in later.items():
            factors.append(sum(map(mul, estimates, weights.total_copy_weight[observation])))
            numbers.append(value)
        average = self.arithmetic.combine(factors, numbers, weights.scale * weights.normaliser(estimates))
        return average, average

    def slot_values(self, weights: BackupWeights, later: Mapping[Label, Retained]) -> list[ExactOrFloat]:
        """v_s(h, a) by s."""
        factors = [[reward] for reward in weights.rewards]
        numbers: list[list[Any]] = [[1] for _ in weights.rewards]
        for observation, retained in later.items():
            if self.future.continuation is Continuation.ON_THE_SLOT:
                for s, t, weight in weights.copy_weights[observation]:
                    factors[s].append(weight)
                    numbers[s].append(retained[t])
            else:
                for s, weight in enumerate(weights.total_copy_weight[observation]):
                    factors[s].append(weight)
                    numbers[s].append(retained)
        return [self.arithmetic.combine(f, n, weights.scale) for f, n in zip(factors, numbers, strict=True)]

    def weights(self, transition: BeliefTransition) -> BackupWeights:
        """Return the weights of an action, from the laws of the slots under it."""
        key = (transition.state, transition.slots, transition.action)
        if key not in self._computed:
            self._computed[key] = self._compute_weights(transition)
        return self._computed[key]

    def _compute_weights(self, transition: BeliefTransition) -> BackupWeights:
        rewards = [Fraction(0)] * len(transition.slots)
        entries: dict[Label, list[tuple[int, int, Fraction]]] = {o: [] for o in transition.updates}
        for s, (slot, law) in enumerate(zip(transition.slots, transition.laws, strict=True)):
            step = SlotTransition(slot, law, self.time, self.rewards)
            for (copy, observation), weight in self.future.copy_weights_of(step).items():
                rewards[s] += weight * self.rewards[observation]
                t = transition.updates[observation].position.get(copy) if observation in entries else None
                if t is not None:
                    entries[observation].append((s, t, weight * self.discount))
        multiplicity = [self.future.multiplicity_of(law) for law in transition.laws]
        for slot, law, alike in zip(transition.slots, transition.laws, transition.alike, strict=bool(transition.alike)):
            self._check_slot_numbers(SlotTransition(slot, law, self.time, self.rewards), alike)
        return self._scale_weights(rewards, entries, [] if set(multiplicity) == {1} else multiplicity)

    def _check_slot_numbers(self, step: SlotTransition, alike: Sequence[tuple[Slot, Law]]) -> None:
        """ContractBroken where a slot that another one stands for has other weights: slot numbers do matter then."""
        if not alike:
            return
        own = self._describe_weights(step)
        for other, law in alike:
            theirs = self._describe_weights(step._replace(slot=other, law=law))
            if theirs != own:
                problem = f"other weights for slot {other} than for slot {step.slot}, which stands for it"
                refuse(self.future.copy_weights, "it", problem, "the same, or a future without ignores_slot_numbers")

    def _describe_weights(self, step: SlotTransition) -> tuple[Fraction, Counter[tuple[Label, Fraction, bool]]]:
        """For how many agents a slot counts, and its weights but for the copies' numbers, of itself or of others."""
        weights = self.future.copy_weights_of(step)
        described = Counter((o, Fraction(weight), copy == step.slot) for (copy, o), weight in weights.items() if weight)
        return self.future.multiplicity_of(step.law), described

    def _scale_weights(
        self,
        rewards: list[Fraction],
        entries: dict[Label, list[tuple[int, int, Fraction]]],
        multiplicity: list[Fraction],
    ) -> BackupWeights:
        """Return the weights in the numbers of the arithmetic, multiplied by what makes them cheap."""
        every = [*rewards, *(weight for entry in entries.values() for _, _, weight in entry)]
        scale = self.arithmetic.scale([number.denominator for number in every])

        def scale_number(number: Fraction) -> int | float:
            return self.arithmetic.weight(number, scale)

        totals = {o: [Fraction(0)] * len(rewards) for o in entries}
        for o, entry in entries.items():
            for s, _, weight in entry:
                totals[o][s] += weight
        return BackupWeights(
            scale,
            [scale_number(reward) for reward in rewards],
            {
                o: tuple((s, t, scale_number(weight)) for s, t, weight in entry if weight)
                for o, entry in entries.items()
            },
            {o: [scale_number(weight) for weight in total] for o, total in totals.items()},
            [self.arithmetic.number(count) for count in multiplicity],
        )
