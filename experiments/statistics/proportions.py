"""Shares of few trials: E. B. Wilson's score interval (1927), within 0 and 1, and with a width at both ends.

(p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)
"""

from __future__ import annotations

import math
from statistics import NormalDist

from engine.errors import BadValue

LEVEL = 0.95


def wilson_interval(successes: int, trials: int, level: float = LEVEL) -> tuple[float, float]:
    """The ends of the interval of a share; BadValue where it is not a share or the level none between 0 and 1."""
    if not 0 <= successes <= trials or trials < 1:
        remedy = "give 0 <= successes <= trials and at least one trial"
        raise BadValue(f"{successes} of {trials} is not a share", place="wilson_interval", remedy=remedy)
    if not 0 < level < 1:
        raise BadValue(f"level {level}", place="wilson_interval", remedy="choose it between 0 and 1, such as 0.95")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low, high = ((centre + sign * margin) / (1 + z * z / trials) for sign in (-1, 1))
    return (0.0 if successes == 0 else low, 1.0 if successes == trials else high)
