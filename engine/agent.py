"""The contract of agents: `act` answers and changes nothing, only `train` changes an agent, `fork` copies it.

An environment may simulate the agent that it measures. Such an agent must give the same answer however often it is
asked: hence acting and learning are two methods, and `fork` exists (Alexander et al. 2021, section 4).
`engine.check_agent.check_agent` checks the contract. `has_terminated` says whether a transition ended its episode, in
plain and compiled code alike (`engine.compiling.teaching`).

A spec is a frozen dataclass whose fields are its hyper-parameters. One around another (a transformation, a factory)
answers for it by its own methods `with_hyperparameters(**changes)` and `hyperparameter(name)`. A spec with a
hyper-parameter `stacks` can put its learners into stacks that others share.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from engine.errors import BadValue


class Transition(NamedTuple):
    """One step (o, a, r, o') of an interaction.

    action: the one that the agent chose. terminated: whether the world ended the episode, not a time limit. executed:
    the action that the world carried out, None where it does not say. info: what a Gymnasium world says beside it.
    """

    observation: int
    action: int
    reward: float
    next_observation: int
    terminated: bool = False
    executed: int | None = None
    info: Mapping[str, Any] | None = None


class Agent(ABC):
    """A learner that is asked for actions and trained on transitions, both at the caller's pace.

    `act` changes nothing, however often it is called; only `train` changes an agent; a fork shares no mutable state
    with its original. A class that has the three methods counts as an agent without deriving from this one.

    What an agent would do if it did not explore is asked of `act(observation, explore=False)` where `act` has that
    parameter, and otherwise read from an attribute `values`, f64[n_observations, n_actions]. Both may be absent.

    References
    ----------
    S. Alexander et al., "Extending Environments To Measure Self-Reflection In Reinforcement Learning", 2021, section 4.

    Examples
    --------
    >>> from engine.agents.constant import Constant
    >>> agent = Constant(action=2).build(n_observations=3, n_actions=4, key=0)
    >>> agent.train(Transition(observation=0, action=2, reward=1.0, next_observation=1))
    >>> agent.act(1)
    2
    """

    @abstractmethod
    def act(self, observation: int) -> int:
        """Return the action for an observation, and change nothing.

        Parameters
        ----------
        observation : int
            From 0 to n_observations - 1.

        Returns
        -------
        int
            The action, from 0 to n_actions - 1.
        """

    @abstractmethod
    def train(self, transition: Transition) -> None:
        """Learn from one transition, whether it happened to this agent or not.

        Parameters
        ----------
        transition : Transition
            A step (o, a, r, o'); where it terminated, no value is bootstrapped from o'.
        """

    @abstractmethod
    def fork(self) -> Agent:
        """Return an independent twin.

        Returns
        -------
        Agent
            An agent with the same past, which gives the same answers as long as both are trained alike.
        """

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return _has_methods(other, ("act", "train", "fork")) if cls is Agent else NotImplemented


class AgentSpec(ABC):
    """A frozen dataclass of hyper-parameters, named as in the literature, that builds fresh agents.

    Attributes
    ----------
    ignores_other_hyperparameters : bool
        Whether a hyper-parameter that the spec does not have may be set, to no effect, as with a constructor that takes
        any keyword; otherwise it is refused.
    """

    ignores_other_hyperparameters: ClassVar[bool] = False

    @abstractmethod
    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """Build a fresh agent.

        Parameters
        ----------
        n_observations : int
            Observations are numbers from 0 to n_observations - 1.
        n_actions : int
            Actions are numbers from 0 to n_actions - 1.
        key : int
            The key of all random numbers of the agent; equal keys give equal agents.

        Returns
        -------
        Agent
            An agent that has not been trained.
        """

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return _has_methods(other, ("build",)) if cls is AgentSpec else NotImplemented


def _has_methods(kind: type, names: tuple[str, ...]) -> bool:
    """Return True where a class and its ancestors define all of these, else NotImplemented: Python searches on."""
    if all(any(name in vars(ancestor) for ancestor in kind.__mro__) for name in names):
        return True
    undecided: bool = NotImplemented
    return undecided


def has_terminated(transition: Transition) -> bool:
    """Return whether the world ended the episode with this transition; a time limit ends none."""
    return transition.terminated


class UnknownHyperparameter(BadValue):
    """A copy was asked for with a hyper-parameter that the agent's spec does not have; environments may handle it."""

    def __init__(self, name: str, owner: str, known: list[str]) -> None:
        remedy = "choose from " + ", ".join(known) if known else "it has none"
        super().__init__(f"no hyper-parameter '{name}'", place=owner, remedy=remedy)


def with_hyperparameters(spec: AgentSpec, **changes: Any) -> AgentSpec:
    """Return a spec with some hyper-parameters replaced; raise UnknownHyperparameter where it refuses one of that name.

    A spec that `ignores_other_hyperparameters` refuses none: those that it does not have change nothing.
    """
    if not changes:
        return spec
    own = getattr(spec, "with_hyperparameters", None)
    if own is not None:
        other: AgentSpec = own(**changes)
        return other
    known = hyperparameter_names(spec)
    for name in changes:
        if name not in known and not getattr(spec, "ignores_other_hyperparameters", False):
            raise UnknownHyperparameter(name, type(spec).__name__, known)
    own_changes = {name: value for name, value in changes.items() if name in known}
    replaced: AgentSpec = dataclasses.replace(spec, **own_changes) if own_changes else spec  # type: ignore[type-var]
    return replaced


def hyperparameter(spec: AgentSpec, name: str) -> Any:
    """Return the value of a hyper-parameter; raise UnknownHyperparameter where the spec has none of that name."""
    own = getattr(spec, "hyperparameter", None)
    if own is not None:
        return own(name)
    if name not in hyperparameter_names(spec):
        raise UnknownHyperparameter(name, type(spec).__name__, hyperparameter_names(spec))
    return getattr(spec, name)


def hyperparameter_names(spec: AgentSpec) -> list[str]:
    """Return the names of the hyper-parameters that a spec itself has."""
    return [field.name for field in dataclasses.fields(spec)] if dataclasses.is_dataclass(spec) else []
