"""Find every coefficient at which the optimal policy changes, and what it changes to.

The optimal return is piecewise linear in the caring coefficient; all segments are computed at once, exactly. A break
point belongs to the segment on its right, the one with the larger auxiliary value. What ties there is listed as the
two parts of the augmented return: the own one, weighted by --own, and the auxiliary one, which care multiplies."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.craft import ProblemArguments, named_problem
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from caregrid.outcome_json import values_text

if TYPE_CHECKING:
    from craftworld.solution.solution import CaringSegment

HEAD = ("care from", "to", "own", "total", "others")


@dataclass(frozen=True, kw_only=True)
class BreakpointsArguments(ProblemArguments, JsonArgument):
    """A problem and a range of coefficients."""

    care_min: float = option(0.0, "from this coefficient on (default 0; may be -inf)", metavar="X")
    care_max: float = option(math.inf, "up to this coefficient (default: no bound)", metavar="X")


def run(arguments: BreakpointsArguments) -> int:
    from caregrid.sweep_output import break_points_dict
    from craftworld.solution.solution import ties, trade_off
    from engine.errors import BadValue
    from experiments.tables import aligned_lines

    problem = named_problem(arguments).make_problem()
    if not arguments.care_min < arguments.care_max:
        raise BadValue(
            f"care from {arguments.care_min} to {arguments.care_max} is empty", place="--care-max", remedy="raise it"
        )
    if arguments.json:
        print(json.dumps(break_points_dict(problem, arguments.care_min, arguments.care_max)))
        return 0
    segments = trade_off(problem, arguments.care_min, arguments.care_max)
    tied = ties(problem, arguments.care_min, arguments.care_max)
    print("\n".join(aligned_lines([HEAD, *map(_cells, segments)], right=range(4))))
    for tie in tied:
        policies = "; ".join(f"own {line.own:g}, auxiliary {line.auxiliary:g}" for line in tie.lines)
        text = (
            f"these tie, and the largest auxiliary value is taken: {policies}"
            if policies
            else "a policy that never ends becomes optimal"
        )
        print(f"at {tie.care:g} {text}")
    return 0


def _cells(segment: CaringSegment) -> tuple[str, ...]:
    """A segment as texts in the order of HEAD."""
    left = "-inf" if segment.care_from is None else f"{segment.care_from:g}"
    right = "inf" if segment.care_to is None else f"{segment.care_to:g}"
    outcome = segment.outcome
    others = "the optimal policy never ends" if math.isnan(outcome.total) else values_text(outcome.others)
    return left, right, f"{outcome.own:g}", f"{outcome.total:g}", others
