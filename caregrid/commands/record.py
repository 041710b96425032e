"""Record a scenario's exact solution as a film.

The ending of --out chooses the format: .gif, .png (contact sheet), .mp4, .json (to be replayed), .html (a page with a
player) or .txt. Several coefficients (`--care 0,1,6`) play side by side. `caregrid view --episode FILM.json` replays a
JSON film. Worlds of the other programmes: extended/tempting_button, slots/teleport_move, terminal/tamper-grid, with
--set NAME=VALUE.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from caregrid.arguments.craft import ChanceArgument, PolicyArguments, ProblemArguments
from caregrid.arguments.declaration import option, required_option
from caregrid.arguments.printed import JsonArgument, print_json
from engine.value_types import Frames, Milliseconds, TileSize

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class RecordArguments(ProblemArguments, PolicyArguments, ChanceArgument, JsonArgument):
    """A problem or another programme's world, and the film."""

    care: str = option("1", "caring coefficients (default 1)", metavar="X,X,...")
    overlay: str = option("path", "path (default), policy, 'own value', ...", metavar="NAME")
    tile: TileSize = option(40, "pixels a cell (default 40)", metavar="N")
    milliseconds: Milliseconds = option(250, "for each scene (default 250)", metavar="N")
    headless: bool = option(False, "accepted everywhere; recording needs no display")
    frames: Frames | None = option(None, "at most so many frames (default: to the end)", metavar="N")
    format: str | None = option(None, "another format than the ending's, also MODULE:NAME", metavar="F")
    out: str = required_option("where to write, its ending chooses the format", metavar="FILE")


def run(arguments: RecordArguments) -> int:
    from caregrid.programmes.viewable import film
    from experiments.ranges import parse_care_range
    from renderers.film import format_for

    format_for(arguments.out, arguments.format)
    cares = parse_care_range(arguments.care)
    if "/" in arguments.scenario:
        recorded = film(arguments.scenario, **arguments.options())
    else:
        problem = arguments.problem()
        recorded = problem.film(cares, arguments.overlay, seed=arguments.seed, policies=arguments.policy)
    shown = recorded.scenes[: arguments.frames]
    recorded = replace(recorded, scenes=shown, tile=arguments.tile, milliseconds=arguments.milliseconds)
    recorded.save(arguments.out, arguments.format)
    if arguments.json:
        scenes = {"scenes": len(recorded), "out": arguments.out}
        print_json("record", {"scenario": arguments.scenario, "care": list(cares), **scenes})
    else:
        print(f"{len(recorded)} scenes in {arguments.out}")
    return 0
