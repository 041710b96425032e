"""Pictures of the worlds that examples of the theory are about: what there is to see at an observation.

A picture is a function of the observation and of the action taken at it, so that a film shows the world beside the
strips. Glyphs and names are for any renderer (`engine.scene`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engine.scene import Mark, Scene
from xenv.theory.enumerations import unpair_number

WorldPicture: TypeAlias = Callable[[int, int], Scene]
"""(observation, action) -> the world."""

LAMPS, MIRROR_ROW, IMAGE_ROW = 3, 3, 4
ROOM = ("#######", "#     #", "#     #", "#     #", "#     #", "#######")


def draw_lamps(observation: int, action: int) -> Scene:
    """Draw lamps, the agent below the lamp that it switches, a mirror, and what the mirror shows.

    The observation is 8 d + m, with the lamps d and their image m, three bits each from left to right.
    """
    lamps, image = divmod(observation, 1 << LAMPS)
    switched = 1 + 2 * (action % LAMPS)
    marks = [_draw_lamp(1, place, lamps) for place in range(LAMPS)]
    marks.append(Mark(2, switched, "A", "agent", "agent"))
    marks += [Mark(MIRROR_ROW, column, "=", "mirror", "feature") for column in range(1, 6)]
    marks += [_draw_lamp(IMAGE_ROW, place, image, "image of a ") for place in range(LAMPS)]
    return Scene(ROOM, tuple(marks))


def _draw_lamp(row: int, place: int, bits: int, what: str = "") -> Mark:
    """Draw the lamp of a place, or its image. bits: from the left, 1 for a lamp that is lit."""
    is_lit = bool(bits >> (LAMPS - 1 - place) & 1)
    role = "faded" if what else "gain" if is_lit else "object"
    return Mark(row, 1 + 2 * place, "*" if is_lit else "o", what + ("lamp" if is_lit else "dark lamp"), role)


NURSERY = ("#####", "#   #", "#####")
FEED = LAUGH = 0


def draw_family(observation: int, action: int) -> Scene:
    """Draw a parent, the bottle that it gives, if it does, and a baby that laughs or cries."""
    baby = ("b", "baby", "gain") if observation == LAUGH else ("B", "crying baby", "loss")
    bottle = (Mark(1, 2, "u", "bottle", "object"),) if action == FEED else ()
    return Scene(NURSERY, (Mark(1, 1, "A", "agent", "agent"), *bottle, Mark(1, 3, *baby)))


SIDE = 5
SPACE = ("#" * (SIDE + 2), *["#" + " " * SIDE + "#"] * SIDE, "##   ##", "#######")


def draw_point(observation: int, action: int) -> Scene:
    """Draw the point that two eyes see, far ones at the top, and the eyes; without it where no point is seen so."""
    left, right = unpair_number(observation)
    x, z = (left + right - SIDE + 1) / 2, (left - right + SIDE - 1) / 2
    eyes = Mark(SIDE + 1, 2, "e", "left eye", "feature"), Mark(SIDE + 1, 4, "e", "right eye", "feature")
    is_seen = x in range(SIDE) and z in range(SIDE)
    return Scene(SPACE, (*eyes, *((Mark(SIDE - int(z), 1 + int(x), "*", "point", "goal"),) if is_seen else ())))
