"""Compare the behaviours of several coefficients and formulations, side by side, as in the paper's Figures 2 and 3.

Each formulation has a row of panels: a path, the world as the agent leaves it, and bars of the returns. Coefficients
with the same behaviour share a panel. By default every segment is shown, on a number line with the exact break points;
with --care also all paths on one map. Without --out it is drawn as text, as wide as the terminal; --out writes .png,
.svg, .pdf, or any film format."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass

from caregrid.arguments.craft import PolicyArguments, ProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from engine.value_types import Frames, TileSize

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class CompareArguments(ProblemArguments, PolicyArguments, JsonArgument):
    """A problem, the coefficients and formulations to compare, and the picture."""

    formulation: str | None = option(
        None, "formulations, separated by commas (default: the scenario's)", metavar="F,F", kinds=("formulations",)
    )
    care: str = option("segments", "caring coefficients, or segments (default): all that differ", metavar="X,X,...")
    tile: TileSize = option(32, "pixels a cell (default 32)", metavar="N")
    headless: bool = option(False, "accepted everywhere; comparing needs no display")
    frames: Frames | None = option(None, "accepted everywhere; a comparison is one frame", metavar="N")
    out: str | None = option(None, "where to write the picture", metavar="FILE")


def run(arguments: CompareArguments) -> int:
    from dataclasses import replace

    from caregrid.programmes.caring.comparison import PathComparison
    from renderers.text import draw, shows_colour

    if arguments.out:
        PathComparison.checked_picture(arguments.out)
    problem = replace(arguments, formulation=None).problem()
    paths = problem.compare(arguments.care, arguments.formulation, arguments.tile, arguments.policy)
    if arguments.out:
        paths.save_picture(arguments.out)
    if arguments.json:
        compared = paths.as_dict()["rows"]
        print_json("compare", {"scenario": arguments.scenario, "out": arguments.out, "rows": compared})
    elif arguments.out:
        print(f"{paths.title}: {arguments.out}")
    else:
        print(draw(paths.scene, coloured=shows_colour(sys.stdout), width=shutil.get_terminal_size().columns))
    return 0
