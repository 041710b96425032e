"""The viewer's window: pygame delivers events and shows frames, everything else happens without it.

What a key or a click asks for, and the frame after it, are made beside the window (`renderers.viewer.work`). What takes
longer than a moment is said, can be stopped with Escape, and takes no further key; q leaves at any time. A key that is
held down repeats only where it moves.

Only pygame's display is started (`pygame.init()` would open the sound device too); text is drawn by
`renderers.drawing.stroke_font`, so that its fonts are not needed either.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

from engine.errors import MissingExtra, argument
from renderers.drawing import palette
from renderers.drawing.shapes import Image, blank
from renderers.drawing.stroke_font import write
from renderers.viewer.player import Player
from renderers.viewer.viewer_layout import ViewerLayout
from renderers.viewer.work import BackgroundCall, Stopped

FRAMES_A_SECOND = 30
IDLE_MILLISECONDS = 250
MOMENT = 0.2
"""Seconds: what takes longer is said."""
USUAL_SCREEN = 1920, 1080
REPEATING = ("left", "right", "up", "down", "page up", "page down")
REPAIR = "repair with: pip uninstall -y pygame pygame-ce && pip install pygame-ce"


def load_pygame() -> ModuleType:
    """pygame-ce, or MissingExtra with the repair where it is absent or shares its folder with pygame."""
    if _is_installed("pygame") and _is_installed("pygame-ce"):
        raise MissingExtra("pygame and pygame-ce share a folder and break each other", place="window", remedy=REPAIR)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise MissingExtra("windows need pygame-ce", place="window", remedy="pip install 'caregrid[render]'") from error
    return pygame


class Window:
    """An open window; use it in a `with` statement, which closes it whatever happens.

    moment: after so many seconds the window says that it works. Raises MissingExtra without pygame-ce or without a
    display ("--headless" needs neither).
    """

    def __init__(self, player: Player, layout: ViewerLayout | None = None, moment: float = MOMENT) -> None:
        self.player = player
        self.moment = moment
        self.layout = layout or ViewerLayout()
        self._pygame = load_pygame()
        self._window_size = self.layout.width, self.layout.height
        self._changed = True
        self._dragging = False
        self._full_screen = False
        self._held = set[int]()
        self._work: BackgroundCall | None = None
        self._seconds = 0.0
        self._frame = blank(self.layout.height, self.layout.width, self._choose(palette.PAPER))
        self._remember()

    def __enter__(self) -> Window:
        pygame = self._pygame
        require_display()
        os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")  # else Windows stretches what is drawn
        try:
            pygame.display.init()
            scale = choose_scale(*pygame.display.get_desktop_sizes()[0])
            self._window_size = round(self.layout.width * scale), round(self.layout.height * scale)
            self._open(*self._window_size)
        except pygame.error as error:
            pygame.display.quit()
            raise _make_display_error(str(error)) from error
        pygame.display.set_caption(self.player.viewable.title)
        pygame.key.set_repeat(300, 60)
        return self

    def __exit__(self, *_: object) -> None:
        self._pygame.display.quit()

    def run(self) -> None:
        """Show the player's frames until it is done; between events a paused window sleeps."""
        clock = self._pygame.time.Clock()
        while not self.player.done:
            self.update(clock.tick(FRAMES_A_SECOND) / 1000)
            if not self.player.playing and not self.player.done and not self.working:
                self._handle(self._pygame.event.wait(IDLE_MILLISECONDS))
                clock.tick()

    def update(self, seconds: float) -> Image:
        """Handle events, advance the player by some seconds, return the frame: a new one where anything changed."""
        for event in self._pygame.event.get():
            self._handle(event)
        if self.working:
            self._seconds += seconds
            self._look(0.0)
            self._show(self._say_working() if self.working else self._frame)
        elif not self.player.done:
            before = self.player.position, self.player.playing
            self.player.advance(seconds)
            if self._changed or before != (self.player.position, self.player.playing):
                self._changed = False
                self._do(self._draw)
                if not self.working:
                    self._show(self._frame)
        return self._frame

    @property
    def working(self) -> bool:
        """Whether something takes longer than a moment."""
        return self._work is not None

    def _draw(self) -> None:
        self._frame = self.layout.draw(self.player)
        self._remember()

    def _remember(self) -> None:
        """What is drawn is where one goes back to when the next act is stopped."""
        self._drawn = [(thing, dict(vars(thing))) for thing in (self.player, self.player.viewable)]

    def _do(self, act: Callable[[], object]) -> None:
        """Do something beside the window, and wait a moment for its end."""
        self._work, self._seconds = BackgroundCall(act), self.moment
        self._look(self.moment)

    def _look(self, seconds: float) -> None:
        """Whether the work is over; where it was stopped, all is as it was drawn last."""
        try:
            if self._work is not None and self._work.is_over(seconds):
                self._work = None
        except Stopped:
            self._work, self._changed = None, True
            for thing, before in self._drawn:
                vars(thing).clear()
                vars(thing).update(before)
        except BaseException:
            self._work = None
            raise

    def _say_working(self) -> Image:
        """Return the last frame, pale, and over it for how long something has been worked at."""
        frame = self._frame // 2 + (0 if self.player.dark else 120)
        size, ink = max(8.0, frame.shape[1] / 60), self._choose(palette.INK)
        write(frame, f"working: {self._seconds:.0f} s", 2 * size, 2 * size, size, ink, bold=True)
        write(frame, "Escape stops it, q leaves", 2 * size, 4 * size, size, ink)
        return frame

    def _choose(self, shade: palette.Colour) -> palette.Colour:
        """Return a colour as the window shows it, dark or light."""
        return palette.darken_colour(shade) if self.player.dark else shade

    def _show(self, frame: Image) -> None:
        picture = self._pygame.image.frombuffer(frame.tobytes(), (frame.shape[1], frame.shape[0]), "RGB")
        self._screen.blit(picture, (0, 0))
        self._pygame.display.flip()

    def _handle(self, event: Any) -> None:
        """What an event does; after all but movements of the pointer and the like the frame is drawn anew."""
        pygame = self._pygame
        player = self.player
        if event.type == pygame.QUIT:
            player.execute("quit")
        elif event.type == pygame.KEYUP:
            self._held.discard(event.key)
            return
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._held.clear()
            return
        elif event.type == pygame.KEYDOWN:
            self._press(event)
        elif self._work is not None:
            return
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._do(lambda: self._click(*event.pos))
        elif event.type == pygame.MOUSEMOTION and self._dragging:
            self._dragging = bool(event.buttons[0])
            if self._dragging:
                self._do(lambda: self.layout.drag(player, *event.pos))
        elif event.type == pygame.MOUSEBUTTONUP:
            self._dragging = False
        elif event.type == pygame.MOUSEWHEEL:
            self.layout.wheel(player, pygame.mouse.get_pos()[0], -event.y)
        elif event.type == pygame.VIDEORESIZE:
            self._resize(event.w, event.h)
        elif event.type not in (pygame.VIDEOEXPOSE, pygame.WINDOWEXPOSED):
            return
        self._changed = True
        if player.full_screen != self._full_screen:
            self._full_screen = player.full_screen
            self._open(*self._window_size)

    def _click(self, x: int, y: int) -> None:
        self._dragging = self.layout.click(self.player, x, y)

    def _press(self, event: Any) -> None:
        player = self.player
        typed = getattr(event, "unicode", "")
        name = self._pygame.key.name(event.key)
        repeated = event.key in self._held
        self._held.add(event.key)
        if repeated and name not in REPEATING:
            return
        if self._work is not None:
            if name == "escape":
                self._work.stop()
            elif name == "q":
                player.execute("quit")
        elif name == "escape" and player.full_screen:
            player.execute("full screen")
        else:
            self._do(lambda: player.press(typed if typed in ("+", "?") and typed else name))

    def _resize(self, width: int, height: int) -> None:
        self.layout.resize(width, height)
        if not self._full_screen:
            self._window_size = self.layout.width, self.layout.height
            if (width, height) != self._window_size:
                self._open(*self._window_size)

    def _open(self, width: int, height: int) -> None:
        """A window of a size in pixels, or the whole screen."""
        pygame = self._pygame
        if self._full_screen:
            self._screen = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)
        else:
            self._screen = pygame.display.set_mode((width, height), pygame.RESIZABLE)
        self._screen.fill(self._choose(palette.PAPER))
        self.layout.resize(*self._screen.get_size())
        self._changed = True


def choose_scale(width: int, height: int) -> float:
    """How much larger a window opens on a screen of a size in pixels: with it grows, pixel by pixel, what it shows.

    On a screen of a high resolution a window then has the share of the screen that it has on one of 1920 x 1080.
    """
    return max(1.0, min(width / USUAL_SCREEN[0], height / USUAL_SCREEN[1]))


def require_display() -> None:
    """MissingExtra where there is no display and no driver that needs none: SDL would draw into nothing."""
    variables = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in variables):
        raise _make_display_error("neither DISPLAY nor WAYLAND_DISPLAY is set")


def _make_display_error(reason: str) -> MissingExtra:
    return MissingExtra(
        f"no display: {reason}",
        place="window",
        remedy=f"write a film: {argument('out', 'film.gif', option='--headless --out')}",
    )


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
