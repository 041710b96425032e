"""A game in a terminal or from a pipe: keys are typed, scenes are text; a display is not needed."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable
from typing import IO

from caregrid.playing.game import Facts, Move
from caregrid.playing.session import GameSession
from engine.errors import CaregridError, did_you_mean
from renderers import text

TYPED = {"w": "up", "a": "left", "s": "down", "d": "right"}
MENU, LEAVE = ("h", "?"), ("q", "quit")
PIPE_WIDTH = 100


class TypedGame:
    """Shows a session on a stream.

    session: the game. out: where it is shown. width: letters a line; the terminal's by default, 100 in a pipe.
    """

    def __init__(self, session: GameSession, out: IO[str], width: int | None = None) -> None:
        self.session, self._out = session, out
        self._width = width or (shutil.get_terminal_size().columns if out.isatty() else PIPE_WIDTH)

    def play(self, lines: Iterable[str], prompt: bool = False) -> None:
        """Play what is typed until it ends or says to leave, then show the result.

        lines: each the name of a move, or keys with blanks or commas between them. prompt: whether somebody types.
        """
        game = self.session.game
        self._say(f"{game.title}\n\n{game.about}\n\n{textwrap.fill(game.goal, self._width)}\n")
        self._show_menu()
        self._show_scene()
        self._ask(prompt)
        for line in lines:
            for word in self._words(line):
                if not prompt:
                    self._say(f"> {word}")
                if word in LEAVE:
                    self._leave()
                    return
                self._press(word)
            self._ask(prompt)
        self._leave()

    def _words(self, line: str) -> list[str]:
        """The moves and keys of a line: one move by its name, or several keys."""
        name = line.strip()
        if name in self._by_name():
            return [name]
        return name.replace(",", " ").split()

    def _by_name(self) -> dict[str, str]:
        """What may be typed -> the move: keys, names, and letters for the arrows."""
        menu = self.session.menu()
        keys = {move.key: move.action for move in menu}
        letters = {letter: keys[key] for letter, key in TYPED.items() if key in keys}
        return {move.action: move.action for move in menu} | letters | keys

    def _press(self, word: str) -> None:
        known = self._by_name()
        if word in MENU:
            self._show_menu()
            return
        if word not in known:
            self._say(f"no move '{word}' now: {did_you_mean(word, known)}")
            return
        try:
            self.session.take(known[word])
        except CaregridError as error:
            self._say(str(error))
            return
        self._say(self.session.message)
        self._show_scene()
        if self.session.over:
            self._show_result()

    def _show_scene(self) -> None:
        game = self.session.game
        self._say(text.draw(game.scene(game.present), coloured=text.in_colour(self._out), width=self._width) + "\n")

    def _show_menu(self) -> None:
        menu = self.session.menu()
        wide = max(len(move.key) for move in menu)
        lines = [f"  {move.key:<{wide}}  {_words(move)}" for move in menu]
        typed = ", ".join(f"{letter} {key}" for letter, key in TYPED.items() if key in {move.key for move in menu})
        also = f"or type {typed}; " if typed else ""
        self._say("\n".join(["keys:", *lines, f"  {also}h these keys, q leave"]) + "\n")

    def _show_result(self) -> None:
        head = "the end" if self.session.over else "so far"
        self._say("\n".join([f"{head}:", *_aligned(self.session.result())]) + "\n")

    def _leave(self) -> None:
        if not self.session.over:
            self._show_result()

    def _ask(self, prompt: bool) -> None:
        if prompt:
            self._out.write("> ")
            self._out.flush()

    def _say(self, words: str) -> None:
        self._out.write(f"{words}\n")


def _words(move: Move) -> str:
    """An entry of the menu."""
    return move.text + (f": {move.effect}" if move.effect else "") + ("" if move.available else " (not now)")


def _aligned(rows: Facts) -> list[str]:
    """Label and text in two columns."""
    wide = max((len(label) for label, _ in rows), default=0)
    return [f"  {label:<{wide}}  {words}" for label, words in rows]
