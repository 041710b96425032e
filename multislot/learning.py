"""Learning which world one is in: what each environment of a class makes of a history, and the posterior mixture.

    m(c', h a o) = sum over configurations c of  m(c, h) factor(c, c')                (`EvidenceUpdates`)
    V(h, a) = sum over nu of  w_nu(h) V_nu(h, a),   w_nu(h) proportional to w_nu L_nu(h)       (`Mixture`)

The evidence of an environment is who may have the history and the measure m of the likelihood; its factors depend on
the state of the history, the action and the observation alone, and are asked for once. A mixture is a finite class of
environments with prior weights, the world of a learning agent; a class of one is a known world. The agent's later
behaviour, in every V_nu, is that of the agent that does not know nu. Reference: The Multi-slot Framework, Eq. 2 (to
the letter with the likelihood `prior`) and section 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import BadValue, did_you_mean
from engine.printable import show_value
from multislot.likelihoods import Configuration, Likelihood, LikelihoodMeasure, find_likelihood
from multislot.worlds.conflicts import refuse_conflicts
from multislot.worlds.environment import (
    AgentHistory,
    CheckedEnvironment,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
)

if TYPE_CHECKING:
    pass


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

    def scale(self, factor: Fraction) -> Evidence:
        """Return the same evidence with all weights multiplied."""
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

    def start(self) -> Evidence:
        """Return the evidence of the empty history."""
        initial = self.environment.initial
        return Evidence(self.environment.start(), initial, self.likelihood.first_measure(initial))

    def update(self, evidence: Evidence, action: Label, observation: Label) -> Evidence:
        """Update evidence by an action and an observation; the environment is asked about possible histories only."""
        if not evidence.measure:
            return NO_EVIDENCE
        configurations, weights = zip(*evidence.measure, strict=True)
        flows = self.find_flows(evidence.state, bool(evidence.slots), configurations, action, observation)
        denominator = lcm(*(weight.denominator for weight in weights))
        masses = [weight.numerator * (denominator // weight.denominator) for weight in weights]
        measure = tuple(
            (successor, Fraction(sum(masses[c] * factor for c, factor in sources), denominator * flows.scale))
            for successor, sources in flows.sources.items()
        )
        return Evidence(*self._follow_slots(evidence.state, evidence.slots, action, observation), measure)

    def find_flows(
        self,
        state: HistoryState,
        possible: bool,
        configurations: tuple[Configuration, ...],
        action: Label,
        observation: Label,
    ) -> MeasureFlows:
        """Find how a measure goes on. possible: whether anybody can have the history; all laws are empty where not."""
        key = (state, possible, configurations, action, observation)
        if key in self._flows:
            return self._flows[key]

        def law_of(slot: Slot) -> Law:
            return self.environment.law(state, slot, action) if possible else ()

        flows: dict[Configuration, dict[int, Fraction]] = {}
        for c, configuration in enumerate(configurations):
            for successor, factor in self.likelihood.successors(configuration, law_of, observation):
                sources = flows.setdefault(successor, {})
                sources[c] = sources.get(c, Fraction(0)) + factor
        scale = lcm(*(factor.denominator for sources in flows.values() for factor in sources.values()))
        self._flows[key] = MeasureFlows(
            scale,
            {after: tuple((c, int(f * scale)) for c, f in flows[after].items()) for after in sorted(flows, key=str)},
        )
        return self._flows[key]

    def _follow_slots(
        self, state: HistoryState, slots: tuple[Slot, ...], action: Label, observation: Label
    ) -> tuple[HistoryState, tuple[Slot, ...]]:
        """Return the state of the history and the slots that may hold an agent with it."""
        key = (state, slots, action, observation)
        if key not in self._reached:
            outcomes = [outcome for slot in slots for outcome in self.environment.law(state, slot, action)]
            there = {slot for outcome in outcomes for slot, seen in outcome.copies.items() if seen == observation}
            successor = self.environment.update(state, action, observation) if there else None
            self._reached[key] = successor, tuple(sorted(there))
        return self._reached[key]


NOTHING_LEARNED = find_likelihood("prior")


@dataclass(frozen=True)
class Mixture:
    """A Bayesian mixture of environments.

    environments: with the same actions, and the same reward for each observation; 1 and "1" are one label. weights: the
    prior, > 0, one each, in any scale. likelihood: of histories, for the posterior. Raises BadValue where they do not
    fit together, ContractBroken where one declares anything wrong.
    """

    environments: tuple[HistoryBasedEnvironment, ...]
    weights: tuple[Fraction, ...]
    likelihood: Likelihood

    def __post_init__(self) -> None:
        if not self.environments or len(self.environments) != len(self.weights):
            problem = f"{len(self.weights)} weights for {len(self.environments)} environments"
            raise BadValue(problem, remedy="give one weight for each, and at least one environment")
        if any(weight <= 0 for weight in self.weights):
            raise BadValue("a prior weight is not positive", remedy="leave that environment out")
        first = self.members[0]
        for other in self.members[1:]:
            if other.actions != first.actions:
                raise BadValue(f"'{other.name}' has other actions than '{first.name}'", remedy="list the same actions")
            for observation in other.rewards:
                if other.rewards[observation] != self.rewards[observation]:
                    raise BadValue(
                        f"observation {show_value(observation)} has another reward in '{other.name}'",
                        remedy="give each observation one reward",
                    )

    @cached_property
    def members(self) -> tuple[CheckedEnvironment, ...]:
        """The environments, checked, in one spelling of labels: that of the first environment that has the label."""
        alone = [CheckedEnvironment(environment) for environment in self.environments]
        if len(alone) == 1:
            return (alone[0],)
        actions, observations = dict[str, Label](), dict[str, Label]()
        for member in alone:
            for spelling, labels in ((actions, member.actions), (observations, tuple(member.rewards))):
                for label in labels:
                    spelling.setdefault(str(label), label)
        return tuple(CheckedEnvironment(environment, actions, observations) for environment in self.environments)

    @cached_property
    def evidence_updates(self) -> tuple[EvidenceUpdates, ...]:
        """How the evidence of each environment goes on."""
        return tuple(EvidenceUpdates(member, self.likelihood) for member in self.members)

    @property
    def actions(self) -> tuple[Label, ...]:
        """The actions, in the order that breaks ties."""
        return self.members[0].actions

    @cached_property
    def rewards(self) -> dict[Label, Fraction]:
        """Every observation of the class with its reward."""
        merged: dict[Label, Fraction] = {}
        for member in self.members:
            for observation, reward in member.rewards.items():
                merged.setdefault(observation, reward)
        return merged

    def spell(self, history: AgentHistory) -> AgentHistory:
        """A history in the spelling of the class; BadValue, naming the entry, for a label that it does not list."""
        actions = {str(label): label for label in self.actions}
        observations = {str(label): label for label in self.rewards}
        known: list[tuple[Label, Label]] = []
        for step, (action, observation) in enumerate(history, start=1):
            for label, labels, kind in ((action, actions, "action"), (observation, observations, "observation")):
                if str(label) not in labels:
                    problem = f"unknown {kind} '{label}'"
                    remedy = did_you_mean(str(label), labels)
                    raise BadValue(problem, place=f"history, step {step}", remedy=remedy)
            known.append((actions[str(action)], observations[str(observation)]))
        return tuple(known)

    def compute_evidence(self, history: AgentHistory) -> tuple[Evidence, ...]:
        """Return what every environment makes of a history, weighted by the prior, normalised."""
        evidence = tuple(
            updates.start().scale(weight) for updates, weight in zip(self.evidence_updates, self.weights, strict=True)
        )
        for action, observation in history:
            evidence = self.update_evidence(evidence, action, observation)
        return normalise_evidence(evidence)

    def require_protocol(self, steps: int) -> None:
        """CopyConflict where within so many time steps two agents of a member can be copied onto one slot."""
        for member in self.members:
            refuse_conflicts(member, steps)

    def require_possible(self, history: AgentHistory) -> None:
        """BadValue, naming the entry, for a history of which no member of the class can have produced the beginning."""
        every = [EvidenceUpdates(member, NOTHING_LEARNED) for member in self.members]
        evidence = [updates.start() for updates in every]
        for step, (action, observation) in enumerate(history, start=1):
            evidence = [
                updates.update(before, action, observation) for updates, before in zip(every, evidence, strict=True)
            ]
            if not any(entry.slots for entry in evidence):
                problem = f"no environment of the class can produce '{action},{observation}' here"
                raise BadValue(problem, place=f"history, step {step}", remedy="give a history that one of them allows")

    def posterior(self, history: AgentHistory) -> tuple[Fraction, ...]:
        """w_nu(h) by environment; all 0 where none can have produced the history. BadValue for an unknown label."""
        history = self.spell(history)
        if len(self.environments) == 1:
            return (Fraction(1),)
        return tuple(entry.likelihood() for entry in self.compute_evidence(history))

    def update_evidence(
        self, evidence: tuple[Evidence, ...], action: Label, observation: Label
    ) -> tuple[Evidence, ...]:
        """Return the evidence one step later, not normalised."""
        return tuple(
            updates.update(before, action, observation)
            for updates, before in zip(self.evidence_updates, evidence, strict=True)
        )


def normalise_evidence(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence scaled so that the likelihoods, then the posterior weights, sum to 1; unchanged where all are 0."""
    total = sum(entry.likelihood() for entry in evidence)
    return tuple(entry.scale(1 / total) for entry in evidence) if total else evidence


def make_single_environment(environment: HistoryBasedEnvironment, likelihood: str = "prior") -> Mixture:
    """The class of one environment, in which there is nothing to learn. UnknownName for an unknown likelihood."""
    return Mixture((environment,), (Fraction(1),), find_likelihood(likelihood))


def parse_history(text: str, mixture: Mixture) -> AgentHistory:
    """Return the history written "a,o;a,o", in the labels of a world; BadValue for an unknown one."""
    steps: list[tuple[Label, Label]] = []
    for number, pair in enumerate(text.split(";") if text.strip() else (), start=1):
        words = [word.strip() for word in pair.split(",")]
        if len(words) != 2:
            place = f"history, step {number}"
            raise BadValue(f"'{pair}' is not a step", place=place, remedy="write action,observation")
        steps.append((words[0], words[1]))
    return mixture.spell(tuple(steps))
