"""What an agent is: `act` answers without changing anything, `train` is the only thing that changes it.

An agent measured by an environment that simulates it must give the same answer however often it is asked; that is
why acting and learning are two methods and why `fork` exists (Alexander et al. 2021, section 4). Whether an agent
keeps to it is checked by `engine.check_agent.check_agent`. `has_terminated` says whether a transition ended its
episode, in plain and compiled code alike (`engine.compiling.teaching`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple


class Transition(NamedTuple):
    """One step (o, a, r, o') of an interaction; `terminated` ends an episode, a time limit does not."""

    observation: int
    action: int
    reward: float
    next_observation: int
    terminated: bool = False


class Agent(ABC):
    """A learner that is asked for actions and trained on transitions, both at the caller's pace.

    Asking twice changes nothing; only `train` changes an agent; a fork shares no mutable state. A class that has the
    three methods counts as an agent without deriving from this one.
    """

    @abstractmethod
    def act(self, observation: int) -> int:
        """The action (0 .. n_actions-1) for an observation (0 .. n_observations-1); changes nothing."""

    @abstractmethod
    def train(self, transition: Transition) -> None:
        """Learn from one transition, whether it happened to this agent or not."""

    @abstractmethod
    def fork(self) -> Agent:
        """An independent twin: the same past, and the same answers as long as both are trained alike."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return _has_methods(other, ("act", "train", "fork")) if cls is Agent else NotImplemented


class AgentSpec(ABC):
    """A frozen dataclass of hyper-parameters, named as in the literature, that builds fresh agents.

    ignores_other_hyperparameters: whether a hyper-parameter that the spec does not have may be set, to no effect, as
    with a constructor that takes any keyword; otherwise it is refused.
    """

    ignores_other_hyperparameters: ClassVar[bool] = False

    @abstractmethod
    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """A fresh agent for observations 0 .. n_observations-1 and actions 0 .. n_actions-1.

        key: of all its random numbers; equal keys give equal agents.
        """

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return _has_methods(other, ("build",)) if cls is AgentSpec else NotImplemented


def _has_methods(kind: type, names: tuple[str, ...]) -> bool:
    """Whether a class or one of its ancestors defines all of these; NotImplemented, for Python's own search, if not."""
    if all(any(name in vars(ancestor) for ancestor in kind.__mro__) for name in names):
        return True
    undecided: bool = NotImplemented
    return undecided


def has_terminated(transition: Transition) -> bool:
    """Whether the episode ended with this transition (reaching a time limit is not an ending)."""
    return transition.terminated
