"""What an environment makes of a history, step by step: who may have it, and the measure of the likelihood.

    m(c', h a o) = sum over configurations c of  m(c, h) factor(c, c')

The factors depend on the state of the history, the action and the observation alone, and are asked for once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from multislot.learning.likelihood import Configuration, Likelihood, LikelihoodMeasure
from multislot.worlds.checked import CheckedEnvironment
from multislot.worlds.environment import HistoryState, Label, Law, Slot


class MeasureFlows(NamedTuple):
    """Where a measure goes on an observation.

    scale: what the factors are multiplied by. sources: by configuration after it, the places of those before that it
    comes from, with the factors.
    """

    scale: int
    sources: Mapping[Configuration, tuple[tuple[int, int], ...]]


class Evidence(NamedTuple):
    """What one environment makes of a history: the state it leads to, who may have it, the measure of the likelihood.

    slots: those that may hold an agent with the history; empty, and the state None, where none can. measure: empty
    where the environment has no weight left.
    """

    state: HistoryState
    slots: tuple[Slot, ...]
    measure: LikelihoodMeasure

    def likelihood(self) -> Fraction:
        """L_nu(h), up to the factor divided out so far."""
        return sum((weight for _, weight in self.measure), Fraction(0))

    def scaled(self, factor: Fraction) -> Evidence:
        """The same evidence with all weights multiplied."""
        return self._replace(measure=tuple((configuration, weight * factor) for configuration, weight in self.measure))


NO_EVIDENCE = Evidence(None, (), ())
"""Of an environment that has no weight left."""


@dataclass
class EvidenceUpdates:
    """How the evidence of one environment goes on under a likelihood."""

    environment: CheckedEnvironment
    likelihood: Likelihood
    _flows: dict[Any, MeasureFlows] = field(default_factory=dict)
    _reached: dict[Any, tuple[HistoryState, tuple[Slot, ...]]] = field(default_factory=dict)

    def first(self) -> Evidence:
        """The evidence of the empty history."""
        initial = self.environment.initial
        return Evidence(self.environment.start(), initial, self.likelihood.first_measure(initial))

    def after(self, evidence: Evidence, action: Label, observation: Label) -> Evidence:
        """One action and observation later; the environment is asked only about what can happen in it."""
        if not evidence.measure:
            return NO_EVIDENCE
        configurations, weights = zip(*evidence.measure, strict=True)
        flows = self.flows(evidence.state, bool(evidence.slots), configurations, action, observation)
        denominator = lcm(*(weight.denominator for weight in weights))
        masses = [weight.numerator * (denominator // weight.denominator) for weight in weights]
        measure = tuple(
            (successor, Fraction(sum(masses[c] * factor for c, factor in sources), denominator * flows.scale))
            for successor, sources in flows.sources.items()
        )
        return Evidence(*self._after(evidence.state, evidence.slots, action, observation), measure)

    def flows(
        self,
        state: HistoryState,
        possible: bool,
        configurations: tuple[Configuration, ...],
        action: Label,
        observation: Label,
    ) -> MeasureFlows:
        """How a measure goes on. possible: whether anybody can have the history; all laws are empty where not."""
        key = (state, possible, configurations, action, observation)
        if key not in self._flows:
            self._flows[key] = self._computed(*key)
        return self._flows[key]

    def _computed(
        self,
        state: HistoryState,
        possible: bool,
        configurations: tuple[Configuration, ...],
        action: Label,
        observation: Label,
    ) -> MeasureFlows:
        def law_of(slot: Slot) -> Law:
            return self.environment.law(state, slot, action) if possible else ()

        flows: dict[Configuration, dict[int, Fraction]] = {}
        for c, configuration in enumerate(configurations):
            for successor, factor in self.likelihood.successors(configuration, law_of, observation):
                sources = flows.setdefault(successor, {})
                sources[c] = sources.get(c, Fraction(0)) + factor
        scale = lcm(*(factor.denominator for sources in flows.values() for factor in sources.values()))
        return MeasureFlows(
            scale,
            {after: tuple((c, int(f * scale)) for c, f in flows[after].items()) for after in sorted(flows, key=str)},
        )

    def _after(
        self, state: HistoryState, slots: tuple[Slot, ...], action: Label, observation: Label
    ) -> tuple[HistoryState, tuple[Slot, ...]]:
        """The state of the history and the slots that may hold an agent with it."""
        key = (state, slots, action, observation)
        if key not in self._reached:
            outcomes = [outcome for slot in slots for outcome in self.environment.law(state, slot, action)]
            there = {slot for outcome in outcomes for slot, seen in outcome.copies.items() if seen == observation}
            successor = self.environment.update(state, action, observation) if there else None
            self._reached[key] = successor, tuple(sorted(there))
        return self._reached[key]
