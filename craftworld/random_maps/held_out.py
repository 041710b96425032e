"""Held-out maps: the first random drawings of a family that keep the guarantees, by seed and number.

Drawing n of a seed is the first of MOST_TRIES shuffles, by a key of its own, on which `keeps_guarantees` says yes; the
same seed and number give the same map in every process. "7-2" is number 2 of seed 7; numbers begin at 1.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from craftworld.random_maps.drawing import shuffled_drawing
from craftworld.random_maps.guarantees import keeps_guarantees
from craftworld.scenario import Scenario
from engine.errors import BadValue, MapError
from engine.grid import GridMap
from engine.randomness.counter_based import split

MOST_TRIES = 2_000
PLACE = "held_out"
SPELLING = re.compile(r"(\d{1,19})(?:-([1-9]\d{0,5}))?")


def held_out_map(kind: type[Scenario], given: Any, **options: Any) -> GridMap:
    """The map of a scenario's class. given: SEED-NUMBER, or SEED for its first map. options: the scenario's.

    Raises BadValue for another spelling, for a family without random maps, and where no drawing keeps the guarantees.
    """
    read = SPELLING.fullmatch(str(given))
    if read is None:
        raise BadValue(f"'{given}' is not a held-out map", place=PLACE, remedy="write SEED-NUMBER, such as 7-2")
    return _found(kind, int(read[1]), int(read[2] or 1), tuple(sorted(options.items())))


@lru_cache(maxsize=256)
def _found(kind: type[Scenario], seed: int, number: int, options: tuple[tuple[str, Any], ...]) -> GridMap:
    original = kind(**dict(options))
    shuffle = original.shuffle
    if shuffle is None or original.replay_only:
        remedy = "leave held_out out, or choose another scenario"
        raise BadValue(f"'{original.name}' has no random maps", place=PLACE, remedy=remedy)
    key = split(split(split(seed, "held-out maps"), original.name), number)
    source = f"{original.name}, held-out map {seed}-{number}"
    for attempt in range(MOST_TRIES):
        art = "\n".join(shuffled_drawing(original.grid.rows, shuffle, split(key, attempt)))
        try:
            grid = kind.parse_map(art, source=source)
            drawn = kind(grid, **dict(options))
        except MapError:
            continue
        if keeps_guarantees(drawn, original):
            return grid
    problem = f"none of {MOST_TRIES:,} drawings of '{original.name}' keeps the guarantees"
    raise BadValue(problem, place=PLACE, remedy="choose another number or other options")
