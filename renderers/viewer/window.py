"""A window on a stage: pygame delivers events and shows frames, everything else happens without it.

Only pygame's display is started (`pygame.init()` would open the sound device too); words are drawn by
`renderers.drawing.stroke_font`, so that its fonts are not needed either.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

from engine.errors import MissingExtra
from renderers.drawing.shapes import Image
from renderers.viewer.player import Player
from renderers.viewer.viewer_layout import Stage

FRAMES_A_SECOND = 30
REPAIR = "repair with: pip uninstall -y pygame pygame-ce && pip install pygame-ce"


def load_pygame() -> ModuleType:
    """pygame-ce, or MissingExtra with the repair where it is absent or shares its folder with pygame."""
    if _installed("pygame") and _installed("pygame-ce"):
        raise MissingExtra("pygame and pygame-ce share a folder and break each other", place="window", remedy=REPAIR)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise MissingExtra("windows need pygame-ce", place="window", remedy="pip install 'caregrid[render]'") from error
    return pygame


class Window:
    """An open window; use it in a `with` statement, which closes it whatever happens.

    Raises MissingExtra without pygame-ce or without a display ("--headless" needs neither).
    """

    def __init__(self, player: Player, stage: Stage | None = None) -> None:
        self.player, self.stage = player, stage or Stage()
        self._pygame = load_pygame()

    def __enter__(self) -> Window:
        pygame = self._pygame
        require_display()
        try:
            pygame.display.init()
            self._open(self.stage.width, self.stage.height)
        except pygame.error as error:
            pygame.display.quit()
            raise _no_display(str(error)) from error
        pygame.display.set_caption(self.player.show.title)
        pygame.key.set_repeat(300, 60)
        return self

    def __exit__(self, *_: object) -> None:
        self._pygame.display.quit()

    def run(self) -> None:
        """Show the player's frames until it is done."""
        clock = self._pygame.time.Clock()
        while not self.player.done:
            self.turn(clock.tick(FRAMES_A_SECOND) / 1000)

    def turn(self, seconds: float) -> Image:
        """Handle what happened, let time pass, show a frame (and answer it)."""
        for event in self._pygame.event.get():
            self._handle(event)
        self.player.advance(seconds)
        frame = self.stage.draw(self.player)
        picture = self._pygame.image.frombuffer(frame, (frame.shape[1], frame.shape[0]), "RGB")
        self._screen.blit(picture, (0, 0))
        self._pygame.display.flip()
        return frame

    def _handle(self, event: Any) -> None:
        pygame = self._pygame
        if event.type == pygame.QUIT:
            self.player.do("quit")
        elif event.type == pygame.KEYDOWN:
            typed = getattr(event, "unicode", "")
            self.player.press(typed if typed in ("+", "?") and typed else pygame.key.name(event.key))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.stage.click(self.player, *event.pos)
        elif event.type == pygame.VIDEORESIZE:
            self.stage.resize(event.w, event.h)
            if (event.w, event.h) != (self.stage.width, self.stage.height):
                self._open(self.stage.width, self.stage.height)

    def _open(self, width: int, height: int) -> None:
        self._screen = self._pygame.display.set_mode((width, height), self._pygame.RESIZABLE)


def require_display() -> None:
    """MissingExtra where there is no display and nobody chose a driver that needs none: SDL would draw for nobody."""
    named = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in named):
        raise _no_display("neither DISPLAY nor WAYLAND_DISPLAY is set")


def _no_display(reason: str) -> MissingExtra:
    return MissingExtra(f"no display: {reason}", place="window", remedy="use --headless --out FILE")


def _installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
