"""A scenario's drawing with its pieces in other places: walls, floor and features inside its margin are shuffled.

Size and number of pieces stay, so that a random map is as hard to solve as the drawing itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from craftworld.scenario_parts import Shuffle
from engine.randomness.counter_based import randrange


def shuffled_drawing(rows: Sequence[str], shuffle: Shuffle, key: int) -> tuple[str, ...]:
    """The rows with the glyphs inside the margin, those that stay apart, in random order (Fisher and Yates)."""
    across, aside = shuffle.margin
    cells = [
        (row, column)
        for row in range(across, len(rows) - across)
        for column in range(aside, len(rows[row]) - aside)
        if rows[row][column] not in shuffle.fixed
    ]
    glyphs = [rows[row][column] for row, column in cells]
    for last in range(len(glyphs) - 1, 0, -1):
        other = randrange(last + 1, key, last)
        glyphs[last], glyphs[other] = glyphs[other], glyphs[last]
    drawn = [list(row) for row in rows]
    for (row, column), glyph in zip(cells, glyphs, strict=True):
        drawn[row][column] = glyph
    return tuple("".join(row) for row in drawn)
