"""A lesson's films as sprite sheets: one PNG for each value of its parameter."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from caregrid.lessons.lesson import Lesson, Variant
from renderers.drawing.layout import fitted
from renderers.drawing.picture import Painter
from renderers.drawing.quantise import indexed, shared_palette
from renderers.drawing.shapes import Image
from renderers.formats.png import encode_image

TILE, COLUMNS = 56, 6


def film_sheets(lesson: Lesson) -> dict[str, Any]:
    """What the page's player needs: for each variant its texts, its sprite sheet and the sheet's columns."""
    variants = lesson.variants()
    painter = Painter(TILE)
    drawn = [[painter.picture(scene) for scene in variant.film] for variant in variants]
    height, width = (max(frame.shape[i] for frames in drawn for frame in frames) for i in (0, 1))
    return {
        "name": lesson.name,
        "width": width,
        "height": height,
        "variants": [
            _variant_data(variant, [fitted(frame, height, width) for frame in frames])
            for variant, frames in zip(variants, drawn, strict=True)
        ],
    }


def data_url(content: bytes) -> str:
    """A PNG as text that a page may hold."""
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _variant_data(variant: Variant, frames: Sequence[Image]) -> dict[str, Any]:
    columns = min(COLUMNS, len(frames))
    palette, entry = shared_palette(frames)
    drawn = [indexed(frame, entry) for frame in frames]
    drawn += [np.zeros_like(drawn[0])] * (-len(frames) % columns)
    sheet = np.concatenate([np.concatenate(drawn[i : i + columns], axis=1) for i in range(0, len(drawn), columns)])
    return {
        "label": variant.label,
        "summary": variant.summary,
        "frames": len(frames),
        "columns": columns,
        "sheet": data_url(encode_image(sheet, palette)),
    }
