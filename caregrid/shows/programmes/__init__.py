"""Films of the other programmes' worlds, one file a programme: `slots(name, settings) -> Film`, found by file names.

A world is named PROGRAMME/NAME on the command line, as in `caregrid view slots/teleport_move --set policy=cpy`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import BadValue, did_you_mean
from engine.registry import Registry
from engine.scene import Film

PROGRAMMES: Registry[Callable[[str, dict[str, Any]], Film]] = Registry("caregrid.shows.programmes", "programme")


def film_named(name: str, settings: Mapping[str, Any]) -> Film:
    """The film of a world PROGRAMME/NAME. UnknownName, BadValue for settings that the programme does not know."""
    programme, _, world = name.partition("/")
    return PROGRAMMES[programme](world, dict(settings))


def refuse_leftovers(settings: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """BadValue for the first setting that is not known."""
    for name in settings:
        if name not in known:
            raise BadValue(f"unknown setting '{name}'", place="--set", remedy=did_you_mean(name, known))
