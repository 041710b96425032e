"""Recognise yourself: is this what you would do?

    e(T, p a) = (r, n),   r = 1 where a > 0 and a' = T(p'), or a = 0 and a' != T(p'), else 0;   p_{n-1} = p' a'

The play p_n is shown as its number n in the canonical enumeration (`xenv.theory.enumerations.plays`). p_0 = <0, 0, 0>
asks about the prompt at which it is shown: there no answer is right.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Incentivizing Self-recognition.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.aspects.recognition import Recognition
from xenv.theory.enumerations.plays import play_at
from xenv.theory.example import TheoryExample


def would_act_so(agent: HistoryAgent, number: int) -> bool:
    """Whether the last action of p_n is what the agent would have done."""
    prompt, action = play_at(number).decomposed()
    return agent(prompt) == action


self_recognition = TheoryExample(
    lambda: Recognition(lambda turn: turn, would_act_so, lambda prompt: prompt.observations[-1] or None),
    is_merciful=True,
    n_observations=None,
)
