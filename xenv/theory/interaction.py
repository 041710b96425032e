"""The result of an agent interacting with an extended environment, and its totals.

    (r_i, o_i) = e(T, <r_0, o_0, a_0, ..., a_{i-1}>),   a_i = T(<r_0, o_0, a_0, ..., r_i, o_i>)
    total = r_0 + r_1 + ... + r_n,   discounted total = r_0 + gamma r_1 + ... + gamma^n r_n     after n actions

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Definition 3 and
Definition 5 (total reward).

Choices:
- n turns are n actions; the reward that the last of them leads to counts too
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from engine.plain_values import write_rational
from engine.value_types import HISTORY_TURNS, Discount, HistoryTurns, require
from xenv.theory.agents import HistoryAgent, as_agent
from xenv.theory.environments import HistoryEnvironment, respond
from xenv.theory.histories import Percept, Play, Prompt, as_rational

MOST_TURNS = HISTORY_TURNS.most
"""Examples evaluate the agent on histories of every length up to the number of turns."""


@dataclass(frozen=True)
class Interaction:
    """The first turns of an interaction. play: the turns. last: the percept to which the last action has led."""

    play: Play
    last: Percept

    @property
    def rewards(self) -> tuple[Fraction, ...]:
        """r_0, ..., r_n: one more than there are actions."""
        return (*self.play.rewards, self.last.reward)

    @property
    def total(self) -> Fraction:
        """Return the sum of all rewards."""
        return self.sum_discounted(1)

    def sum_discounted(self, discount: Fraction | int) -> Fraction:
        """Return the sum of gamma^i r_i; raise BadValue for a discount outside 0 .. 1 or a sum of too many digits."""
        gamma = as_rational(discount, "discount")
        require("discount", gamma, Discount)
        total = Fraction(0)
        for reward in reversed(self.rewards):
            total = reward + gamma * total
            write_rational(total)
        return total


def interact(agent: HistoryAgent | Callable[[Prompt], int], environment: HistoryEnvironment, turns: int) -> Interaction:
    """Let an agent interact with an environment.

    Parameters
    ----------
    agent : HistoryAgent or function
        A function from a prompt to an action.
    environment : function
        From an agent and a play to a percept.
    turns : int
        The number of actions, from 1 to `MOST_TURNS`.

    Returns
    -------
    Interaction
        The play and the last percept.

    Raises
    ------
    BadValue
        If `turns` is out of range.
    ContractBroken
        If an answer of the agent is not an action, or one of the environment is not a percept.

    Examples
    --------
    >>> from xenv.theory import THEORY_EXAMPLES
    >>> result = interact(lambda prompt: 0, THEORY_EXAMPLES["newcomb"](), turns=2)
    >>> [str(reward) for reward in result.rewards], str(result.total)
    (['0', '1000000', '1000000'], '2000000')
    """
    count = int(require("turns", turns, HistoryTurns))
    measured = as_agent(agent)
    play = Play()
    percept = respond(environment, measured, play)
    for _ in range(count):
        prompt = play.prompt(percept)
        play = prompt.play(measured.action(prompt))
        percept = respond(environment, measured, play)
    return Interaction(play, percept)
