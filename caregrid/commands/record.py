"""Record a scenario's exact solution as a film: .gif, .png (contact sheet), .mp4, .json (to be replayed) or .txt.

Several cares (`--care 0,1,6`) play side by side. `caregrid view --episode FILM.json` replays a JSON film. Worlds of the
other programmes: extended/tempting_button, slots/teleport_move, terminal/tamper-grid, with --set NAME=VALUE."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scene import Film


def configure(parser: argparse.ArgumentParser) -> None:
    from caregrid.arguments import add_formulation, add_scenario

    add_scenario(parser)
    add_formulation(parser)
    parser.add_argument("--care", metavar="X,X,...", default="1", help="caring coefficients (default 1)")
    parser.add_argument("--overlay", metavar="NAME", default="path", help="path (default), policy, 'own value', ...")
    parser.add_argument("--tile", metavar="N", type=int, default=40, help="pixels a cell (default 40)")
    parser.add_argument("--milliseconds", metavar="N", type=int, default=250, help="for each scene (default 250)")
    parser.add_argument("--headless", action="store_true", help="accepted everywhere; recording needs no display")
    parser.add_argument("--frames", metavar="N", type=int, help="at most so many scenes")
    parser.add_argument("--out", metavar="FILE", required=True, help="where to write, its ending chooses the format")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from caregrid.arguments import options_of
    from caregrid.shows.programmes import film_named
    from engine.errors import BadValue
    from experiments.ranges import care_range
    from renderers.film import encoder, save

    encoder(arguments.out)
    if arguments.frames is not None and arguments.frames < 1:
        raise BadValue(f"{arguments.frames} frames", place="--frames", remedy="record at least one")
    cares = care_range(arguments.care)
    other = "/" in arguments.scenario
    film = film_named(arguments.scenario, options_of(arguments.set)) if other else _craft_film(arguments, cares)
    film = film[: arguments.frames]
    save(arguments.out, film, tile=arguments.tile, milliseconds=arguments.milliseconds)
    result = {"scenario": arguments.scenario, "care": list(cares), "scenes": len(film), "out": arguments.out}
    print(json.dumps(result) if arguments.json else f"{len(film)} scenes in {arguments.out}")
    return 0


def _craft_film(arguments: argparse.Namespace, cares: Sequence[float]) -> Film:
    from caregrid.arguments import problem_of
    from caregrid.shows.films import solution_film
    from caregrid.shows.scenes import overlay_names
    from caregrid.shows.solved import solved_episodes
    from engine.errors import UnknownName

    problem = problem_of(arguments)
    overlays = overlay_names(solved_episodes(problem, cares[0]))
    if arguments.overlay not in overlays:
        raise UnknownName("overlay", arguments.overlay, overlays, place="--overlay")
    return solution_film(problem, cares, arguments.overlay)
