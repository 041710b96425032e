"""A history-based environment run in the general protocol: every slot follows its own law, drawn independently.

    nu(c o | all that happened) = product over occupied slots i of  nu(c^i o^i | h^i a^i, i)

Reference: The Multi-slot Framework, Definition 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import prod

from engine.randomness.counter_based import uniform
from engine.randomness.inverse_cdf import inverse_cdf
from multislot.worlds.environment import (
    CopyOutcome,
    HistoryBasedEnvironment,
    Label,
    Law,
    Slot,
    checked_law,
    state_after,
)
from multislot.worlds.protocol import MultiSlotEnvironment, ProtocolResponse, Trace


class Independent(MultiSlotEnvironment):
    """The slots of a history-based environment side by side."""

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        self.environment = environment
        self.name, self.actions = environment.name, environment.actions
        self.observations, self.initial = tuple(environment.rewards), environment.initial

    def where(self) -> str:
        """Where the history-based environment is defined."""
        return self.environment.where()

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        """Every combination of the slots' outcomes."""
        laws = self._laws(past, actions)
        for outcomes in product(*laws.values()):
            yield self._together(dict(zip(laws, outcomes, strict=True)))

    def draw(self, past: Trace, actions: Mapping[Slot, Label], key: int) -> ProtocolResponse:
        """Each slot's outcome by its own number."""
        chosen = {
            slot: law[inverse_cdf([outcome.probability for outcome in law], uniform(key, len(past), slot))]
            for slot, law in self._laws(past, actions).items()
        }
        return self._together(chosen)

    def _laws(self, past: Trace, actions: Mapping[Slot, Label]) -> dict[Slot, Law]:
        histories = past[-1].histories
        return {
            slot: checked_law(self.environment, state_after(self.environment, histories[slot]), slot, action)
            for slot, action in actions.items()
        }

    def _together(self, outcomes: Mapping[Slot, CopyOutcome]) -> ProtocolResponse:
        observations = {slot: label for outcome in outcomes.values() for slot, label in outcome.copies.items()}
        probability = prod((outcome.probability for outcome in outcomes.values()), start=Fraction(1))
        return ProtocolResponse(probability, {source: tuple(o.copies) for source, o in outcomes.items()}, observations)
