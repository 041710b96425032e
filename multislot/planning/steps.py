"""What one action does to one belief: where its masses go and what it is worth, compiled once for all equal states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from multislot.future import Future
from multislot.planning.arithmetic import Arithmetic
from multislot.planning.belief import Spread, laws_of, spreads
from multislot.planning.continuation import Linear
from multislot.worlds.environment import HistoryBasedEnvironment, HistoryState, Label, Law, Slot, SlotTransition


class Step(NamedTuple):
    """By observation, where the masses go; and the value as a linear form of what comes later."""

    spreads: Mapping[Label, Spread]
    worth: Linear


@dataclass
class Steps:
    """The steps of one environment at one time, compiled when first asked for."""

    environment: HistoryBasedEnvironment
    future: Future
    discount: Fraction
    arithmetic: Arithmetic
    time: int
    compiled: dict[tuple[HistoryState, tuple[Slot, ...], Label], Step] = field(default_factory=dict)

    def __call__(self, state: HistoryState, slots: tuple[Slot, ...], action: Label) -> Step:
        """The step of a belief's state and slots under an action."""
        key = (state, slots, action)
        if key not in self.compiled:
            laws = laws_of(self.environment, state, slots, action)
            spread = spreads(self.environment, state, laws, action, self.future.admissible)
            self.compiled[key] = Step(spread, self._worth(slots, laws, spread))
        return self.compiled[key]

    def _worth(self, slots: tuple[Slot, ...], laws: list[Law], spread: Mapping[Label, Spread]) -> Linear:
        """reward_s = sum over j, o of w_sj(o) r(o), and the weights of later values with the discount in them."""
        pay = self.environment.rewards
        rewards = [Fraction(0)] * len(slots)
        copy_weights: dict[Label, list[tuple[int, int, Fraction]]] = {observation: [] for observation in spread}
        for s, (slot, law) in enumerate(zip(slots, laws, strict=True)):
            for (copy, observation), weight in self.future.copy_weights(
                SlotTransition(slot, law, self.time, pay)
            ).items():
                rewards[s] += weight * pay[observation]
                if observation in spread and copy in spread[observation].slots:
                    t = spread[observation].slots.index(copy)
                    copy_weights[observation].append((s, t, weight * self.discount))
        multiplicity = [self.future.multiplicity(law) for law in laws]
        return self._linear(rewards, copy_weights, [] if set(multiplicity) == {1} else multiplicity)

    def _linear(
        self,
        rewards: list[Fraction],
        copy_weights: dict[Label, list[tuple[int, int, Fraction]]],
        multiplicity: list[Fraction],
    ) -> Linear:
        """The same in the numbers of the arithmetic, multiplied by what makes them cheap."""
        weights = [weight for carry in copy_weights.values() for _, _, weight in carry]
        scale = self.arithmetic.scale([number.denominator for number in (*rewards, *weights)])

        def scaled(fraction: Fraction) -> int | float:
            return self.arithmetic.weight(fraction, scale)

        total_copy_weight = {
            observation: [sum((w for source, _, w in carry if source == s), Fraction(0)) for s in range(len(rewards))]
            for observation, carry in copy_weights.items()
        }
        return Linear(
            scale,
            [scaled(reward) for reward in rewards],
            {o: tuple((s, t, scaled(weight)) for s, t, weight in carry if weight) for o, carry in copy_weights.items()},
            {o: [scaled(weight) for weight in pull] for o, pull in total_copy_weight.items()},
            [self.arithmetic.number(count) for count in multiplicity],
        )
