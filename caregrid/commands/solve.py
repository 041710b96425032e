"""Solve a scenario exactly at one caring coefficient.

Prints the acting agent's own return, each newcomer's value, the total, what is handed over, and the actions. `--draw`
draws every state of the acting agent's episode and of the newcomers' episodes after it. `--certify` proves each number:
exact fractions, or error bounds."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import CareArgument, CertifyArgument, ProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class SolveArguments(ProblemArguments, CareArgument, CertifyArgument, JsonArgument):
    """A problem and a coefficient."""

    draw: bool = option(False, "draw the episodes", aliases=("--frames",))


def run(arguments: SolveArguments) -> int:
    solution = arguments.problem().solve(arguments.care)
    drawings = solution.drawings() if arguments.draw else []
    if arguments.json:
        result = solution.certified_dict() if arguments.certify else solution.as_dict()
        print_json("solve", result | ({"frames": drawings} if arguments.draw else {}))
        return 0
    for drawing in drawings:
        print(drawing, end="\n\n")
    print_text(solution.certified_text() if arguments.certify else solution.text())
    return 0
