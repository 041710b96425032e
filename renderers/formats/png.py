"""A film as a PNG contact sheet: its scenes in reading order under one legend; a film of one scene is that picture.

The file is written with the standard library alone (Portable Network Graphics, ISO/IEC 15948: signature, IHDR, IDAT,
IEND), so that pictures need no extra.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from engine.errors import BadValue
from renderers.drawing.shapes import Image
from renderers.film_format import FilmFormat, RenderedFilm

MOST_PIXELS = 200_000_000
TRUE_COLOUR, INDEXED = 2, 3
NO_FILTER, ABOVE = 0, 2


def encode(film: RenderedFilm) -> bytes:
    """The bytes of the PNG; of a long film, evenly spread scenes with the first and the last among them."""
    return encode_image(film.sheet() if len(film.scenes) > 1 else next(film.images([0])))


def encode_image(image: Image, palette: Image | None = None) -> bytes:
    """The PNG file of an image uint8[H, W, 3], or uint8[H, W] with a palette uint8[entries, 3]."""
    height, width = image.shape[:2]
    if not 0 < height * width <= MOST_PIXELS:
        raise BadValue(f"a picture of {width} x {height} pixels", place="film", remedy="choose smaller tiles")
    pixels = image.reshape(height, -1)
    lines = np.empty((height, 1 + pixels.shape[1]), dtype=np.uint8)
    lines[0, 0], lines[1:, 0] = NO_FILTER, ABOVE
    lines[0, 1:] = pixels[0]
    lines[1:, 1:] = pixels[1:] - pixels[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, TRUE_COLOUR if palette is None else INDEXED, 0, 0, 0)
    colours = b"" if palette is None else _chunk(b"PLTE", palette.tobytes())
    content = _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + colours + content + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


png = FilmFormat(encode)
