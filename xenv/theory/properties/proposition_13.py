"""Proposition 13 of the reality check, each part as a statement that can be checked.

Alexander et al. 2021, Proposition 13: alternate definition, idempotence, equivalence on genuine history, equivalence in
non-extended environments.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.agents.reality_check import reality_check, reality_check_alternate
from xenv.theory.histories import Prompt
from xenv.theory.interaction import interact
from xenv.theory.response import HistoryEnvironment


def alternate_definition_agrees(agent: HistoryAgent, prompt: Prompt) -> bool:
    """Part 1: comparing with pi_RC and comparing with pi give the same action."""
    return reality_check(agent)(prompt) == reality_check_alternate(agent)(prompt)


def is_idempotent(agent: HistoryAgent, prompt: Prompt) -> bool:
    """Part 2: the reality check of the reality check acts as the reality check."""
    once = reality_check(agent)
    return reality_check(once)(prompt) == once(prompt)


def acts_alike_on_genuine_history(agent: HistoryAgent, environment: HistoryEnvironment, turns: int) -> bool:
    """Part 3: on every prompt of its own interaction with an extended environment pi_RC acts as pi."""
    play = interact(reality_check(agent), environment, turns).play
    last, action = play.decomposed()
    return [*agent.actions(last)] == [*play.actions[:-1], action]


def acts_alike_in_ordinary(agent: HistoryAgent, environment: HistoryEnvironment, turns: int) -> bool:
    """Part 4: pi_RC and pi interact alike with an environment that does not look at the agent."""
    return interact(reality_check(agent), environment, turns) == interact(agent, environment, turns)
