"""A game on a whole terminal: single keys, and on every screen the goal, the world, and below them all moves.

What is shown is lines of text made of a session and a size (`compose_screen`); beside that a terminal is only told to
be read key by key (termios) and written to by a few standard sequences. From 80 x 24 on everything has its room: what
is longer is turned with page up and page down.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from caregrid.programmes.game import Facts, GameSession, Move
from engine.errors import CaregridError
from engine.printable import make_printable
from renderers import text

ESCAPES = {
    "[A": "up", "[B": "down", "[C": "right", "[D": "left", "[5~": "page up", "[6~": "page down",
    "OA": "up", "OB": "down", "OC": "right", "OD": "left",
}  # fmt: skip
TYPED = {"w": "up", "a": "left", "s": "down", "d": "right"}
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
FOOT = "page up and page down turn, h about the world, q leaves"
MOST_GOAL_LINES = 4
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


class Page(NamedTuple):
    """What the middle of the screen shows, from line `first` on. about: what the world is, in place of the world."""

    about: bool = False
    first: int = 0


def compose_screen(session: GameSession, width: int, height: int, page: Page, coloured: bool = False) -> list[str]:
    """Return exactly `height` lines, none longer than `width` letters: goal, middle, message, moves, keys."""
    game = session.game
    goal = textwrap.wrap(f"Goal: {' '.join(game.goal.split())}", width)
    if len(goal) > MOST_GOAL_LINES:
        goal = [*goal[: MOST_GOAL_LINES - 1], goal[MOST_GOAL_LINES - 1][: width - 1] + "…"]
    menu = flow_moves(session.menu(), width)
    message = textwrap.wrap(session.message, width)[:2] or [""]
    room = height - len(goal) - len(menu) - len(message) - 3
    middle = _list_middle(session, width, page.about, coloured)
    first = max(0, min(page.first, len(middle) - room))
    shown = middle[first : first + room]
    shown += [""] * (room - len(shown))
    more = f"lines {first + 1} to {min(len(middle), first + room)} of {len(middle)}; " if len(middle) > room else ""
    title = make_printable(game.title)[:width]
    lines = [title, *goal, *shown, *message, "\u2500" * width, *menu, (more + FOOT)[:width]]
    return lines[:height]


def flow_moves(moves: tuple[Move, ...], width: int) -> list[str]:
    """Return the moves with their keys, side by side; moves in the four directions as one entry."""
    arrows = [move for move in moves if move.key in TYPED.values()]
    entries = ["arrows or w a s d: move"] if len(arrows) > 1 else [_write_move(move) for move in arrows]
    entries += [_write_move(move) for move in moves if move not in arrows and move.available]
    lines = [""]
    for entry in entries:
        words = make_printable(entry)[:width]
        if lines[-1] and len(lines[-1]) + 3 + len(words) > width:
            lines.append("")
        lines[-1] += f"   {words}" if lines[-1] else words
    return lines


def _write_move(move: Move) -> str:
    return f"{move.key} {move.text}" + (f" ({move.effect})" if move.effect else "")


def _list_middle(session: GameSession, width: int, about: bool, coloured: bool) -> list[str]:
    game = session.game
    if about:
        first = game.about.partition("\n\n")[0]
        return textwrap.wrap(make_printable(" ".join(first.split())), width)
    lines = _list_result(session.result(), width) if session.over else []
    return [*lines, *text.draw(game.scene(game.present), coloured=coloured, width=width).splitlines()]


def _list_result(rows: Facts, width: int) -> list[str]:
    """Return the result in two columns, the second one wrapped."""
    wide = min(max((len(label) for label, _ in rows), default=0), width // 3)
    lines = ["The end:"]
    for label, words in rows:
        lines += textwrap.wrap(
            make_printable(words), width, initial_indent=f"{label:<{wide}}  ", subsequent_indent=" " * (wide + 2)
        )
    return [*lines, ""]


class FullScreenGame:
    """A session on a terminal, key by key. keys: what is pressed, by name; out: the terminal."""

    def __init__(self, session: GameSession, keys: Iterator[str], out: IO[str]) -> None:
        self.session = session
        self._keys = keys
        self._out = out
        self._page = Page()

    def play(self) -> None:
        """Show the game and take keys until one says to leave."""
        self._show()
        for key in self._keys:
            if key == "q":
                return
            self._press(key)
            self._show()

    def _press(self, key: str) -> None:
        height = shutil.get_terminal_size().lines
        if key == "h":
            self._page = Page(about=not self._page.about)
        elif key in ("page up", "page down"):
            step = (height // 2) * (1 if key == "page down" else -1)
            self._page = self._page._replace(first=max(0, self._page.first + step))
        else:
            self._page = Page()
            moves = {move.key: move for move in self.session.menu()}
            written = {move.written: move for move in self.session.menu() if move.written}
            move = moves.get(key) or written.get(key) or moves.get(TYPED.get(key, ""))
            if move is None:
                self.session.message = f"'{key}' does nothing now."
                return
            try:
                self.session.take(move.action)
            except CaregridError as error:
                self.session.message = str(error)

    def _show(self) -> None:
        width, height = shutil.get_terminal_size()
        coloured = text.shows_colour(self._out)
        title, *lines = compose_screen(self.session, width, height, self._page, coloured)
        if coloured:
            title = f"{BOLD}{title}{PLAIN}"
        self._out.write("\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in [title, *lines]) + "\x1b[J")
        self._out.flush()


def can_fill_terminal() -> bool:
    """Return whether a terminal is there that can be read key by key."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        import termios
    except ImportError:  # Windows
        return False
    return termios is not None


@contextmanager
def open_terminal() -> Iterator[Iterator[str]]:
    """The keys that are pressed, by name; afterwards the terminal is as it was."""
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    sys.stdout.write(ENTER)
    sys.stdout.flush()
    try:
        tty.setcbreak(number)
        yield read_keys(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
        sys.stdout.write(LEAVE)
        sys.stdout.flush()


def read_keys(number: int) -> Iterator[str]:
    """Keys of an open terminal, until it is closed."""
    while content := os.read(number, 64):
        yield from split_keys(content.decode(errors="replace"))


def split_keys(typed: str) -> Iterator[str]:
    """Yield the names of keys in what a terminal sends: letters as they are, sequences by name, others left out."""
    at = 0
    while at < len(typed):
        if typed[at] == "\x1b":
            found = next((each for each in ESCAPES if typed.startswith(each, at + 1)), "")
            if found:
                yield ESCAPES[found]
            at += 1 + (len(found) or len(typed) - at)
            continue
        if typed[at].isprintable():
            yield typed[at]
        at += 1
