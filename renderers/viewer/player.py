"""The viewer without its window: a show, a position in it, and the words that keys and buttons stand for.

Time is told to it (`advance`), so that the same player runs in a window, in a test and headless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.errors import CaregridError
from engine.scene import Scene
from renderers.viewer.viewable import Show

SLOWEST, FASTEST = 0.5, 64.0
KEYS: dict[str, tuple[str, str]] = {
    "space": ("play", "play or pause"),
    "right": ("forward", "one step on"),
    "left": ("back", "one step back"),
    "home": ("first", "to the start"),
    "end": ("last", "to the end"),
    "=": ("faster", "faster"),
    "-": ("slower", "slower"),
    "o": ("overlay", "next overlay"),
    "s": ("screenshot", "save a picture"),
    "g": ("gif", "save the film as GIF"),
    "h": ("help", "these keys"),
    "q": ("quit", "leave"),
}
ALIASES = {"+": "=", "escape": "q", "?": "h", "f1": "h", "[+]": "=", "[-]": "-"}


class Player:
    """Plays a show. position: the scene shown. speed: scenes a second. done: somebody wants to leave.

    save: called with "screenshot" or "gif", answers where it wrote; nothing is saved by default.
    """

    def __init__(self, show: Show, save: Callable[[str], str] | None = None) -> None:
        self.show, self.save = show, save
        self.position, self.speed, self.playing, self.done, self.help = 0, 4.0, False, False, False
        self.overlay, self.message = show.overlays()[0], ""
        self.cell: tuple[int, int] | None = None
        self._waited = 0.0
        self._own: dict[str, Callable[[], None]] = {
            "play": self._toggle,
            "faster": lambda: self._pace(2),
            "slower": lambda: self._pace(0.5),
            "overlay": self._next_overlay,
            "help": self._toggle_help,
            "quit": self._leave,
        }

    @property
    def keys(self) -> dict[str, tuple[str, str]]:
        """Every key: the show's own take precedence."""
        return {**KEYS, **self.show.keys}

    def press(self, key: str) -> None:
        """A key by its name; unknown keys do nothing."""
        keys = self.keys
        word, _ = keys.get(key) or keys.get(ALIASES.get(key, ""), ("", ""))
        if word:
            self.do(word)

    def do(self, word: str) -> None:
        """Obey a word; what cannot be done is told as the message."""
        self.message = ""
        moves = {"forward": self.position + 1, "back": self.position - 1, "first": 0, "last": len(self.show) - 1}
        try:
            if word in moves:
                self.go(moves[word])
            elif word in ("screenshot", "gif"):
                self.message = f"saved {self.save(word)}" if self.save is not None else "nowhere to save"
            elif word in self._own:
                self._own[word]()
            else:
                self.go(self.show.do(word, self.position))
        except CaregridError as error:
            self.message = str(error)

    def go(self, position: int) -> None:
        """Jump to a scene, or to the nearest end."""
        self.position = min(max(0, position), len(self.show) - 1)

    def select(self, cell: tuple[int, int] | None) -> None:
        """Look closely at a cell; the same cell again, or None, looks away."""
        self.cell = None if cell == self.cell else cell

    def advance(self, seconds: float) -> None:
        """Let time pass: while playing, the position moves on and stops at the end."""
        if not self.playing:
            return
        self._waited += seconds * self.speed
        steps = int(self._waited)
        self._waited -= steps
        self.go(self.position + steps)
        if self.position == len(self.show) - 1:
            self.playing = False

    def scene(self) -> Scene:
        """What to show now: the scene with its overlay; the player's own state is added to the readings."""
        scene = self.show.scene(self.position, self.overlay)
        added = [("overlay", self.overlay), ("speed", f"{self.speed:g} a second{'' if self.playing else ', paused'}")]
        if self.cell is not None:
            added.append(("cell", f"row {self.cell[0]}, column {self.cell[1]}"))
            added += self.show.inspect(self.position, self.cell)
        return replace(scene, readings=(*scene.readings, *added))

    def _toggle(self) -> None:
        if not self.playing and self.position == len(self.show) - 1:
            self.go(0)
        self.playing, self._waited = not self.playing, 0.0

    def _toggle_help(self) -> None:
        self.help = not self.help

    def _leave(self) -> None:
        self.done = True

    def _pace(self, factor: float) -> None:
        self.speed = min(max(SLOWEST, self.speed * factor), FASTEST)

    def _next_overlay(self) -> None:
        names = list(self.show.overlays())
        here = names.index(self.overlay) if self.overlay in names else -1
        self.overlay = names[(here + 1) % len(names)]
