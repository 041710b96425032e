"""Find every coefficient at which the optimal policy changes, and what it changes to.

The optimal return is piecewise linear in the caring coefficient. All segments of the range are computed at once,
exactly; nothing outside the range is computed. If the optimum stops being finite, the last line says at which limit. A
break point belongs to the segment on its right, which has the larger auxiliary value. Both optima at a break point are
listed with the two parts of the augmented return: the own part, weighted by --own, and the auxiliary part, which care
multiplies. --certify proves each number: exact fractions, or error bounds. --json also gives the cost of the search:
states, and policies evaluated per segment."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import CareRangeArguments, CertifyArgument, ProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class BreakpointsArguments(ProblemArguments, CareRangeArguments, CertifyArgument, JsonArgument):
    """A problem and a range of coefficients."""

    epsilon: float = option(
        0.0, "keep the fewest segments that lose at most E of the return, absolutely (default 0: all)", metavar="E"
    )


def run(arguments: BreakpointsArguments) -> int:
    points = arguments.problem().breakpoints(arguments.between(), epsilon=arguments.epsilon)
    if arguments.json:
        result = points.certified_dict() if arguments.certify else points.as_dict()
        print_json("breakpoints", result | {"cost": points.cost_dict()})
    else:
        print_text(points.certified_text() if arguments.certify else points.text())
    return 0
