"""Statistics of few runs in many environments, after Agarwal et al., "Deep Reinforcement Learning at the Edge of the
Statistical Precipice" (NeurIPS 2021): interquartile means, stratified bootstrap, profiles, chances of improvement.

Scores are f64[R, M]: R runs (seeds) in M environments, on one scale in all of them.
"""
