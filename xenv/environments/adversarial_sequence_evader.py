"""Evade the predictions of a predictor who is you.

Alexander et al. 2021, section 3.4.
"""

from __future__ import annotations

from xenv.environments._sequence_prediction import SequencePrediction


class AdversarialSequenceEvader(SequencePrediction):
    """The copy predicts."""

    in_benchmark = True

    def reward_for(self, agreed: bool) -> float:
        return -1.0 if agreed else 1.0
