"""Environments with other environments inside: play a game whose rewards are only shown, or choose what to play.

    self_insertion:   e'(T, p a) = (r, o) with o^ = e(T, p a) and r = 1 where a = T(p'), else -1
    learning_itself:  o_n = n,  n <-> (i, m - 1);  r = the total of T in e_i over m turns where a = 0 ("play"), else 0

`counting` is an ordinary environment to try them with: it shows how many turns have passed and rewards action 1.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Reward Agent for
Self-Inserting (Example 7), and Reinforcement Learning itself, as an environment (Example 13).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from xenv.theory.agents import HistoryAgent
from xenv.theory.enumerations import decode_percept, encode_percept, unpair_number
from xenv.theory.environments import ZERO, HistoryEnvironment, TheoryExample, respond, sign, truth
from xenv.theory.examples.baby_and_predictor import crying_baby, newcomb
from xenv.theory.examples.handicap_examples import (
    backward_consciousness,
    deja_vu,
    ignoring_rewards,
    incentive_to_incentivize,
)
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.interaction import interact

__all__ = ["counting", "learning_itself", "self_insertion"]


def _count_turns(agent: HistoryAgent, play: Play) -> Percept:
    return Percept(truth(bool(play) and play[-1] == 1), len(play) // 3)


counting = TheoryExample(lambda: _count_turns, is_merciful=True, n_observations=None)
"""An ordinary environment to try others with: it shows how many turns have passed and rewards action 1.

It does not look at the agent, and is merciful.
"""


def _show_game(environment: HistoryEnvironment) -> HistoryEnvironment:
    """Return the room in which the game stands."""

    def room(agent: HistoryAgent, play: Play) -> Percept:
        shown = encode_percept(respond(environment, agent, play))
        if not play:
            return Percept(ZERO, shown)
        prompt, action = play.decompose()
        return Percept(sign(action == agent(insert_percepts(prompt))), shown)

    return room


def insert_percepts(prompt: Prompt) -> Prompt:
    """p', the prompt as it would be, were the shown rewards and observations real."""
    entries = list(prompt)
    shown = list(map(decode_percept, prompt.observations))
    entries[0::3], entries[1::3] = zip(*shown, strict=True)
    return Prompt(entries)


self_insertion = TheoryExample(_show_game, sample=(counting(),), of_environments=True, n_observations=None)
"""Play a game whose rewards are only shown, and act as if they were real: `self_insertion(crying_baby)`.

    e'(T, p a) = (r, o) with o^ = e(T, p a) and r = 1 where a = T(p'), else -1, with p' made of the percepts o^_i

The game answers the play in the room, whose rewards are r and whose observations are shown percepts.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Reward Agent for
Self-Inserting.

Differs from the paper:
- the first percept is encoded too, e'(T, ()) = (0, o) with o^ = e(T, ()); the paper's is e(T, ()) itself, whose
  observation, read as every other one, would stand for another percept
"""

PLAY = 0
OFFERED_ENVIRONMENTS = tuple(
    example()
    for example in (
        ignoring_rewards,
        deja_vu,
        backward_consciousness,
        incentive_to_incentivize,
        crying_baby,
        newcomb,
    )
)


def compute_total(environments: Sequence[HistoryEnvironment], agent: HistoryAgent, number: int) -> Fraction:
    """Return the agent's total in the environment, over the horizon, for which a number stands."""
    place, turns = unpair_number(number)
    return interact(agent, environments[place % len(environments)], turns + 1).total


def _offer_environments(environments: Sequence[HistoryEnvironment]) -> HistoryEnvironment:
    """Return the environment that offers environments, one after the other."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        turn = len(play) // 3
        played = bool(play) and play[-1] == PLAY
        return Percept(compute_total(environments, agent, turn - 1) if played else ZERO, turn)

    return environment


learning_itself = TheoryExample(_offer_environments, sample=(OFFERED_ENVIRONMENTS,), n_observations=None)
"""Reinforcement learning itself as an environment: play an environment to a horizon, or leave it, in one action.

    o_n = n;   r = the total of T in e_i over m turns, where a = 0 ("play"), else 0;   n <-> (i, m - 1)

The pair that n stands for is Cantor's; the environments e_0, ..., e_{k-1} come round again, e_i with i mod k.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Reinforcement Learning itself, as an environment.

Differs from the paper:
- provability is replaced: the paper shows the environments in which ZFC proves T's total for all time, in the order in
  which they are proved; here all pairs of an environment and a horizon are shown, and the totals are computed
"""
