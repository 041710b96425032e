"""Adversarial sequence prediction against oneself: the opponent sees the agent's last action, its reward is negated."""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START, HistoryEnvironment, sign


def against_oneself(wins_by_agreeing: int) -> HistoryEnvironment:
    """wins_by_agreeing: 1 for the predictor, 0 for the evader."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        *past, action = play.actions
        seen = [START, *(Percept(-reward, own) for reward, own in zip(play.rewards[1:], past, strict=True))]
        opponents = agent.answers(seen).actions[-1]
        return Percept(sign((action == opponents) == bool(wins_by_agreeing)), opponents)

    return environment
