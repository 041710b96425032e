"""`caregrid.play`: a person takes the agent's place, in a window, in a terminal, from a pipe, or headless in a film.

`TypedGame` reads keys from a stream and prints scenes as text. `ViewableGame` takes moves by keys, buttons and clicks
in the viewer, whose time line shows what has happened. A world is named alone, as in `caregrid play teleport_move`, or
PROGRAMME/NAME, or KIND/NAME.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from caregrid.command_line.operation import check_arguments
from caregrid.kinds import KINDS
from caregrid.programmes.full_screen import TYPED, FullScreenGame, can_fill_terminal, open_terminal
from caregrid.programmes.game import Facts, GameSession, Move, StartGame, follow_suggestions
from caregrid.programmes.programme import PLAYABLE_PROGRAMMES, Programme
from engine.errors import BadValue, CaregridError, MissingExtra, UnknownName, argument, did_you_mean
from engine.files import require_file_place
from engine.registry import spell_name
from engine.scene import Scene
from engine.user_code import names_user_code
from engine.value_types import Frames, Seed
from renderers import text
from renderers.viewer.viewable import Button, Readings, Viewable, describe_cell

if TYPE_CHECKING:
    from caregrid.programmes.screen import Screen

MENU, LEAVE = ("h", "?"), ("q", "quit")
PIPE_WIDTH = 100


class TypedGame:
    """Shows a session on a stream, line by line: a pipe, or a terminal that cannot be filled.

    session: the game. out: where it is shown. width: letters a line; the terminal's by default, 100 in a pipe.
    """

    def __init__(self, session: GameSession, out: IO[str], width: int | None = None) -> None:
        self.session = session
        self._out = out
        self._width = width or (shutil.get_terminal_size().columns if out.isatty() else PIPE_WIDTH)

    def play(self, lines: Iterable[str], prompt: bool = False) -> None:
        """Play what is typed until it ends or says to leave, then show the result.

        lines: each the name of a move, or keys with blanks or commas between them. prompt: whether somebody types.
        """
        game = self.session.game
        about = textwrap.fill(" ".join(game.about.partition("\n\n")[0].split()), self._width)
        self._say(f"{game.title}\n\n{about}\n\n{textwrap.fill(game.goal, self._width)}\n")
        self._show_menu()
        self._show_scene()
        self._ask(prompt)
        for line in lines:
            for word in self._split_line(line):
                if not prompt:
                    self._say(f"> {word}")
                if word in LEAVE:
                    self._leave()
                    return
                self._press(word)
            self._ask(prompt)
        self._leave()

    def _split_line(self, line: str) -> list[str]:
        """Return the moves and keys of a line: one move by its name, or several keys."""
        name = line.strip()
        if name in self._by_name():
            return [name]
        return name.replace(",", " ").split()

    def _by_name(self) -> dict[str, str]:
        """Return what may be typed -> the move: keys, names, and letters for the arrows."""
        menu = self.session.menu()
        keys = {move.key: move.action for move in menu}
        letters = {letter: keys[key] for letter, key in TYPED.items() if key in keys}
        written = {move.written: move.action for move in menu if move.written}
        return {move.action: move.action for move in menu} | letters | written | keys

    def _press(self, word: str) -> None:
        moves = self._by_name()
        if word in MENU:
            self._show_menu()
            return
        if word not in moves:
            self._say(f"no move '{word}' now: {did_you_mean(word, moves)}")
            return
        try:
            self.session.take(moves[word])
        except CaregridError as error:
            self._say(str(error))
            return
        self._say(self.session.message)
        self._show_scene()
        if self.session.over:
            self._show_result()

    def _show_scene(self) -> None:
        game = self.session.game
        self._say(text.draw(game.scene(game.present), coloured=text.shows_colour(self._out), width=self._width) + "\n")

    def _show_menu(self) -> None:
        menu = self.session.menu()
        wide = max(len(move.key) for move in menu)
        lines = [f"  {move.key:<{wide}}  {_describe_move(move)}" for move in menu]
        typed = ", ".join(f"{letter} {key}" for letter, key in TYPED.items() if key in {move.key for move in menu})
        also = f"or type {typed}; " if typed else ""
        self._say("\n".join(["keys:", *lines, f"  {also}h these keys, q leave"]) + "\n")

    def _show_result(self) -> None:
        self._say(write_result(self.session) + "\n")

    def _leave(self) -> None:
        if not self.session.over:
            self._show_result()

    def _ask(self, prompt: bool) -> None:
        if prompt:
            self._out.write("> ")
            self._out.flush()

    def _say(self, words: str) -> None:
        self._out.write(f"{words}\n")


def write_result(session: GameSession) -> str:
    """Return the result of a game, or what it is so far."""
    head = "the end" if session.over else "so far"
    return "\n".join([f"{head}:", *_align(session.result())])


def _describe_move(move: Move) -> str:
    """Return an entry of the menu."""
    return move.text + (f": {move.effect}" if move.effect else "") + ("" if move.available else " (not now)")


def _align(rows: Facts) -> list[str]:
    """Label and text in two columns."""
    wide = max((len(label) for label, _ in rows), default=0)
    return [f"  {label:<{wide}}  {words}" for label, words in rows]


TAKE = "take "  # before the name of a move, so that no move is called like a command of the player


class ViewableGame(Viewable):
    """Grows by a scene with every move; the result stands beside the scenes once the game is over."""

    def __init__(self, session: GameSession) -> None:
        self._session = session
        self.title = session.game.title

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """The menu of the game; once it is over the arrows step."""
        return {move.key: (f"{TAKE}{move.action}", move.text) for move in self._session.menu()}

    @property
    def buttons(self) -> Sequence[Button]:
        """The menu of the game, on the screen."""
        return tuple(Button(move.key, move.text, move.available) for move in self._session.menu())

    def __len__(self) -> int:
        return len(self._session.game)

    def overlays(self) -> Sequence[str]:
        """List those of the game."""
        return self._session.game.overlays()

    def scene(self, index: int, overlay: str) -> Scene:
        """Return a scene: the goal at first, what the last move did and the next would do, the result at the end."""
        game = self._session.game
        scene = game.scene(index, overlay)
        readings = list[tuple[str, str]]()
        if not self._session.taken:
            readings += [("the world", " ".join(game.about.partition("\n\n")[0].split())), ("your goal", game.goal)]
        if index == game.present:
            readings += [("your move", self._session.message)] if self._session.message else []
            readings += [(move.text, move.effect) for move in game.menu() if move.effect]
        result = self._session.result() if self._session.over else ()
        return replace(scene, readings=(*readings, *result, *scene.readings))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Return what stands there, and what the game adds."""
        game = self._session.game
        return (*describe_cell(game.scene(index, game.overlays()[0]), cell), *game.inspect(index, cell))

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """Return a click on a cell that a move leads to takes it, others inspect the cell."""
        action = None if panel or self._session.over else self._session.game.move_to(cell)
        return None if action is None else self.execute(f"{TAKE}{action}", index)

    def execute(self, command: str, index: int) -> int:
        """Take a move, or the last one back; returns the present scene."""
        self._session.take(command.removeprefix(TAKE))
        return self._session.game.present


