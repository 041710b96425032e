"""A film as a PNG contact sheet: its scenes in reading order; a film of one scene is that picture.

The file is written with the standard library alone (Portable Network Graphics, ISO/IEC 15948: signature, IHDR, IDAT,
IEND), so that pictures need no extra.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import islice

import numpy as np

from engine.errors import BadValue
from engine.scene import Scene
from renderers.film import require_scenes
from renderers.palette import PAPER
from renderers.picture import frames
from renderers.shapes import Image

MOST_FRAMES = 24
MOST_PIXELS = 200_000_000


def png(film: Sequence[Scene], tile: int, milliseconds: int) -> bytes:
    """The bytes of the PNG; of a long film, evenly spread scenes with the first and the last among them."""
    chosen = list(require_scenes(film))
    if len(chosen) > MOST_FRAMES:
        chosen = [chosen[round(i * (len(chosen) - 1) / (MOST_FRAMES - 1))] for i in range(MOST_FRAMES)]
    alone = len(chosen) == 1
    drawn = frames(chosen, tile, key=alone, readings=alone)
    columns = min(len(chosen), max(1, round((len(chosen) * 1.2) ** 0.5)))
    rows = []
    while row := list(islice(drawn, columns)):
        row += [np.full_like(row[0], PAPER)] * (columns - len(row))
        rows.append(np.concatenate(row, axis=1))
    return encode(np.concatenate(rows, axis=0))


def encode(image: Image) -> bytes:
    """The PNG file of an image, uint8[H, W, 3]."""
    height, width = image.shape[:2]
    if not 0 < height * width <= MOST_PIXELS:
        raise BadValue(f"a picture of {width} x {height} pixels", place="film", remedy="choose smaller tiles")
    lines = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    lines[0, 0], lines[1:, 0] = 0, 2
    pixels = image.reshape(height, 3 * width)
    lines[0, 1:] = pixels[0]
    lines[1:, 1:] = pixels[1:] - pixels[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
