"""Play a game whose rewards are only shown, and act as if they were real: `self_insertion(crying_baby)`.

    e'(T, p a) = (r, o) with o^ = e(T, p a) and r = 1 where a = T(p'), else -1, with p' made of the percepts o^_i

The game answers the play in the room, whose rewards are r and whose observations are shown percepts.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Reward Agent for
Self-Inserting.

Differs from the paper:
- the first percept is encoded too, e'(T, ()) = (0, o) with o^ = e(T, ()); the paper's is e(T, ()) itself, whose
  observation, read as every other one, would stand for another percept
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.enumerations.percepts import number_of_percept, percept_at
from xenv.theory.example import TheoryExample
from xenv.theory.examples.counting import counting
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.response import ZERO, HistoryEnvironment, response, sign


def _self_insertion(environment: HistoryEnvironment) -> HistoryEnvironment:
    """The room in which the game stands."""

    def room(agent: HistoryAgent, play: Play) -> Percept:
        shown = number_of_percept(response(environment, agent, play))
        if not play:
            return Percept(ZERO, shown)
        prompt, action = play.decomposed()
        return Percept(sign(action == agent(inserted(prompt))), shown)

    return room


def inserted(prompt: Prompt) -> Prompt:
    """p', the prompt as it would be, were the shown rewards and observations real."""
    entries = list(prompt)
    shown = list(map(percept_at, prompt.observations))
    entries[0::3], entries[1::3] = zip(*shown, strict=True)
    return Prompt(entries)


self_insertion = TheoryExample(_self_insertion, sample=(counting(),), of_environments=True, n_observations=None)
