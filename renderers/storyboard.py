"""A film as one scene: its scenes side by side in reading order, and what all of them say said once.

One scene has one legend, so that a picture explains each mark and each path once, however many scenes it shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engine.scene import Scene

MOST_PICTURES = 24


def storyboard(film: Sequence[Scene], caption: str = "", columns: int = 0) -> Scene:
    """Evenly spread scenes of a film as panels; a film of one scene is that scene.

    caption: of the whole, by default the one that all scenes share. columns: panels in a row, by default about as many
    as there are rows. Captions and readings that differ from scene to scene stay with the panels and are left out.
    """
    scenes = [film[number] for number in spread(len(film))]
    if len(scenes) == 1:
        return scenes[0]
    first, *rest = scenes
    if not caption and all(scene.caption == first.caption for scene in rest):
        caption, scenes = first.caption, [replace(scene, caption="") for scene in scenes]
    shared = tuple(reading for reading in first.readings if all(reading in scene.readings for scene in rest))
    panels = tuple(replace(scene, readings=()) for scene in scenes)
    return Scene(caption=caption, readings=shared, panels=panels, columns=columns or columns_for(len(panels)))


def spread(scenes: int, most: int = MOST_PICTURES) -> list[int]:
    """The numbers of at most so many scenes, evenly spread, the first and the last among them."""
    if scenes <= most:
        return list(range(scenes))
    return [round(i * (scenes - 1) / (most - 1)) for i in range(most)]


def columns_for(pictures: int) -> int:
    """How many pictures stand in a row."""
    return min(pictures, max(1, round(math.sqrt(1.2 * pictures))))
