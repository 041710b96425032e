"""A film as text: its scenes one below the other, each under its number."""

from __future__ import annotations

from collections.abc import Sequence

from engine.scene import Scene
from renderers.film import require_scenes
from renderers.text import draw


def txt(film: Sequence[Scene], tile: int, milliseconds: int) -> bytes:
    """UTF-8 text; tile and milliseconds do not matter."""
    drawn = [f"[{i + 1}/{len(film)}]\n{draw(scene, key=i == 0)}" for i, scene in enumerate(require_scenes(film))]
    return ("\n\n".join(drawn) + "\n").encode()
