"""Statistics of few runs in many environments: interquartile means, stratified bootstrap, profiles, improvement.

Reference: R. Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical Precipice", NeurIPS 2021.

Scores are f64[R, M]: R runs (seeds) in M environments, on one scale in all of them.
"""
