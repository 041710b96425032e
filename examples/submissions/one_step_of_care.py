"""The optimum of a coefficient that is rounded down to 0, 1/2, 1, 2, 4, 8 ...: who cares need not care exactly.

A submission to the benchmark: this text says what the method is, and `method` is it (see docs/bench.md).
"""

import math
from typing import Any

from engine.planning.dynamic_programming import plan


def method(problem: Any, care: float) -> Any:
    """An action for each state, int32[S]."""
    step = 2.0 ** math.floor(math.log2(care)) if care >= 0.5 else 0.0
    start = int(problem.mdp.start_states()[0])
    return plan(problem.make_augmented_table(step, start)).policy
