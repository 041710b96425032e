"""Recognise what you would predict of a sequence that evades you.

    r = 1 where a > 0 and T's predictor would guess so, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Adversarial sequence prediction); the transformation is in
`xenv/theory/aspects/prediction.py`.

Choices:
- trials are finitely many, shown in order again and again;
  `sequence_prediction(my_trials)` in Python takes others, or more
"""

from __future__ import annotations

from collections.abc import Sequence

from xenv.theory.aspects.prediction import PredictionTrial, default_prediction_trials, looks_predicted
from xenv.theory.aspects.recognition import Recognition, trials_of
from xenv.theory.example import TheoryExample


def _sequence_prediction(shown: Sequence[PredictionTrial]) -> Recognition:
    return trials_of(shown, looks_predicted)


sequence_prediction = TheoryExample(
    _sequence_prediction, sample=(default_prediction_trials(),), is_merciful=True, n_observations=None
)
