"""A film as an MP4 video (H.264), through imageio and its ffmpeg: the extra `movie`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from engine.errors import MissingExtra
from renderers.drawing.layout import fitted
from renderers.film import RenderedFilm

LAST_ONE_LINGERS = 6


def mp4(rendered: RenderedFilm) -> bytes:
    """The bytes of the video; frames are filled up with paper to even sizes, which the codec needs."""
    try:
        import imageio_ffmpeg  # noqa: F401
        from imageio.v2 import get_writer
    except ImportError as error:
        raise MissingExtra("MP4 needs imageio-ffmpeg", place="film", remedy="pip install 'caregrid[movie]'") from error
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "film.mp4"
        rate = 1000 / max(20, rendered.milliseconds)
        writer: Any = get_writer(target, format="FFMPEG", fps=rate, macro_block_size=2, quality=8)
        with writer as video:
            frame = None
            for frame in rendered.images(range(len(rendered.scenes)), False):
                frame = fitted(frame, frame.shape[0] + frame.shape[0] % 2, frame.shape[1] + frame.shape[1] % 2)
                video.append_data(frame)
            for _ in range(LAST_ONE_LINGERS - 1):
                video.append_data(frame)
        return target.read_bytes()
