"""One number for the scores of a method (Agarwal et al. 2021, section 4.3).

    mean   over environments of the means over runs, which is what papers print
    iqm    interquartile mean: the mean of the middle half of all R x M scores

Leading axes, such as one of resamples, are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from engine.mdp.mdp import Floats

Aggregate: TypeAlias = Callable[[Floats], Any]
TRIMMED = 0.25  # of all scores, at either end


def mean(scores: Floats) -> Any:
    """f64[...] from f64[..., R, M]."""
    return scores.mean(axis=(-2, -1))


def interquartile_mean(scores: Floats) -> Any:
    """f64[...] from f64[..., R, M]; a quarter of the scores, rounded down, is left out at either end."""
    pooled = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = int(TRIMMED * pooled.shape[-1])
    return pooled[..., cut : pooled.shape[-1] - cut].mean(axis=-1)
