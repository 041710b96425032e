"""A film as text: its scenes one below the other, each under its number."""

from __future__ import annotations

from renderers.film_format import FilmFormat, RenderedFilm
from renderers.text import draw


def encode(film: RenderedFilm) -> bytes:
    """UTF-8 text; the glyphs are explained once."""
    count = len(film.scenes)
    drawn = [f"[{i + 1}/{count}]\n{draw(scene, legend=i == 0)}" for i, scene in enumerate(film.scenes)]
    return ("\n\n".join(drawn) + "\n").encode()


txt = FilmFormat(encode)
