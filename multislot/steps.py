"""What one action does to one belief, in the numbers of a backend: compiled once, used for all equal states.

For source slot s and the slots t one step on:  v_s = reward_s + sum over o of  sum over t of  w_st(o) later_t(h a o)
with reward_s = sum over j, o of w_sj(o) r(o), and the discount already in w_st(o).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from multislot.backend import Backend, Number
from multislot.belief import Spread, laws_of, spreads
from multislot.environment import Copying, HistoryEnvironment, Label, Slot, State
from multislot.future import Future
from multislot.reading import Carry


class Step(NamedTuple):
    """By observation: where the masses go and what later values count for; by slot: rewards and shares of the crowd."""

    spreads: Mapping[Label, Spread]
    carries: Mapping[Label, Carry]
    rewards: Sequence[Number]
    crowd: Sequence[Number]

    def slot_values(self, future: Future, later: Mapping[Label, Any]) -> list[Number]:
        """v_s by source slot, given what is kept of the next histories by observation."""
        values = list(self.rewards)
        for observation, carry in self.carries.items():
            if observation in later:
                future.read.later(carry, later[observation], values)
        return values

    def average(self, shares: Sequence[Number], values: Sequence[Number]) -> Number:
        """sum_s P^s v_s, over the crowd that the slots count for."""
        whole = sum(map(lambda share, count: share * count, shares, self.crowd))
        average: Number = sum(map(lambda share, value: share * value, shares, values)) / whole
        return average


@dataclass
class Steps:
    """The steps of one environment at one time, compiled when first asked for."""

    environment: HistoryEnvironment
    future: Future
    discount: Fraction
    backend: Backend
    time: int
    compiled: dict[tuple[State, tuple[Slot, ...], Label], Step] = field(default_factory=dict)

    def __call__(self, state: State, slots: tuple[Slot, ...], action: Label) -> Step:
        """The step of a belief's state and slots under an action."""
        key = (state, slots, action)
        if key not in self.compiled:
            self.compiled[key] = self._compile(*key)
        return self.compiled[key]

    def _compile(self, state: State, slots: tuple[Slot, ...], action: Label) -> Step:
        laws = laws_of(self.environment, state, slots, action)
        spread = spreads(self.environment, state, laws, action, self.future.place)
        rewards = [Fraction(0)] * len(slots)
        carries: dict[Label, list[tuple[int, int, Number]]] = {observation: [] for observation in spread}
        for s, (slot, law) in enumerate(zip(slots, laws, strict=True)):
            weights = self.future.weigh(Copying(slot, law, self.time, self.environment.rewards))
            for (copy, observation), weight in weights.items():
                rewards[s] += weight * self.environment.rewards[observation]
                if weight and observation in spread and copy in spread[observation].slots:
                    t = spread[observation].slots.index(copy)
                    carries[observation].append((s, t, self.backend.number(weight * self.discount)))
        return Step(
            spread,
            {observation: tuple(carry) for observation, carry in carries.items()},
            [self.backend.number(reward) for reward in rewards],
            [self.backend.number(self.future.crowd(law)) for law in laws],
        )
