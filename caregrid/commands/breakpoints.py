"""Find every coefficient at which the optimal policy changes, and what it changes to.

The optimal return is piecewise linear in the caring coefficient; all segments of the range are computed at once,
exactly, and nothing outside it is solved. Where the optimum is not finite the range says from which limit on. A break
point belongs to the segment on its right, the one with the larger auxiliary value. What ties there is listed as the
two parts of the augmented return: the own one, weighted by --own, and the auxiliary one, which care multiplies."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.craft import CareRangeArguments, ProblemArguments
from caregrid.arguments.printed import JsonArgument


@dataclass(frozen=True, kw_only=True)
class BreakpointsArguments(ProblemArguments, CareRangeArguments, JsonArgument):
    """A problem and a range of coefficients."""


def run(arguments: BreakpointsArguments) -> int:
    points = arguments.problem().breakpoints(arguments.between())
    print(json.dumps(points.as_dict()) if arguments.json else points.text())
    return 0
