"""Find every optimal behaviour for several coefficients at once, and where each is optimal.

There is one coefficient for each agent (--axes; "own" is the weight of the acting agent's own reward), or for each
belief (--beliefs: the probabilities with which newcomers come). If all coefficients equal c, it is the caring
coefficient c of other commands. A region is a polyhedron: the printed inequalities, or "halfspaces" in JSON, which are
rows [a_1, ..., a_k, b] of a . c <= b. --out draws one coefficient as a number line and two as a map, with the path of
each region."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import CareRangeArguments, ProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.effort import QuietArgument
from caregrid.arguments.printed import JsonArgument

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class RegionsArguments(ProblemArguments, CareRangeArguments, JsonArgument, QuietArgument):
    """A problem, the coefficients, and the picture."""

    axes: str = option("", "agents, or own (default: every agent)", metavar="NAME,NAME,...")
    beliefs: str = option("", "newcomers that may come: their probabilities are the axes", metavar="NAME,NAME,...")
    care: float = option(1.0, "the coefficient of agents without an axis (default 1)", metavar="X")
    epsilon: float = option(
        0.0, "stop at behaviours that lose at most E of the return, absolutely (default 0: all)", metavar="E"
    )
    out: str | None = option(None, "where to write the picture or table (.png, .svg, .pdf, .csv, ...)", metavar="FILE")


def run(arguments: RegionsArguments) -> int:
    regions = arguments.problem().regions(
        _names(arguments.axes),
        beliefs=_names(arguments.beliefs),
        between=arguments.between(),
        care=arguments.care,
        epsilon=arguments.epsilon,
        out=arguments.out or None,
        progress=arguments.progress("plans"),
    )
    arguments.print_result("regions", regions)
    return 0


def _names(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",")) if given.strip() else ()
