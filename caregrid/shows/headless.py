"""Showing a show: in a window, or headless into a file, by the same player and the same stage."""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import BadValue

if TYPE_CHECKING:
    from engine.scene import Scene
    from renderers.drawing.shapes import Image
    from renderers.viewer.player import Player
    from renderers.viewer.viewable import Show
    from renderers.viewer.viewer_layout import Stage

MOST_FRAMES = 100_000


def add_screen(parser: argparse.ArgumentParser) -> None:
    """--headless, --frames, --keys and --out."""
    parser.add_argument("--headless", action="store_true", help="no window: write what it would show into --out")
    parser.add_argument("--frames", metavar="N", type=int, help="headless: how many frames (default: to the end)")
    parser.add_argument("--keys", metavar="K,K,...", default="", help="headless: keys to press, one a frame")
    parser.add_argument("--out", metavar="FILE", help="headless: .gif, .png, .mp4, .json or .txt")


def check_screen(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be shown before any work is done: BadValue, UnknownName; MissingExtra without a display."""
    from renderers.film import encoder

    if arguments.headless != bool(arguments.out):
        wanted = "--headless needs --out FILE" if arguments.headless else "--out needs --headless"
        raise BadValue(wanted, place="--out" if arguments.headless else "--headless", remedy="give both or neither")
    if arguments.frames is not None and not 1 <= arguments.frames <= MOST_FRAMES:
        raise BadValue(f"{arguments.frames} frames", place="--frames", remedy=f"choose from 1 to {MOST_FRAMES}")
    if arguments.out:
        encoder(arguments.out)
    if not arguments.headless:
        from renderers.viewer.window import load_pygame, require_display

        load_pygame()
        require_display()


def screen(show: Show, arguments: argparse.Namespace, keys: Sequence[str] = ()) -> int:
    """Show it until somebody leaves, or headless; keys: pressed if the arguments name none. Answers the exit code."""
    from renderers.viewer.player import Player
    from renderers.viewer.viewer_layout import Stage

    player, stage = Player(show), Stage()
    player.save = lambda what: _save(player, stage, what)
    if not arguments.headless:
        from renderers.viewer.window import Window

        with Window(player, stage) as window:
            window.run()
        return 0
    pressed = [key.strip() for key in arguments.keys.split(",") if key.strip()] or list(keys)
    unknown = next((key for key in pressed if key not in player.keys), None)
    if unknown is not None:
        raise BadValue(f"no key '{unknown}'", place="--keys", remedy=f"choose from {', '.join(player.keys)}")
    shown = write_headless(player, stage, pressed, arguments.frames, arguments.out)
    sys.stderr.write(f"wrote {shown} frames into {arguments.out}\n")
    return 0


def write_headless(player: Player, stage: Stage, keys: Sequence[str], frames: int | None, out: str) -> int:
    """Press a key a frame, then step on to the end; write the frames and answer how many they are."""
    from renderers.film import Reel, save_reel

    scenes: list[Scene] = []
    packed: list[bytes] = []
    waiting = list(keys)
    while frames is None or len(scenes) < frames:
        scenes.append(player.scene())
        packed.append(zlib.compress(stage.draw(player).tobytes(), 1))
        if frames is None and not waiting and player.position == len(player.show) - 1:
            break
        if waiting:
            player.press(waiting.pop(0))
        else:
            player.do("forward")
    save_reel(out, Reel(scenes, lambda numbers, bare: _unpacked(packed, numbers, stage)))
    return len(scenes)


def _unpacked(packed: Sequence[bytes], numbers: Sequence[int], stage: Stage) -> Iterator[Image]:
    import numpy as np

    for number in numbers:
        pixels = np.frombuffer(zlib.decompress(packed[number]), dtype=np.uint8)
        yield pixels.reshape(stage.height, stage.width, 3)


def _save(player: Player, stage: Stage, what: str) -> str:
    """Save the frame shown, or the whole film under the overlay shown, beside what was saved before."""
    from engine.files import write_atomically
    from renderers.film import save
    from renderers.formats.png import encode

    path = _free_name("png" if what == "screenshot" else "gif")
    if what == "screenshot":
        write_atomically(path, encode(stage.draw(player)))
    else:
        save(path, [player.show.scene(number, player.overlay) for number in range(len(player.show))])
    return path.name


def _free_name(ending: str) -> Path:
    number = 1
    while (path := Path(f"caregrid-{number:03}.{ending}")).exists():
        number += 1
    return path
