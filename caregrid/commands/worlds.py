"""Describe scenarios: the problem, the optima of reward and hidden performance, the break points.

--out writes worlds.md into a folder, with a section and a picture for each world; docs/worlds.md is made this way."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class WorldsArguments(JsonArgument):
    """Some scenarios, or all, and where to write the page."""

    scenarios: str | None = positional(
        "scenarios, or MODULE:NAME of your own, separated by commas (default: all)",
        metavar="NAME,NAME",
        default=None,
        kinds=("scenarios",),
    )
    out: str | None = option(None, "write worlds.md and its pictures into this folder", metavar="DIR")


def run(arguments: WorldsArguments) -> int:
    from caregrid.programmes.caring.worlds import worlds

    described = worlds(arguments.scenarios, out=arguments.out)
    arguments.print_result("worlds", described)
    return 0
