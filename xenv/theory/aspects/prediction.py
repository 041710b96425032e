"""The predictor of adversarial sequence prediction that an agent makes: it guesses an evader's next bit.

Before each guess the evader's last bit b is shown as 2 b + 1 (1 at first), with reward 1 if the last guess was right,
-1 if it was wrong, 0 at first. The guess is the agent's action mod 2.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Adversarial sequence prediction), which leaves the transformation open; the game
is B. Hibbard's, "Adversarial sequence prediction", 2008.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO, sign


class PredictionTrial(NamedTuple):
    """The bits of an evader, and guesses at them."""

    bits: tuple[int, ...]
    guesses: tuple[int, ...]


def predictor(agent: HistoryAgent, bits: tuple[int, ...]) -> tuple[int, ...]:
    """Its guesses at the bits, each made before the bit is shown."""
    play, percept, guesses = Play(), Percept(ZERO, 1), list[int]()
    for bit in bits:
        prompt = play.prompt(percept)
        action = agent(prompt)
        guesses.append(action % 2)
        play, percept = prompt.play(action), Percept(sign(action % 2 == bit), 2 * bit + 1)
    return tuple(guesses)


def looks_predicted(agent: HistoryAgent, trial: PredictionTrial) -> bool:
    """Whether the predictor that A makes would guess so."""
    return predictor(agent, trial.bits) == trial.guesses


def default_prediction_trials() -> tuple[PredictionTrial, ...]:
    """Four sequences of three bits, each with all guesses."""
    sequences = ((0, 0, 0), (0, 1, 0), (1, 1, 1), (1, 1, 0))
    every = tuple(itertools.product((0, 1), repeat=3))
    return tuple(PredictionTrial(bits, guesses) for bits in sequences for guesses in every)
