"""A film as an animated GIF: one palette shared by all frames, the same bytes for the same film.

Pillow writes header, control blocks and compressed pixels, one frame at a time; of each scene only the box that changed
is given to it, what is unchanged inside it left transparent. `Image.save(save_all=True)` can be made to write files of
the same size (with `palette`, `transparency` and `optimize`), but it keeps every frame in memory (799 MiB in place of
243 for 500 frames of the viewer), drops scenes that equal the one before, and takes 1.1 to 3.2 times as long;
`benchmarks/rendering.py` measures it again. Without those three options its files are 2 to 8 times as large.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from renderers.drawing.quantise import ENTRIES, indexed, shared_palette
from renderers.film_format import FilmFormat, RenderedFilm

MOST_GIF_SCENES = 2000
LAST_SCENE_REPEATS = 6
SHORTEST_DELAY, LONGEST_DELAY = 20, 655350  # milliseconds, written in hundredths of a second with 16 bits
KEEP = 1  # the disposal method that leaves a frame where it is
UNCHANGED = ENTRIES
Indices = NDArray[np.uint8]


def encode(film: RenderedFilm) -> bytes:
    """The bytes of the GIF, looping; the last scene stays longer. Needs Pillow (extra `render`)."""
    from PIL import GifImagePlugin, Image

    count = len(film.scenes)
    if count > MOST_GIF_SCENES:
        raise BadValue(
            f"a GIF of {count} scenes", place="film", remedy=f"at most {MOST_GIF_SCENES}; write .mp4 or .json"
        )
    palette, entry = shared_palette(film.images(range(count)))
    table = palette.tobytes().ljust(3 * 256, b"\0")

    def image(pixels: Indices) -> Image.Image:
        height, width = pixels.shape
        made = Image.frombytes("P", (width, height), pixels.tobytes())
        made.putpalette(table)
        return made

    stream = io.BytesIO()
    before: Indices | None = None
    for number, picture in enumerate(film.images(range(count))):
        frame = indexed(picture, entry)
        if before is None:
            stream.writelines(GifImagePlugin.getheader(image(frame), info={"loop": 0})[0])
        corner, pixels = ((0, 0), frame) if before is None else _changes(before, frame)
        delay = max(SHORTEST_DELAY, film.milliseconds) // 10 * 10 * (LAST_SCENE_REPEATS if number == count - 1 else 1)
        options = {"duration": min(delay, LONGEST_DELAY), "disposal": KEEP, "transparency": UNCHANGED, "interlace": 0}
        stream.writelines(GifImagePlugin.getdata(image(pixels), corner, **options))
        before = frame
    stream.write(b";")
    return stream.getvalue()


def _changes(before: Indices, frame: Indices) -> tuple[tuple[int, int], Indices]:
    """The left and upper corner of the box of pixels that changed, and the box; one pixel where nothing changed."""
    changed = frame != before
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 1)
    left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, 1)
    pixels = np.where(changed, frame, UNCHANGED).astype(np.uint8)[top:bottom, left:right]
    return (left, top), pixels


gif = FilmFormat(encode, modules=("PIL",), extra="render")
