"""Greedy actions, state by state as their definition says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.mdp.mdp import Floats
from engine.planning.dynamic_programming import find_greedy_policy

NUMBERS = st.sampled_from([-np.inf, -2.0, -1.0, -1e-12, 0.0, 1e-12, 1.0, 1.0 + 1e-12, 3.0])
ROWS = arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=NUMBERS)


@settings(deadline=None)
@given(ROWS, st.sampled_from([0.0, 1e-9]))
def test_the_first_action_close_to_the_best(action_value: Floats, tolerance: float) -> None:
    for row, chosen in zip(action_value, find_greedy_policy(action_value, tolerance, 1.0), strict=True):
        best = max(row)
        least = best - tolerance * max(1.0, abs(best)) if np.isfinite(best) else -np.inf
        assert chosen == next(action for action, value in enumerate(row) if value >= least)
