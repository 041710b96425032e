"""An environment to try others with: it shows how many turns have passed and rewards action 1."""

from __future__ import annotations

from xenv.theory.histories import History, HistoryAgent, Percept


def counting(agent: HistoryAgent, play: History) -> Percept:
    """Reward 1 for action 1, else 0; the observation is the number of turns so far."""
    return Percept(1.0 if play and play[-1] == 1 else 0.0, len(play) // 3)
