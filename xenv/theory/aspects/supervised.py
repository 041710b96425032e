"""f: an agent as a supervised learner, which says for each label with what probability it is an image's.

The images of the training set are shown one after the other, image i as 2 i + 1; the agent's guess is its action mod
the number of labels, and the next reward is 1 if it was right, else -1. Then the image in question is shown.

    f(A)(I) = 1 for the label that A takes, 0 for the others

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Supervised learning), which leaves f open.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO, sign


class SupervisedTrial(NamedTuple):
    """<L, T, I, p>: labels 0 .. n_labels - 1, training set of (image, label), an image, each label's probability."""

    n_labels: int
    training: tuple[tuple[int, int], ...]
    image: int
    probabilities: tuple[Fraction, ...]


def supervised_learner(
    agent: HistoryAgent, n_labels: int, training: tuple[tuple[int, int], ...], image: int
) -> tuple[Fraction, ...]:
    """f(A), trained: the probability of each label of an image."""
    play, reward = Play(), ZERO
    for shown, label in training:
        prompt = play.prompt(Percept(reward, 2 * shown + 1))
        action = agent(prompt)
        play, reward = prompt.play(action), sign(action % n_labels == label)
    chosen = agent(play.prompt(Percept(reward, 2 * image + 1))) % n_labels
    return tuple(Fraction(label == chosen) for label in range(n_labels))


def looks_supervised(agent: HistoryAgent, trial: SupervisedTrial) -> bool:
    """Whether f(A) outputs the trial's probabilities."""
    return supervised_learner(agent, trial.n_labels, trial.training, trial.image) == trial.probabilities


def default_supervised_trials() -> tuple[SupervisedTrial, ...]:
    """Two labels, three training sets, two images, and all certain and the undecided probabilities."""
    certain, half = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    return tuple(
        SupervisedTrial(2, training, image, probabilities)
        for training in ((), ((0, 0), (1, 1)), ((0, 1), (1, 0), (0, 1)))
        for image in (0, 1)
        for probabilities in (certain, certain[::-1], half)
    )
