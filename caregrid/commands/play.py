"""Play a world of any programme, then compare with the exact agents.

In a scenario you are the acting agent. In an extended environment you meet a copy of yourself. With slots you choose
for all copies with the same history. At an input terminal you are the agent. Arrows or clicks move, the menu shows the
other keys, and u takes a move back. --text plays in the terminal or from a pipe. With --headless, --keys gives the
moves; without keys an exact agent plays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from caregrid.arguments.craft import CareArgument, ChanceArgument, FormulationArguments, MapArguments
from caregrid.arguments.declaration import option, positional
from caregrid.arguments.screen import ScreenArguments

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class PlayArguments(MapArguments, FormulationArguments, CareArgument, ChanceArgument, ScreenArguments):
    """A world, its settings, and where it is played."""

    name: str = positional(
        "a scenario, environment, slot scenario or terminal world, KIND/NAME, or MODULE:NAME (default: workshop)",
        metavar="NAME",
        default="workshop",
        kinds=("scenarios", "environments", "slot_scenarios", "terminal_worlds"),
    )
    text: bool = option(False, "play in the terminal: type keys, or send them through a pipe")


def run(arguments: PlayArguments) -> int:
    from caregrid.programmes.play import play_named

    place = arguments.place()
    screen = place.out, place.frames, place.keys
    play_named(arguments.name, given_settings(arguments), arguments.seed, screen, arguments.text)
    return 0


def given_settings(arguments: PlayArguments) -> dict[str, Any]:
    """What --set says, and the options of a caring problem that differ from their defaults."""
    own = {field.name: field.default for kind in (CareArgument, FormulationArguments) for field in fields(kind)}
    given = {name: getattr(arguments, name) for name in (*own, "map") if getattr(arguments, name) != own.get(name)}
    return {**arguments.options(), **given}