def require_place(screen: Screen, text: bool) -> None:
    """What cannot be shown is refused before anything is computed: BadValue, UnknownName, MissingExtra."""
    if text and (screen.out is not None or screen.frames is not None):
        remedy = f"leave out {argument('out', option='--headless, --out')} and {argument('frames')}"
        raise BadValue("text and a film at once", place=argument("text"), remedy=remedy)
    if text:
        return
    try:
        screen.check()
    except MissingExtra as error:
        remedy = f"{error.remedy}, or play with {argument('text', True)}"
        raise MissingExtra(error.problem, place=error.place, remedy=remedy) from error


def present(start: StartGame, screen: Screen, text: bool = False, record: str | Path | None = None) -> None:
    """Play a game.

    screen: a window, or a film where it names a file; there its keys play, or without any the suggestions. text: type
    in the terminal instead; keys of the screen are then what is typed. record: a file for what was played.
    """
    suggested = screen.out is not None and not screen.keys and not text
    session = GameSession(start, suggested)
    _show(session, start, screen, text)
    if record is not None:
        session.game.behaviour().save(record)


def _show(session: GameSession, start: StartGame, screen: Screen, text: bool) -> None:
    if text and not screen.keys and can_fill_terminal():
        with open_terminal() as keys:
            FullScreenGame(session, keys, sys.stdout).play()
        if session.taken:
            sys.stdout.write(write_result(session) + "\n")
        return
    if text:
        lines = [screen.keys] if screen.keys else sys.stdin
        TypedGame(session, sys.stdout).play(lines, prompt=not screen.keys and sys.stdin.isatty())
        return
    from caregrid.programmes.screen import display

    display(ViewableGame(session), screen, _list_suggested_keys(start) if session.suggested else [])


