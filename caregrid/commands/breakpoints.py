"""Find every coefficient at which the optimal policy changes, and what it changes to.

The optimal return is piecewise linear in the caring coefficient; all segments of the range are computed at once,
exactly, and nothing outside it is solved. Where the optimum is not finite the range says from which limit on. A break
point belongs to the segment on its right, the one with the larger auxiliary value. What ties there is listed as the
two parts of the augmented return: the own one, weighted by --own, and the auxiliary one, which care multiplies."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.craft import CareRangeArguments, ProblemArguments, named_problem
from caregrid.arguments.printed import JsonArgument
from caregrid.outcome_json import values_text

if TYPE_CHECKING:
    from craftworld.solution.solution import CaringSegment, Coverage

HEAD = ("care from", "to", "own", "total", "others")


@dataclass(frozen=True, kw_only=True)
class BreakpointsArguments(ProblemArguments, CareRangeArguments, JsonArgument):
    """A problem and a range of coefficients."""


def run(arguments: BreakpointsArguments) -> int:
    from caregrid.sweep_output import break_points_dict
    from craftworld.solution.solution import coverage, ties, trade_off
    from experiments.tables import aligned_lines

    between = arguments.between()
    problem = named_problem(arguments).make_problem()
    if arguments.json:
        print(json.dumps(break_points_dict(problem, between)))
        return 0
    segments = trade_off(problem, between)
    tied = ties(problem, between)
    print("\n".join(aligned_lines([HEAD, *map(_cells, segments)], right=range(4))))
    for tie in tied:
        policies = "; ".join(f"own {line.own:g}, auxiliary {line.auxiliary:g}" for line in tie.lines)
        if policies:
            print(f"at {tie.care:g} these tie, and the largest auxiliary value is taken: {policies}")
    print(_covered(coverage(problem, between)))
    return 0


def _covered(covered: Coverage) -> str:
    """The range that was solved, and where the optimum stops being finite, in words."""
    low = -math.inf if covered.care_from is None else covered.care_from
    high = math.inf if covered.care_to is None else covered.care_to
    limits = "".join(f"; at {limit:g} a policy that gains for ever becomes better" for limit in covered.limits)
    return f"covers care from {low:g} to {high:g}{limits}"


def _cells(segment: CaringSegment) -> tuple[str, ...]:
    """A segment as texts in the order of HEAD."""
    left = "-inf" if segment.care_from is None else f"{segment.care_from:g}"
    right = "inf" if segment.care_to is None else f"{segment.care_to:g}"
    outcome = segment.outcome
    others = "the optimal policy never ends" if math.isnan(outcome.total) else values_text(outcome.others)
    return left, right, f"{outcome.own:g}", f"{outcome.total:g}", others
