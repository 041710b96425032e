"""One thread inside a worker: workers already use the cores, and sums in another order may give other bytes."""

from __future__ import annotations

import os
import sys

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
LIMITS = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


def limit_inner_threads() -> None:
    """Limit this process: libraries loaded later obey the environment, those already loaded are set.

    numba's variable is left alone: numba reads it again at every compilation and refuses to see it changed, which a
    cluster that spawns workers may do for a moment; and it starts threads for parallel kernels only, of which we have
    none.
    """
    os.environ.update(LIMITS)
    if "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
