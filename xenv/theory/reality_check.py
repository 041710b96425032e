"""The reality check of a function of histories.

    pi_RC(x1 y1 ... xn) = pi(x1 y1 ... xn)  if y_i = pi_RC(x1 y1 ... xi) for all i < n,  else pi(x1)

Alexander et al. 2021, Definition 10 (by part 1 of Proposition 13, comparing with pi itself gives the same agent).
"""

from __future__ import annotations

from xenv.theory.histories import History, HistoryAgent


def reality_check(agent: HistoryAgent) -> HistoryAgent:
    """The agent that reviews the whole history before it acts."""

    def checked(prompt: History) -> int:
        genuine = all(prompt[end] == checked(prompt[:end]) for end in range(2, len(prompt), 3))
        return agent(prompt) if genuine else agent(prompt[:2])

    return checked
