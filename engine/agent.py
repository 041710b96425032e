"""What an agent is: `act` answers without changing anything, `train` is the only thing that changes it.

An agent measured by an environment that simulates it must give the same answer however often it is asked; that is
why acting and learning are two methods and why `fork` exists (Alexander et al. 2021, section 4).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable


class Transition(NamedTuple):
    """One lived step: what was seen, done, paid and seen next; `terminated` ends an episode, a time limit does not."""

    observation: int
    action: int
    reward: float
    next_observation: int
    terminated: bool = False


@runtime_checkable
class Agent(Protocol):
    """Contract: asking twice changes nothing; only `train` changes an agent; a fork shares no mutable state."""

    def act(self, observation: int) -> int: ...

    def train(self, transition: Transition) -> None: ...

    def fork(self) -> Agent: ...


class AgentSpec(Protocol):
    """A frozen dataclass of hyper-parameters, named as in the literature, that builds fresh agents."""

    def build(self, n_observations: int, n_actions: int, key: int) -> Agent: ...
