"""The viewer without its window: something viewable, a position in it, and the commands that keys stand for.

Time is passed to it (`advance`), so that the same player runs in a window, in a test and headless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.errors import CaregridError
from engine.scene import Scene, Signs
from renderers.drawing.palette import is_dark
from renderers.viewer.viewable import Button, Viewable

SLOWEST, FASTEST = 0.5, 64.0
PLAYER_KEYS: dict[str, tuple[str, str]] = {
    "space": ("play", "play or pause"),
    "right": ("forward", "one step on"),
    "left": ("back", "one step back"),
    "home": ("first", "to the start"),
    "end": ("last", "to the end"),
    "=": ("faster", "faster"),
    "-": ("slower", "slower"),
    "o": ("overlay", "next overlay"),
    "f8": ("dark", "dark or light"),
    "f9": ("signs", "letters or sprites"),
    "s": ("screenshot", "save a picture"),
    "g": ("gif", "save the film as GIF"),
    "f11": ("full screen", "full screen, and back"),
    "h": ("help", "these keys"),
    "q": ("quit", "leave"),
}
ALIASES = {"+": "=", "escape": "q", "?": "h", "f1": "h", "[+]": "=", "[-]": "-"}


class Player:
    """Plays the scenes of something viewable.

    position: the scene shown. speed: scenes a second. done: whether to leave.
    full_screen: whether the window should fill the screen. dark: whether pictures are dark.
    save: called with "screenshot" or "gif", returns the file's name; by default nothing is saved.
    """

    def __init__(self, viewable: Viewable, save: Callable[[str], str] | None = None) -> None:
        self.viewable = viewable
        self.save = save
        self.position = 0
        self.speed = 4.0
        self.playing = False
        self.done = False
        self.help = False
        self.full_screen = False
        self.signs: Signs = "sprites"
        self.dark = is_dark()
        self.overlay = viewable.overlays()[0]
        self.message = ""
        self.cell: tuple[int, int] | None = None
        self._waited = 0.0
        self._commands: dict[str, Callable[[], None]] = {
            "play": self._toggle,
            "faster": lambda: self._change_speed(2),
            "slower": lambda: self._change_speed(0.5),
            "overlay": self._next_overlay,
            "dark": self._toggle_dark,
            "signs": self._toggle_signs,
            "help": self._toggle_help,
            "full screen": self._toggle_full_screen,
            "quit": self._leave,
        }

    @property
    def keys(self) -> dict[str, tuple[str, str]]:
        """Every key; those of what is shown take precedence."""
        return {**PLAYER_KEYS, **self.viewable.keys}

    @property
    def buttons(self) -> list[Button]:
        """What is shown as buttons: those of what is shown, then the viewer's own."""
        own = [Button("f11", "full screen"), Button("s", "save picture"), Button("h", "all keys")]
        overlay = [Button("o", "overlay")] if len(self.viewable.overlays()) > 1 else []
        return [*self.viewable.buttons, *overlay, *own]

    def press(self, key: str) -> None:
        """Press a key, by its name; unknown keys do nothing."""
        keys = self.keys
        command, _ = keys.get(key) or keys.get(ALIASES.get(key, ""), ("", ""))
        if command:
            self.execute(command)

    def execute(self, command: str) -> None:
        """Carry out a command; where it fails, `message` says why."""
        self.message = self.viewable.message = ""
        moves = {"forward": self.position + 1, "back": self.position - 1, "first": 0, "last": len(self.viewable) - 1}
        try:
            if command in moves:
                self.go(moves[command])
            elif command in ("screenshot", "gif"):
                self.message = f"saved {self.save(command)}" if self.save is not None else "nowhere to save"
            elif command in self._commands:
                self._commands[command]()
            else:
                self.go(self.viewable.execute(command, self.position))
        except CaregridError as error:
            self.message = str(error)
        self.message = self.message or self.viewable.message

    def go(self, position: int) -> None:
        """Jump to a scene, or to the nearest end."""
        self.position = min(max(0, position), len(self.viewable) - 1)

    def click(self, panel: tuple[int, ...], cell: tuple[int, int]) -> None:
        """A click on a cell of a panel: what is shown may take it as a choice, else the cell is inspected."""
        self._point(self.viewable.click, panel, cell)

    def paint(self, panel: tuple[int, ...], cell: tuple[int, int]) -> None:
        """The pointer, held down since a click, passes another cell."""
        self._point(self.viewable.paint, panel, cell)

    def _point(
        self,
        at: Callable[[tuple[int, ...], tuple[int, int], int], int | None],
        panel: tuple[int, ...],
        cell: tuple[int, int],
    ) -> None:
        self.message = self.viewable.message = ""
        try:
            position = at(panel, cell, self.position)
        except CaregridError as error:
            self.message = str(error)
            return
        self.message = self.viewable.message
        if position is None:
            self.select(cell)
        else:
            self.go(position)

    def slide(self, number: float) -> None:
        """Drag what is shown to a number of its slider; where that fails, `message` says why."""
        self.message = ""
        try:
            self.go(self.viewable.slide(number, self.position))
        except CaregridError as error:
            self.message = str(error)

    def select(self, cell: tuple[int, int] | None) -> None:
        """Inspect a cell; the same cell again, or None, ends it."""
        self.cell = None if cell == self.cell else cell

    def advance(self, seconds: float) -> None:
        """Let time pass: while playing, the position moves on and stops at the end."""
        if not self.playing:
            return
        self._waited += seconds * self.speed
        steps = int(self._waited)
        self._waited -= steps
        self.go(self.position + steps)
        if self.position == len(self.viewable) - 1:
            self.playing = False

    def scene(self) -> Scene:
        """Return the present scene with its overlay; overlay and inspected cell are added to its readings."""
        scene = self.viewable.scene(self.position, self.overlay)
        added = [("overlay", self.overlay)] if len(self.viewable.overlays()) > 1 else []
        if self.cell is not None:
            added.append(("cell", f"row {self.cell[0]}, column {self.cell[1]}"))
            added += self.viewable.inspect(self.position, self.cell)
        return replace(scene, readings=(*scene.readings, *added))

    def _toggle(self) -> None:
        if not self.playing and self.position == len(self.viewable) - 1:
            self.go(0)
        self.playing = not self.playing
        self._waited = 0.0

    def _toggle_help(self) -> None:
        self.help = not self.help

    def _toggle_dark(self) -> None:
        self.dark = not self.dark

    def _toggle_signs(self) -> None:
        self.signs = "letters" if self.signs == "sprites" else "sprites"

    def _toggle_full_screen(self) -> None:
        self.full_screen = not self.full_screen

    def _leave(self) -> None:
        self.done = True

    def _change_speed(self, factor: float) -> None:
        self.speed = min(max(SLOWEST, self.speed * factor), FASTEST)

    def _next_overlay(self) -> None:
        names = list(self.viewable.overlays())
        current = names.index(self.overlay) if self.overlay in names else -1
        self.overlay = names[(current + 1) % len(names)]
