"""How likely one method scores higher than another (Agarwal et al. 2021, section 4.3).

P(X > Y) = mean over environments of the share of pairs of runs with x > y, a tie counting one half
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.mdp.mdp import Floats


def probability_of_improvement(better: Floats, worse: Floats) -> Any:
    """f64[...] from f64[..., R, M] and f64[..., R', M], the same environments in both."""
    environments = better.shape[-1]
    shares = [_share_of_pairs(better[..., m], worse[..., m]) for m in range(environments)]
    return np.mean(shares, axis=0)


def _share_of_pairs(better: Floats, worse: Floats) -> Any:
    pairs = better[..., :, np.newaxis], worse[..., np.newaxis, :]
    return (np.greater(*pairs) + 0.5 * np.equal(*pairs)).mean(axis=(-2, -1))
