"""A film as an animated GIF: one palette shared by all frames, the same bytes for the same film."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.errors import BadValue, MissingExtra
from renderers.few_colours import indexed, shared_palette
from renderers.film import Reel

if TYPE_CHECKING:
    from PIL.Image import Image as Sheet

MOST_SCENES = 2000
LAST_ONE_LINGERS = 6


def gif(reel: Reel) -> bytes:
    """The bytes of the GIF, looping; the last scene stays longer. Needs pillow (extra `render`)."""
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise MissingExtra("GIFs need pillow", place="film", remedy="pip install 'caregrid[render]'") from error
    count = len(reel.scenes)
    if count > MOST_SCENES:
        raise BadValue(f"a GIF of {count} scenes", place="film", remedy=f"at most {MOST_SCENES}; write .mp4 or .json")
    palette, entry = shared_palette(reel.images(range(count), False))

    def sheets() -> Iterator[Sheet]:
        for frame in reel.images(range(count), False):
            sheet = Pillow.fromarray(indexed(frame, entry)).convert("P")
            sheet.putpalette(palette.tobytes())
            yield sheet

    animation = sheets()
    first = next(animation)
    durations = [max(20, reel.milliseconds)] * count
    durations[-1] *= LAST_ONE_LINGERS
    stream = io.BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=animation, duration=durations, loop=0, optimize=False)
    return stream.getvalue()
