"""Reinforcement learning itself as an environment: play an environment to a horizon, or leave it, in one action.

    o_n = n;   r = the total of T in e_i over m turns, where a = 0 ("play"), else 0;   n <-> (i, m - 1)

The pair that n stands for is Cantor's; the environments e_0, ..., e_{k-1} come round again, e_i with i mod k.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Reinforcement Learning itself, as an environment.

Differs from the paper:
- provability is replaced: the paper shows the environments in which ZFC proves T's total for all time, in the order in
  which they are proved; here all pairs of an environment and a horizon are shown, and the totals are computed
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.enumerations.pairs import unpaired
from xenv.theory.example import TheoryExample
from xenv.theory.examples.backward_consciousness import backward_consciousness
from xenv.theory.examples.crying_baby import crying_baby
from xenv.theory.examples.deja_vu import deja_vu
from xenv.theory.examples.ignoring_rewards import ignoring_rewards
from xenv.theory.examples.incentive_to_incentivize import incentive_to_incentivize
from xenv.theory.examples.newcomb import newcomb
from xenv.theory.histories import Percept, Play
from xenv.theory.interaction import interact
from xenv.theory.response import ZERO, HistoryEnvironment

PLAY = 0
ENVIRONMENTS = tuple(
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


def computed_total(environments: Sequence[HistoryEnvironment], agent: HistoryAgent, number: int) -> Fraction:
    """The agent's total in the environment, over the horizon, for which a number stands."""
    place, turns = unpaired(number)
    return interact(agent, environments[place % len(environments)], turns + 1).total


def _learning_itself(environments: Sequence[HistoryEnvironment]) -> HistoryEnvironment:
    """The environment that offers environments, one after the other."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        turn = len(play) // 3
        played = bool(play) and play[-1] == PLAY
        return Percept(computed_total(environments, agent, turn - 1) if played else ZERO, turn)

    return environment


learning_itself = TheoryExample(_learning_itself, sample=(ENVIRONMENTS,), n_observations=None)
