"""The programmes that the viewer shows, one file each: `slots.py` holds `slots = ViewableProgramme(...)`.

A world is named PROGRAMME/NAME on the command line, as in `caregrid view slots/teleport_move --set policy=cpy`.
"""

from collections.abc import Mapping
from typing import Any

from caregrid.shows.viewable_programme import ViewableProgramme, accept_programme
from engine.registry import Registry
from engine.scene import Film

VIEWABLE_PROGRAMMES: Registry[ViewableProgramme] = Registry(
    "caregrid.shows.programmes", "programme", accept=accept_programme, group="caregrid.viewable_programmes"
)


def film_named(name: str, settings: Mapping[str, Any]) -> Film:
    """The film of a world PROGRAMME/NAME; UnknownName, or BadValue for settings that the programme does not know."""
    programme, _, world = name.partition("/")
    return VIEWABLE_PROGRAMMES[programme].film_of(world, settings)
