"""The contract of agents: `act` answers and changes nothing, only `train` changes an agent, `fork` copies it.

An environment may simulate the agent that it measures. Such an agent must give the same answer however often it is
asked: hence acting and learning are two methods, and `fork` exists (Alexander et al. 2021, section 4).
`engine.check_agent.check_agent` checks the contract. `has_terminated` says whether a transition ended its episode, in
plain and compiled code alike (`engine.compiling.teaching`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple


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
