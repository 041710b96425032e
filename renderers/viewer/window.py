"""The viewer's window: pygame delivers events and shows frames, everything else happens without it.

Only pygame's display is started (`pygame.init()` would open the sound device too); text is drawn by
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
from renderers.viewer.viewer_layout import ViewerLayout

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

    def __init__(self, player: Player, layout: ViewerLayout | None = None) -> None:
        self.player, self.layout = player, layout or ViewerLayout()
        self._pygame = load_pygame()

    def __enter__(self) -> Window:
        pygame = self._pygame
        require_display()
        try:
            pygame.display.init()
            self._open(self.layout.width, self.layout.height)
        except pygame.error as error:
            pygame.display.quit()
            raise _no_display(str(error)) from error
        pygame.display.set_caption(self.player.viewable.title)
        pygame.key.set_repeat(300, 60)
        return self

    def __exit__(self, *_: object) -> None:
        self._pygame.display.quit()

    def run(self) -> None:
        """Show the player's frames until it is done."""
        clock = self._pygame.time.Clock()
        while not self.player.done:
            self.update(clock.tick(FRAMES_A_SECOND) / 1000)

    def update(self, seconds: float) -> Image:
        """Handle events, advance the player by some seconds, show the next frame and return it."""
        for event in self._pygame.event.get():
            self._handle(event)
        self.player.advance(seconds)
        frame = self.layout.draw(self.player)
        picture = self._pygame.image.frombuffer(frame, (frame.shape[1], frame.shape[0]), "RGB")
        self._screen.blit(picture, (0, 0))
        self._pygame.display.flip()
        return frame

    def _handle(self, event: Any) -> None:
        pygame = self._pygame
        if event.type == pygame.QUIT:
            self.player.execute("quit")
        elif event.type == pygame.KEYDOWN:
            typed = getattr(event, "unicode", "")
            self.player.press(typed if typed in ("+", "?") and typed else pygame.key.name(event.key))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.layout.click(self.player, *event.pos)
        elif event.type == pygame.VIDEORESIZE:
            self.layout.resize(event.w, event.h)
            if (event.w, event.h) != (self.layout.width, self.layout.height):
                self._open(self.layout.width, self.layout.height)

    def _open(self, width: int, height: int) -> None:
        self._screen = self._pygame.display.set_mode((width, height), self._pygame.RESIZABLE)


def require_display() -> None:
    """MissingExtra where there is no display and no driver that needs none: SDL would draw into nothing."""
    variables = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in variables):
        raise _no_display("neither DISPLAY nor WAYLAND_DISPLAY is set")


def _no_display(reason: str) -> MissingExtra:
    return MissingExtra(f"no display: {reason}", place="window", remedy="use --headless --out FILE")


def _installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
