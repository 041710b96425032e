"""The programmes that can be played, one file each: `slots.py` holds `slots = PlayableProgramme(...)`.

A world is named alone, as in `caregrid play teleport_move`, or PROGRAMME/NAME, or KIND/NAME.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caregrid.kinds import KINDS
from caregrid.playing.game import StartGame
from caregrid.playing.playable_programme import PlayableProgramme, accept_playable
from engine.errors import BadValue, UnknownName
from engine.registry import Registry, spelled
from engine.user_code import names_user_code

PLAYABLE_PROGRAMMES: Registry[PlayableProgramme] = Registry(
    "caregrid.playing.programmes", "programme", accept=accept_playable, group="caregrid.playable_programmes"
)
USUAL, GYM = "caring", "gym:"


def game_named(name: str, settings: Mapping[str, Any], seed: int = 0) -> StartGame:
    """What makes the game of a world; UnknownName, or BadValue for settings that its programme does not know."""
    programme, world = programme_of(name)
    return programme.start(world, settings, seed)


def programme_of(name: str) -> tuple[PlayableProgramme, str]:
    """The programme of a world and the world's own name; UnknownName, with the nearest, for a name of none."""
    prefix, slash, rest = name.partition("/")
    if slash and not name.startswith(GYM):
        kinds = {PLAYABLE_PROGRAMMES[known].kind: known for known in PLAYABLE_PROGRAMMES}
        return PLAYABLE_PROGRAMMES[kinds.get(spelled(prefix), prefix)], rest
    word = spelled(name.rpartition("(")[2].rstrip(")").partition(":")[0])
    names = {known: _names(programme.kind) for known, programme in PLAYABLE_PROGRAMMES.items()}
    found = [known for known in names if word in names[known]]
    if len(found) > 1:
        choices = " or ".join(f"{known}/{name}" for known in found)
        raise BadValue(f"'{name}' is several things", place="play", remedy=f"write {choices}")
    if not found and not names_user_code(name) and not name.startswith(GYM):
        raise UnknownName("world", name, [known for of_kind in names.values() for known in of_kind])
    return PLAYABLE_PROGRAMMES[found[0] if found else USUAL], name


def _names(kind: str) -> tuple[str, ...]:
    """The names of a kind, without importing what they name."""
    return KINDS[kind].light_registry().names() if kind in KINDS else ()