def _list_suggested_keys(start: StartGame) -> list[str]:
    """Return the keys that play every suggestion."""
    session = GameSession(start)
    keys = list[str]()
    for action in follow_suggestions(start):
        keys += [move.key for move in session.menu() if move.action == action]
        session.take(action)
    return keys


USUAL = "caring"
GYM = "gym:"


def find_game(name: str, settings: Mapping[str, Any], seed: int = 0) -> StartGame:
    """Return what makes the game of a world; UnknownName, or BadValue for settings that its programme does not know."""
    programme, world = find_programme(name)
    return programme.make_game(world, settings, seed)


def find_programme(name: str) -> tuple[Programme, str]:
    """Return the programme of a world and the world's own name; UnknownName, with the nearest, for a name of none."""
    prefix, slash, rest = name.partition("/")
    if slash and not name.startswith(GYM):
        kinds = {programme.worlds: own for own, programme in PLAYABLE_PROGRAMMES.items()}
        return PLAYABLE_PROGRAMMES[kinds.get(spell_name(prefix), prefix)], rest
    word = spell_name(name.rpartition("(")[2].rstrip(")").partition(":")[0])
    names = {own: _list_names(programme.worlds) for own, programme in PLAYABLE_PROGRAMMES.items()}
    found = [own for own in names if word in names[own]]
    if len(found) > 1:
        choices = " or ".join(f"{own}/{name}" for own in found)
        raise BadValue(f"'{name}' is several things", place="play", remedy=f"write {choices}")
    if not found and not names_user_code(name) and not name.startswith(GYM):
        raise UnknownName("world", name, [world for of_kind in names.values() for world in of_kind])
    return PLAYABLE_PROGRAMMES[found[0] if found else USUAL], name


def _list_names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind, without importing what they name."""
    return KINDS[kind].light_registry().names() if kind in KINDS else ()


@check_arguments
def play(
    name: str = "workshop",
    *,
    seed: Seed = 0,
    text: bool = False,
    out: str | Path | None = None,
    frames: Frames | None = None,
    keys: str = "",
    record: str | Path | None = None,
    **settings: Any,
) -> None:
    """Play a world in a window; with `text` in the terminal; with `out`, `keys` play into a film.

    Parameters
    ----------
    name : str
        A scenario, an extended environment, a slot scenario or a world with an input terminal; "environments/NAME" or
        "extended/NAME" says which.
    seed : int
        The seed of chance; the same seed gives the same game.
    text : bool
        Play in the terminal.
    out : str or Path, optional
        A film in place of the window.
    frames : int, optional
        At most so many frames.
    keys : str
        The keys to press, joined by commas; into a film without any, an exact agent plays.
    record : str or Path, optional
        A file for what was played, which `identify` reads.
    **settings
        Of the game, such as care, turns, horizon or agents, and the world's own; see docs/play.md.

    Raises
    ------
    UnknownName, BadValue, MissingExtra
        For a world, a setting or a file that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.play("garden", keys="right,right", out="garden.txt")
    """
    play_named(name, settings, seed, (out, frames, keys), text, record)


def play_named(
    name: str,
    settings: Mapping[str, Any],
    seed: int,
    screen: tuple[str | Path | None, int | None, str],
    text: bool,
    record: str | Path | None = None,
) -> None:
    """The same, of settings with any names. screen: `out`, `frames` and `keys`."""
    from caregrid.programmes.screen import Screen

    shown_on = Screen(*screen)
    require_place(shown_on, text)
    if record is not None:
        require_file_place(record)
    present(find_game(name, settings, seed), shown_on, text, record)
