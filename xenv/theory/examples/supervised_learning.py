"""Recognise how you would label an image, had you been trained on other ones.

    r = 1 where a > 0 and f(T) outputs p for I after training, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Supervised learning); the transformation is in
`xenv/theory/aspects/supervised.py`.

Choices:
- trials are finitely many, shown in order again and again;
  `supervised_learning(my_trials)` in Python takes others, or more
"""

from __future__ import annotations

from collections.abc import Sequence

from xenv.theory.aspects.recognition import Recognition, trials_of
from xenv.theory.aspects.supervised import SupervisedTrial, default_supervised_trials, looks_supervised
from xenv.theory.example import TheoryExample


def _supervised_learning(shown: Sequence[SupervisedTrial]) -> Recognition:
    return trials_of(shown, looks_supervised)


supervised_learning = TheoryExample(
    _supervised_learning, sample=(default_supervised_trials(),), is_merciful=True, n_observations=None
)
