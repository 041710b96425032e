"""The opposite of an environment of the theory: all rewards are multiplied by -1.

    e'(T, p) = (-r, o)  with  (r, o) = e(T, p)

Alexander et al. 2021, section 6. The play p holds the negated rewards, as `xenv.opposites.literal_opposite` has it.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import HistoryEnvironment, response


def opposite_example(environment: HistoryEnvironment) -> HistoryEnvironment:
    """The environment with negated rewards."""

    def negated(agent: HistoryAgent, play: Play) -> Percept:
        reward, observation = response(environment, agent, play)
        return Percept(-reward, observation)

    return negated
