"""A film as an MP4 video (H.264), through imageio and its ffmpeg: the extra `movie`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from renderers.drawing.layout import fitted
from renderers.film_format import FilmFormat, RenderedFilm

LAST_SCENE_REPEATS = 6


def encode(film: RenderedFilm) -> bytes:
    """The bytes of the video; frames are filled up with paper to even sizes, which the codec needs."""
    from imageio.v2 import get_writer

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "film.mp4"
        rate = 1000 / max(20, film.milliseconds)
        writer: Any = get_writer(target, format="FFMPEG", fps=rate, macro_block_size=2, quality=8)
        with writer as video:
            frame = None
            for frame in film.images(range(len(film.scenes))):
                frame = fitted(frame, frame.shape[0] + frame.shape[0] % 2, frame.shape[1] + frame.shape[1] % 2)
                video.append_data(frame)
            for _ in range(LAST_SCENE_REPEATS - 1):
                video.append_data(frame)
        return target.read_bytes()


mp4 = FilmFormat(encode, modules=("imageio_ffmpeg", "imageio"), extra="movie")
