"""A finite class of environments with prior weights, the world of a learning agent; a class of one is a known world.

    V(h, a) = sum over nu of  w_nu(h) V_nu(h, a),   w_nu(h) proportional to w_nu L_nu(h)

The agent's later behaviour, in every V_nu, is that of the agent that does not know nu. Reference: The Multi-slot
Framework, Eq. 2 (to the letter with the likelihood `prior`) and section 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from engine.errors import BadValue, did_you_mean
from engine.printable import shown_value
from multislot.learning.evidence import Evidence, EvidenceUpdates
from multislot.learning.likelihood import Likelihood
from multislot.learning.likelihoods import named_likelihood
from multislot.validity.conflicts import refuse_conflicts
from multislot.worlds.checked import CheckedEnvironment
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label

NOTHING_LEARNED = named_likelihood("prior")


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
                        f"observation {shown_value(observation)} has another reward in '{other.name}'",
                        remedy="give each observation one reward",
                    )

    @cached_property
    def members(self) -> tuple[CheckedEnvironment, ...]:
        """The environments, checked, in one spelling of labels: that of the first environment that has the label."""
        alone = [CheckedEnvironment(environment) for environment in self.environments]
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

    def spelled(self, history: AgentHistory) -> AgentHistory:
        """A history in the spelling of the class; BadValue, naming the entry, for a label that it does not list."""
        actions = {str(label): label for label in self.actions}
        observations = {str(label): label for label in self.rewards}
        known: list[tuple[Label, Label]] = []
        for step, (action, observation) in enumerate(history, start=1):
            for label, labels, kind in ((action, actions, "action"), (observation, observations, "observation")):
                if str(label) not in labels:
                    problem, remedy = f"unknown {kind} '{label}'", did_you_mean(str(label), labels)
                    raise BadValue(problem, place=f"history, step {step}", remedy=remedy)
            known.append((actions[str(action)], observations[str(observation)]))
        return tuple(known)

    def evidence(self, history: AgentHistory) -> tuple[Evidence, ...]:
        """What every environment makes of a history, weighted by the prior, normalised."""
        evidence = tuple(
            updates.first().scaled(weight) for updates, weight in zip(self.evidence_updates, self.weights, strict=True)
        )
        for action, observation in history:
            evidence = self.evidence_after(evidence, action, observation)
        return normalised_evidence(evidence)

    def require_protocol(self, steps: int) -> None:
        """CopyConflict where within so many time steps two agents of a member can be copied onto one slot."""
        for member in self.members:
            refuse_conflicts(member, steps)

    def require_possible(self, history: AgentHistory) -> None:
        """BadValue, naming the entry, for a history of which no member of the class can have produced the beginning."""
        every = [EvidenceUpdates(member, NOTHING_LEARNED) for member in self.members]
        evidence = [updates.first() for updates in every]
        for step, (action, observation) in enumerate(history, start=1):
            evidence = [
                updates.after(before, action, observation) for updates, before in zip(every, evidence, strict=True)
            ]
            if not any(entry.slots for entry in evidence):
                problem = f"no environment of the class can produce '{action},{observation}' here"
                raise BadValue(problem, place=f"history, step {step}", remedy="give a history that one of them allows")

    def posterior(self, history: AgentHistory) -> tuple[Fraction, ...]:
        """w_nu(h) by environment; all 0 where none can have produced the history."""
        if len(self.environments) == 1:
            return (Fraction(1),)
        return tuple(entry.likelihood() for entry in self.evidence(history))

    def evidence_after(self, evidence: tuple[Evidence, ...], action: Label, observation: Label) -> tuple[Evidence, ...]:
        """The evidence one step later, not normalised."""
        return tuple(
            updates.after(before, action, observation)
            for updates, before in zip(self.evidence_updates, evidence, strict=True)
        )


def normalised_evidence(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence scaled so that the likelihoods, then the posterior weights, sum to 1; unchanged where all are 0."""
    total = sum(entry.likelihood() for entry in evidence)
    return tuple(entry.scaled(1 / total) for entry in evidence) if total else evidence


def single_environment(environment: HistoryBasedEnvironment, likelihood: str = "prior") -> Mixture:
    """The class of one environment, in which there is nothing to learn. UnknownName for an unknown likelihood."""
    return Mixture((environment,), (Fraction(1),), named_likelihood(likelihood))
