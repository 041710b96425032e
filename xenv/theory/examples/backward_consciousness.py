"""Act as if everything had happened in reverse.

    r = 1 where a_n = T(r_n, o_n, a_{n-1}, ..., a_0, r_0, o_0), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, Percept, sign


def reversed_prompt(prompt: History) -> History:
    """The percepts and actions of a prompt, last ones first."""
    percepts = [prompt[place : place + 2] for place in range(0, len(prompt), 3)][::-1]
    actions = prompt[2::3][::-1]
    backward = list(percepts[0])
    for action, percept in zip(actions, percepts[1:], strict=True):
        backward += [action, *percept]
    return tuple(backward)


def _environment(agent: HistoryAgent, play: History) -> Percept:
    if not play:
        return Percept(0.0, 0)
    *prompt, action = play
    return Percept(sign(action == agent(reversed_prompt(tuple(prompt)))), 0)


backward_consciousness = TheoryExample(lambda: _environment, is_handicap=True)
