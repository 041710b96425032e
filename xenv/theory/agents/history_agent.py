"""What an agent of the theory is: a function from prompts to actions, of which each prompt is evaluated once.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Definition 2.

Differs from the paper:
- agents are Python objects rather than Turing machines; one that never halts never halts here either
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from xenv.theory.histories import Percept, Play, Prompt


class Work(NamedTuple):
    """What a computation takes. steps: lines of Python run. memory: the most items held in local variables at once."""

    steps: int
    memory: int


class HistoryAgent(ABC):
    """T: called with a prompt, or any sequence that is one, it gives the action.

    name: how results call it. A subclass remembers what it has computed, so that asking again costs a look-up.
    """

    name = "agent"

    def __call__(self, prompt: Sequence[Any]) -> int:
        """T(p); BadValue where p is not a prompt, ContractBroken where the agent gives no action."""
        return self.action(Prompt(prompt))

    @abstractmethod
    def action(self, prompt: Prompt) -> int:
        """T(p), for a prompt that is validated already."""

    @abstractmethod
    def actions(self, prompt: Prompt) -> Iterator[int]:
        """T(r_0 o_0), T(r_0 o_0 a_0 r_1 o_1), ..., T(p): what it would do at each turn of a history, one by one."""

    def answers(self, percepts: Iterable[Percept]) -> Play:
        """The play in which it is given these percepts and acts itself: what a copy does that is given them.

        It has r_i and o_i from the percepts and a_i = T(r_0 o_0 a_0 ... r_i o_i).
        """
        play = Play()
        for percept in percepts:
            prompt = play.prompt(percept)
            play = prompt.play(self.action(prompt))
        return play

    def work(self, prompt: Prompt) -> Work:
        """What computing T(p) takes, nothing being remembered."""
        *_, last = self.works(prompt)
        return last

    @abstractmethod
    def works(self, prompt: Prompt) -> Iterator[Work]:
        """What computing each of `actions` takes."""
