"""Recognise how you would divide points into clusters.

    r = 1 where a > 0 and g(T) clusters D into C, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Unsupervised learning); the transformation is in
`xenv/theory/aspects/clustering.py`.

Choices:
- trials are finitely many, shown in order again and again;
  `clustering(my_trials)` in Python takes others, or more
"""

from __future__ import annotations

from collections.abc import Sequence

from xenv.theory.aspects.clustering import ClusteringTrial, default_clustering_trials, looks_clustered
from xenv.theory.aspects.recognition import Recognition, trials_of
from xenv.theory.example import TheoryExample


def _clustering(shown: Sequence[ClusteringTrial]) -> Recognition:
    return trials_of(shown, looks_clustered)


clustering = TheoryExample(_clustering, sample=(default_clustering_trials(),), is_merciful=True, n_observations=None)
