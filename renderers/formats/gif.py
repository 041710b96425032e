"""A film as an animated GIF: one palette shared by all frames, the same bytes for the same film.

The file is put together here (GIF89a specification, CompuServe, 1990): the shared palette once, then for every scene
only the box that changed, what is unchanged inside it left transparent. Pillow compresses the pixels.
"""

from __future__ import annotations

import io
import struct

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, MissingExtra
from renderers.drawing.quantise import ENTRIES, indexed, shared_palette
from renderers.film import RenderedFilm

MOST_SCENES = 2000
LAST_ONE_LINGERS = 6
LONGEST_DELAY = 0xFFFF
UNCHANGED = ENTRIES
Indices = NDArray[np.uint8]


def gif(rendered: RenderedFilm) -> bytes:
    """The bytes of the GIF, looping; the last scene stays longer. Needs pillow (extra `render`)."""
    _require_pillow()
    count = len(rendered.scenes)
    if count > MOST_SCENES:
        raise BadValue(f"a GIF of {count} scenes", place="film", remedy=f"at most {MOST_SCENES}; write .mp4 or .json")
    palette, entry = shared_palette(rendered.images(range(count), False))
    frames = (indexed(frame, entry) for frame in rendered.images(range(count), False))
    stream = io.BytesIO()
    before: Indices | None = None
    for number, frame in enumerate(frames):
        if before is None:
            stream.write(_header(frame.shape[1], frame.shape[0], palette))
        delay = max(2, rendered.milliseconds // 10) * (LAST_ONE_LINGERS if number == count - 1 else 1)
        stream.write(_frame(frame, before, min(delay, LONGEST_DELAY)))
        before = frame
    stream.write(b";")
    return stream.getvalue()


def _header(width: int, height: int, palette: Indices) -> bytes:
    """Logical screen, the shared palette of 256 entries, and the extension that makes films loop for ever."""
    table = palette.tobytes().ljust(3 * 256, b"\0")
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + table + b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"


def _frame(frame: Indices, before: Indices | None, delay: int) -> bytes:
    """A frame's control block (delay in hundredths of a second, keep what is there) and its changed box."""
    top, left, box = 0, 0, frame
    if before is not None:
        changed = frame != before
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 1)
        left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, 1)
        box = np.where(changed, frame, UNCHANGED).astype(np.uint8)[top:bottom, left:right]
    control = b"!\xf9\x04" + struct.pack("<BHB", 0x05, delay, UNCHANGED) + b"\0"
    place = b"," + struct.pack("<HHHHB", left, top, box.shape[1], box.shape[0], 0)
    return control + place + _compressed(box)


def _compressed(box: Indices) -> bytes:
    """The pixels as GIF's LZW blocks, taken out of a GIF that pillow writes of them."""
    from PIL import Image

    sheet = Image.fromarray(np.ascontiguousarray(box)).convert("P")
    sheet.putpalette(bytes(range(256)) * 3)
    stream = io.BytesIO()
    sheet.save(stream, "GIF", optimize=False, interlace=False)
    content = stream.getvalue()
    return content[_first_pixels(content) : content.rindex(b";")]


def _first_pixels(content: bytes) -> int:
    """Where the compressed pixels of a GIF's first image start."""
    position = 13 + (3 << ((content[10] & 7) + 1) if content[10] & 0x80 else 0)
    while content[position : position + 1] == b"!":
        position += 2
        while content[position]:
            position += content[position] + 1
        position += 1
    table = 3 << ((content[position + 9] & 7) + 1) if content[position + 9] & 0x80 else 0
    return position + 10 + table


def _require_pillow() -> None:
    try:
        import PIL.Image  # noqa: F401
    except ImportError as error:
        raise MissingExtra("GIFs need pillow", place="film", remedy="pip install 'caregrid[render]'") from error
