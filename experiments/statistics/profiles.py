"""Performance profiles: the share of runs that score above each threshold (Agarwal et al. 2021, section 4.2, Eq. 2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.mdp.mdp import Floats


def performance_profile(scores: Floats, thresholds: Floats) -> Any:
    """f64[..., T] from f64[..., R, M] and f64[T]: over all runs and environments, the share of scores > threshold."""
    pooled = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    total = pooled.shape[-1]
    flat = pooled.reshape(-1, total)
    above = np.stack([total - np.searchsorted(row, thresholds, side="right") for row in flat])
    return above.reshape(*pooled.shape[:-1], len(thresholds)) / total
