"""Maps on which a world's rules are observed: its own, and some with its features and walls elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from craftworld.scenario import Scenario
from engine.errors import CaregridError
from engine.grid import GridMap
from engine.randomness.counter_based import randrange, split

PROBES, TRIES = 40, 300
WALLS_IN_100 = 25
KEY = split(0, "probe maps")


def probe_maps(scenario: Scenario, make: Callable[[GridMap], Scenario]) -> list[GridMap]:
    """The scenario's own map first, then others of its size; fewer where its features leave no room to move."""
    grids = [scenario.grid]
    for number in range(TRIES):
        if len(grids) > PROBES:
            break
        try:
            grid = scenario.parse_map("\n".join(rearranged(scenario.grid.rows, split(KEY, str(number)))))
            make(grid)
        except CaregridError:
            continue
        grids.append(grid)
    return grids


def rearranged(rows: tuple[str, ...], key: int) -> list[str]:
    """A drawing with the same border and glyphs, each at a random cell, and random walls between them."""
    height, width = len(rows), len(rows[0])
    inner = [(r, c) for r in range(1, height - 1) for c in range(1, width - 1)]
    glyphs = [glyph for row in rows for glyph in row if glyph not in "# ."]
    for last in range(len(inner) - 1, 0, -1):
        other = randrange(last + 1, key, last)
        inner[last], inner[other] = inner[other], inner[last]
    drawn = [["#" if r in (0, height - 1) or c in (0, width - 1) else " " for c in range(width)] for r in range(height)]
    for number, (r, c) in enumerate(inner):
        if number < len(glyphs):
            drawn[r][c] = glyphs[number]
        elif randrange(100, key, len(inner) + number) < WALLS_IN_100:
            drawn[r][c] = "#"
    return ["".join(row) for row in drawn]
