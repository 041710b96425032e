"""Films as pictures: a PNG contact sheet, an animated GIF, an MP4 video.

Frames of a GIF have few colours, one palette for all of them, the same for the same frames: colours are gathered in
bins of equal size; a bin is shown as the mean of what fell into it, and where there are more bins than entries the
rarest are shown as the nearest kept one.
"""

from __future__ import annotations

import io
import struct
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from renderers.drawing.picture import fit_image
from renderers.drawing.shapes import Image
from renderers.film import FilmFormat, RenderedFilm

__all__ = ["gif", "mp4", "png"]

BITS = 5
BINS = 1 << (3 * BITS)
ENTRIES = 255


def make_shared_palette(drawn: Iterable[Image]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a palette for many frames: uint8[entries, 3], and for every colour bin its entry, uint8[bins]."""
    total = histogram = np.zeros((4, BINS))
    before: Image | None = None
    for frame in drawn:
        if before is None or before.shape != frame.shape:
            histogram = _count_colours(frame.reshape(-1, 3))
        else:  # most of a picture stays as it was, and whole numbers are exact
            rows = _find_changed_rows(before, frame)
            old, new = before[rows], frame[rows]
            changed = (new != old).any(axis=2)
            histogram = histogram + _count_colours(new[changed]) - _count_colours(old[changed])
        total = total + histogram
        before = frame.copy()
    counts, sums = total[0], total[1:]
    seen = np.flatnonzero(counts)
    means = (sums[:, seen] / counts[seen]).T
    kept = np.argsort(-counts[seen], kind="stable")[:ENTRIES]
    distance = ((means[:, None, :] - means[kept][None, :, :]) ** 2).sum(axis=2)
    entry = np.zeros(BINS, dtype=np.uint8)
    entry[seen] = distance.argmin(axis=1)
    return np.rint(means[kept]).astype(np.uint8), entry


def _find_changed_rows(before: Image, frame: Image) -> NDArray[np.intp]:
    """Return the numbers of the rows of pixels in which two frames of one size differ."""
    return np.flatnonzero((frame != before).reshape(len(frame), -1).any(axis=1))


def index_pixels(frame: Image, entry: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the palette entry of every pixel, uint8[H, W]."""
    return entry[_compute_bins(frame)]


def _count_colours(pixels: Image) -> NDArray[np.float64]:
    """float64[4, BINS]: in each bin the number of pixels uint8[n, 3], and the sums of red, green and blue."""
    where = _compute_bins(pixels)
    return np.stack([np.bincount(where, weights, BINS) for weights in (None, *pixels.T)])


def _compute_bins(frame: Image) -> NDArray[np.uint16]:
    """Return the colour bin of every pixel, uint16[...], of uint8[..., 3]."""
    red, green, blue = (frame[..., channel].astype(np.uint16) >> np.uint16(8 - BITS) for channel in range(3))
    bins: NDArray[np.uint16] = (red << np.uint16(2 * BITS)) | (green << np.uint16(BITS)) | blue
    return bins


MOST_PIXELS = 200_000_000
TRUE_COLOUR, INDEXED = 2, 3
NO_FILTER = 0
ABOVE = 2


def encode_png(film: RenderedFilm) -> bytes:
    """Return the bytes of the PNG; of a long film, evenly spread scenes with the first and the last among them."""
    return encode_image(film.sheet() if len(film.scenes) > 1 else next(film.images([0])))


def encode_image(image: Image, palette: Image | None = None) -> bytes:
    """Return the PNG file of an image uint8[H, W, 3], or uint8[H, W] with a palette uint8[entries, 3]."""
    height, width = image.shape[:2]
    if not 0 < height * width <= MOST_PIXELS:
        raise BadValue(f"a picture of {width} x {height} pixels", place="film", remedy="choose smaller tiles")
    pixels = image.reshape(height, -1)
    lines = np.empty((height, 1 + pixels.shape[1]), dtype=np.uint8)
    lines[0, 0] = NO_FILTER
    lines[1:, 0] = ABOVE
    lines[0, 1:] = pixels[0]
    lines[1:, 1:] = pixels[1:] - pixels[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, TRUE_COLOUR if palette is None else INDEXED, 0, 0, 0)
    colours = b"" if palette is None else _write_chunk(b"PLTE", palette.tobytes())
    content = _write_chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
    return b"\x89PNG\r\n\x1a\n" + _write_chunk(b"IHDR", header) + colours + content + _write_chunk(b"IEND", b"")


def _write_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


png = FilmFormat(encode_png)
"""A film as a PNG contact sheet: its scenes in reading order under one legend; a film of one scene is that picture.

The file is written with the standard library alone (Portable Network Graphics, ISO/IEC 15948: signature, IHDR, IDAT,
IEND), so that pictures need no extra.
"""

MOST_GIF_SCENES = 2000
LAST_SCENE_REPEATS = 6
SHORTEST_DELAY, LONGEST_DELAY = 20, 655350  # milliseconds, written in hundredths of a second with 16 bits
KEEP = 1  # the disposal method that leaves a frame where it is
UNCHANGED = ENTRIES
Indices = NDArray[np.uint8]


def encode_gif(film: RenderedFilm) -> bytes:
    """Return the bytes of the GIF, looping; the last scene stays longer. Needs Pillow (extra `render`)."""
    from PIL import GifImagePlugin, Image

    count = len(film.scenes)
    if count > MOST_GIF_SCENES:
        raise BadValue(
            f"a GIF of {count} scenes", place="film", remedy=f"at most {MOST_GIF_SCENES}; write .mp4 or .json"
        )
    palette, entry = make_shared_palette(film.images(range(count)))
    table = palette.tobytes().ljust(3 * 256, b"\0")

    def image(pixels: Indices) -> Image.Image:
        height, width = pixels.shape
        made = Image.frombytes("P", (width, height), pixels.tobytes())
        made.putpalette(table)
        return made

    stream = io.BytesIO()
    before: Indices | None = None
    shown: NDArray[np.uint8] | None = None
    for number, picture in enumerate(film.images(range(count))):
        if before is None or shown is None or shown.shape != picture.shape:
            frame = index_pixels(picture, entry)
        else:
            frame = before.copy()
            rows = _find_changed_rows(shown, picture)
            frame[rows] = index_pixels(picture[rows], entry)
        shown = picture.copy()
        if before is None:
            stream.writelines(GifImagePlugin.getheader(image(frame), info={"loop": 0})[0])
        corner, pixels = ((0, 0), frame) if before is None else _find_changed_box(before, frame)
        delay = max(SHORTEST_DELAY, film.milliseconds) // 10 * 10 * (LAST_SCENE_REPEATS if number == count - 1 else 1)
        options = {"duration": min(delay, LONGEST_DELAY), "disposal": KEEP, "transparency": UNCHANGED, "interlace": 0}
        stream.writelines(GifImagePlugin.getdata(image(pixels), corner, **options))
        before = frame
    stream.write(b";")
    return stream.getvalue()


def _find_changed_box(before: Indices, frame: Indices) -> tuple[tuple[int, int], Indices]:
    """The left and upper corner of the box of pixels that changed, and the box; one pixel where nothing changed."""
    changed = frame != before
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 1)
    left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, 1)
    pixels = np.where(changed, frame, UNCHANGED).astype(np.uint8)[top:bottom, left:right]
    return (left, top), pixels


