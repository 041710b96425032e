"""A film as text: its scenes one below the other, each under its number."""

from __future__ import annotations

from renderers.film import RenderedFilm
from renderers.text import draw


def txt(rendered: RenderedFilm) -> bytes:
    """UTF-8 text; the key is explained once."""
    count = len(rendered.scenes)
    drawn = [f"[{i + 1}/{count}]\n{draw(scene, key=i == 0)}" for i, scene in enumerate(rendered.scenes)]
    return ("\n\n".join(drawn) + "\n").encode()
