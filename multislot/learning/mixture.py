"""A finite class of environments with prior weights, the world of a learning agent; a class of one is a known world.

    V(h, a) = sum over nu of  w_nu(h) V_nu(h, a),   w_nu(h) proportional to w_nu L_nu(h)

The agent's later behaviour, in every V_nu, is that of the agent that does not know nu. Reference: The Multi-slot
Framework, Eq. 2 (to the letter with the likelihood `prior`) and section 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engine.errors import BadValue
from multislot.learning.likelihood import Evidence, Likelihood, evidence_after, first_evidence
from multislot.learning.likelihoods import named_likelihood
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label


@dataclass(frozen=True)
class Mixture:
    """A Bayesian mixture of environments.

    environments: with the same actions, and the same reward for each observation. weights: the prior, > 0, one each,
    in any scale. likelihood: of histories, for the posterior. Raises BadValue where they do not fit together.
    """

    environments: tuple[HistoryBasedEnvironment, ...]
    weights: tuple[Fraction, ...]
    likelihood: Likelihood

    def __post_init__(self) -> None:
        if not self.environments or len(self.environments) != len(self.weights):
            raise BadValue("a class needs as many weights as environments, at least one")
        if any(weight <= 0 for weight in self.weights):
            raise BadValue("a prior weight is not positive", remedy="leave that environment out")
        first = self.environments[0]
        for other in self.environments[1:]:
            if other.actions != first.actions:
                raise BadValue(f"'{other.name}' has other actions than '{first.name}'", remedy="list the same actions")
            for observation in other.rewards:
                if other.rewards[observation] != self.rewards[observation]:
                    raise BadValue(
                        f"observation {observation!r} pays differently in '{other.name}'",
                        remedy="a reward is a function of the observation",
                    )

    @property
    def actions(self) -> tuple[Label, ...]:
        """The actions, in the order that breaks ties."""
        return self.environments[0].actions

    @property
    def rewards(self) -> dict[Label, Fraction]:
        """Every observation of the class with its reward."""
        merged: dict[Label, Fraction] = {}
        for environment in self.environments:
            for observation, reward in environment.rewards.items():
                merged.setdefault(observation, reward)
        return merged

    def evidence(self, history: AgentHistory) -> tuple[Evidence, ...]:
        """What every environment makes of a history, weighted by the prior and normalised_evidence."""
        evidence = tuple(
            first_evidence(environment, self.likelihood).scaled(weight)
            for environment, weight in zip(self.environments, self.weights, strict=True)
        )
        for action, observation in history:
            evidence = self.evidence_after(evidence, action, observation)
        return normalised_evidence(evidence)

    def posterior(self, history: AgentHistory) -> tuple[Fraction, ...]:
        """w_nu(h) by environment; all 0 where none can have produced the history."""
        if len(self.environments) == 1:
            return (Fraction(1),)
        return tuple(entry.likelihood() for entry in self.evidence(history))

    def evidence_after(self, evidence: tuple[Evidence, ...], action: Label, observation: Label) -> tuple[Evidence, ...]:
        """The evidence one step later, not normalised_evidence."""
        return tuple(
            evidence_after(environment, self.likelihood, before, action, observation)
            for environment, before in zip(self.environments, evidence, strict=True)
        )


def normalised_evidence(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence scaled so that the likelihoods, then the posterior weights, sum to 1; unchanged where all are 0."""
    total = sum(entry.likelihood() for entry in evidence)
    return tuple(entry.scaled(1 / total) for entry in evidence) if total else evidence


def single_environment(environment: HistoryBasedEnvironment, likelihood: str = "prior") -> Mixture:
    """The class of one environment, in which there is nothing to learn. UnknownName for an unknown likelihood."""
    return Mixture((environment,), (Fraction(1),), named_likelihood(likelihood))
