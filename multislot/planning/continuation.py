"""What the later value of a copy is: the estimate made anew at its history, or the value on the slot it woke up in.

    v_s = [ reward_s + sum over o, t of  w_st(o) later_t(h a o) ] / scale,   average = sum_s share_s v_s / normaliser

`re_estimated` keeps one number of a history, the average, because the agent there does not know what an earlier agent
knew about its slot; `on_the_slot` keeps one number a slot, although the action was chosen by the average. Letters: s
numbers the slots of a history, t those one step on. Reference: The Multi-slot Framework, sections 4.2 and 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any, NamedTuple, Protocol, TypeAlias

from multislot.planning.arithmetic import Arithmetic, Scalar
from multislot.worlds.environment import Label

Kept: TypeAlias = Any
Later: TypeAlias = Mapping[Label, Kept]


class Linear(NamedTuple):
    """The value of a step as a linear form of later values, in numbers of an arithmetic, all multiplied by `scale`.

    rewards: by s. copy_weights: by observation, (s, t, w_st). total_copy_weight: by observation, sum_t w_st by s.
    multiplicity: by s, for how many the slot counts; empty where all count for one.
    """

    scale: int
    rewards: Sequence[Any]
    copy_weights: Mapping[Label, tuple[tuple[int, int, Any], ...]]
    total_copy_weight: Mapping[Label, Sequence[Any]]
    multiplicity: Sequence[Any]

    def normaliser(self, shares: Sequence[Any]) -> Any:
        """What the average divides by."""
        return sum(map(mul, shares, self.multiplicity)) if self.multiplicity else sum(shares)


class Continuation(Protocol):
    """How the values of a step are read from what was kept of the histories after it."""

    def back_up(self, step: Linear, shares: Sequence[Any], later: Later, arithmetic: Arithmetic) -> tuple[Scalar, Kept]:
        """The average over the slots, and what earlier steps need of this history if the action is chosen."""
        ...

    def slot_values(self, step: Linear, later: Later, arithmetic: Arithmetic) -> list[Scalar]:
        """v_s by slot."""
        ...


class ReEstimated:
    """later_t(h a o) = V(h a o), whatever the slot t."""

    def back_up(self, step: Linear, shares: Sequence[Any], later: Later, arithmetic: Arithmetic) -> tuple[Scalar, Kept]:
        """The average, twice."""
        weights, values = [sum(map(mul, shares, step.rewards))], [1]
        for observation, kept in later.items():
            weights.append(sum(map(mul, shares, step.total_copy_weight[observation])))
            values.append(kept)
        average = arithmetic.combine(weights, values, step.scale * step.normaliser(shares))
        return average, average

    def slot_values(self, step: Linear, later: Later, arithmetic: Arithmetic) -> list[Scalar]:
        """v_s with the same later value for all copies."""
        seen = list(later)
        values = [1, *(later[observation] for observation in seen)]
        return [
            arithmetic.combine(
                [reward, *(step.total_copy_weight[observation][s] for observation in seen)], values, step.scale
            )
            for s, reward in enumerate(step.rewards)
        ]


class OnTheSlot:
    """later_t(h a o) = v_t(h a o, a*) with a* the action that is best on average."""

    def back_up(self, step: Linear, shares: Sequence[Any], later: Later, arithmetic: Arithmetic) -> tuple[Scalar, Kept]:
        """The average, and the values by slot."""
        values = self.slot_values(step, later, arithmetic)
        return arithmetic.combine(shares, values, step.normaliser(shares)), values

    def slot_values(self, step: Linear, later: Later, arithmetic: Arithmetic) -> list[Scalar]:
        """v_s with each copy's own later value."""
        weights = [[reward] for reward in step.rewards]
        values: list[list[Any]] = [[1] for _ in step.rewards]
        for observation, kept in later.items():
            for s, t, weight in step.copy_weights[observation]:
                weights[s].append(weight)
                values[s].append(kept[t])
        return [arithmetic.combine(w, v, step.scale) for w, v in zip(weights, values, strict=True)]


re_estimated: Continuation = ReEstimated()
on_the_slot: Continuation = OnTheSlot()
