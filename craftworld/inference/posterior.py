"""What demonstrations say about who comes: P(V | demonstrations), updated one demonstration at a time.

    P(V | d_1, ..., d_n)  is in proportion to  P(V) prod_i prod_t P(a_t | s_t, V)

All demonstrations are by one and the same newcomer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from craftworld.inference.candidates import Candidate
from engine.errors import BadValue
from engine.mdp.mdp import Floats

ShownActions = Sequence[tuple[object, str]]


@dataclass(frozen=True)
class Posterior:
    """candidates: N. log_weight: f64[N], the logarithm of prior times likelihood. seen: how many demonstrations."""

    candidates: tuple[Candidate, ...]
    log_weight: Floats
    seen: int = 0

    @classmethod
    def prior(cls, candidates: tuple[Candidate, ...], prior: Sequence[float] | None = None) -> Posterior:
        """Before any demonstration. prior: by default the scenario's P(V), scaled to sum 1.

        Raises BadValue for a prior that is not a distribution over the candidates.
        """
        given = [each.newcomer.probability for each in candidates] if prior is None else list(prior)
        fits = len(given) == len(candidates) and all(math.isfinite(each) and each >= 0.0 for each in given)
        if not fits or not sum(given) > 0.0:
            raise BadValue(f"prior {given}", place="prior", remedy=f"give {len(candidates)} chances, not all 0")
        with np.errstate(divide="ignore"):
            return cls(candidates, np.log(np.array(given, dtype=np.float64) / sum(given)))

    def updated(self, demonstration: ShownActions) -> Posterior:
        """After one more; BadValue where no candidate can have shown it."""
        more = np.array([each.log_likelihood(demonstration) for each in self.candidates])
        total = self.log_weight + more
        if np.isneginf(total).all():
            raise BadValue(
                f"demonstration {self.seen + 1} is impossible for every candidate",
                place="demonstrations",
                remedy="check its start and actions",
            )
        return replace(self, log_weight=total, seen=self.seen + 1)

    @property
    def probability(self) -> Floats:
        """f64[N]: P(V | demonstrations)."""
        weight = np.exp(self.log_weight - self.log_weight.max())
        return np.asarray(weight / weight.sum())