gif = FilmFormat(encode_gif, modules=("PIL",), extra="render")
"""A film as an animated GIF: one palette shared by all frames, the same bytes for the same film.

Pillow writes header, control blocks and compressed pixels, one frame at a time; of each scene only the box that changed
is given to it, what is unchanged inside it left transparent. `Image.save(save_all=True)` can be made to write files of
the same size (with `palette`, `transparency` and `optimize`), but it keeps every frame in memory (799 MiB in place of
243 for 500 frames of the viewer), drops scenes that equal the one before, and takes 1.1 to 3.2 times as long;
`benchmarks/rendering.py` measures it again. Without those three options its files are 2 to 8 times as large.
"""


def encode_mp4(film: RenderedFilm) -> bytes:
    """Return the bytes of the video; frames are filled up with paper to even sizes, which the codec needs."""
    from imageio.v2 import get_writer

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "film.mp4"
        rate = 1000 / max(20, film.milliseconds)
        writer: Any = get_writer(target, format="FFMPEG", fps=rate, macro_block_size=2, quality=8)
        with writer as video:
            frame = None
            for frame in film.images(range(len(film.scenes))):
                frame = fit_image(frame, frame.shape[0] + frame.shape[0] % 2, frame.shape[1] + frame.shape[1] % 2)
                video.append_data(frame)
            for _ in range(LAST_SCENE_REPEATS - 1):
                video.append_data(frame)
        return target.read_bytes()


mp4 = FilmFormat(encode_mp4, modules=("imageio_ffmpeg", "imageio"), extra="movie")
"""A film as an MP4 video (H.264), through imageio and its ffmpeg: the extra `movie`."""
