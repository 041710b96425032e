"""Display in a window, or headless into a file: the same player and the same layout draw both."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import BadValue, argument
from engine.value_types import FRAMES, show_whole_number

if TYPE_CHECKING:
    from engine.scene import Scene
    from renderers.drawing.shapes import Image
    from renderers.viewer.player import Player
    from renderers.viewer.viewable import Viewable
    from renderers.viewer.viewer_layout import ViewerLayout


@dataclass(frozen=True)
class Screen:
    """Where something is shown: in a window, or headless in a film.

    out: the film's file, None for a window. Headless: frames: at most so many, to the end by default; keys: to press,
    one a frame, joined by commas.
    """

    out: str | Path | None = None
    frames: int | None = None
    keys: str = ""

    def check(self) -> Screen:
        """Return the same; refuse what cannot work before anything is computed: BadValue, UnknownName, MissingExtra."""
        from renderers.film import format_for

        if self.frames is not None and not FRAMES.admit(self.frames):
            raise BadValue(f"{show_whole_number(self.frames)} frames", place="frames", remedy=f"choose from {FRAMES}")
        if self.out is not None:
            format_for(self.out)
            return self
        from renderers.viewer.window import load_pygame, require_display

        load_pygame()
        require_display()
        return self


def display(viewable: Viewable, screen: Screen, keys: Sequence[str] = ()) -> None:
    """Open a window until it is closed, or write headless.

    keys: pressed one a frame, where the screen names none.
    """
    from renderers.viewer.player import Player
    from renderers.viewer.viewer_layout import ViewerLayout

    player = Player(viewable)
    layout = ViewerLayout()
    player.save = lambda what: _save(player, layout, what)
    if screen.out is None:
        from renderers.viewer.window import Window

        with Window(player, layout) as window:
            window.run()
        return
    pressed = [key.strip() for key in screen.keys.split(",") if key.strip()] or list(keys)
    unknown = next((key for key in pressed if key not in player.keys), None)
    if unknown is not None:
        raise BadValue(f"no key '{unknown}'", place=argument("keys"), remedy=f"choose from {', '.join(player.keys)}")
    written = write_headless(player, layout, pressed, screen.frames, screen.out)
    sys.stderr.write(f"wrote {written} frames into {screen.out}\n")


def write_headless(
    player: Player, layout: ViewerLayout, keys: Sequence[str], frames: int | None, out: str | Path
) -> int:
    """Press one key a frame, then step to the end; write the frames and return their number."""
    from renderers.drawing.picture import MOST_KEPT
    from renderers.film import RenderedFilm, save_rendered, spread_scenes

    scenes: list[Scene] = []
    kept: list[Image | bytes] = []
    remaining = list(keys)
    while frames is None or len(scenes) < frames:
        scenes.append(player.scene())
        frame = layout.draw_recorded(player)
        has_room = (len(kept) + 1) * frame.nbytes <= MOST_KEPT
        kept.append(frame if has_room else zlib.compress(frame.tobytes(), 1))
        if frames is None and not remaining and player.position == len(player.viewable) - 1:
            break
        if remaining:
            player.press(remaining.pop(0))
        else:
            player.execute("forward")
    unpack = partial(_unpack, kept, layout)
    save_rendered(out, RenderedFilm(scenes, unpack, lambda: _make_sheet(list(unpack(spread_scenes(len(scenes)))))))
    return len(scenes)


def _unpack(kept: Sequence[Image | bytes], layout: ViewerLayout, numbers: Sequence[int]) -> Iterator[Image]:
    """Frames by their numbers; those that had no room as pictures are packed."""
    import numpy as np

    for number in numbers:
        frame = kept[number]
        if isinstance(frame, bytes):
            frame = np.frombuffer(zlib.decompress(frame), dtype=np.uint8).reshape(layout.height, layout.width, 3)
        yield frame


def _make_sheet(screens: Sequence[Image]) -> Image:
    """Screens side by side, in rows."""
    from renderers.drawing.picture import make_block, put_beside, stack
    from renderers.film import choose_columns

    columns = choose_columns(len(screens))
    blocks = [make_block(screen) for screen in screens]
    return stack([put_beside(blocks[i : i + columns]) for i in range(0, len(blocks), columns)]).image


def _save(player: Player, layout: ViewerLayout, what: str) -> str:
    """Save the present frame, or the whole film with the present overlay, under a new name."""
    from engine.files import write_atomically
    from renderers.drawing.palette import dark_pictures
    from renderers.film import save_film
    from renderers.formats.pictures import encode_image

    path = find_free_name("caregrid", "png" if what == "screenshot" else "gif")
    if what == "screenshot":
        write_atomically(path, encode_image(layout.draw_recorded(player)))
    else:
        film = [player.viewable.scene(number, player.overlay) for number in range(len(player.viewable))]
        with dark_pictures(player.dark):
            save_film(path, film, signs=player.signs)
    return path.name


def find_free_name(stem: str, ending: str) -> Path:
    """Return the first of `stem-001.ending`, `stem-002.ending`, ... in the working directory that no file has."""
    number = 1
    while os.path.exists(path := Path(f"{stem}-{number:03}.{ending}")):
        number += 1
    return path
