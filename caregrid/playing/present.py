"""A game before a person: in a window, in a terminal, or headless in a film."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from caregrid.playing.game import StartGame, demonstration
from caregrid.playing.session import GameSession
from engine.errors import BadValue, MissingExtra, argument

if TYPE_CHECKING:
    from caregrid.shows.headless import Screen


def require_place(screen: Screen, text: bool) -> None:
    """What cannot be shown is refused before anything is computed: BadValue, UnknownName, MissingExtra."""
    if text and (screen.out is not None or screen.frames is not None):
        remedy = f"leave out {argument('out', option='--headless, --out')} and {argument('frames')}"
        raise BadValue("text and a film at once", place=argument("text"), remedy=remedy)
    if text:
        return
    try:
        screen.checked()
    except MissingExtra as error:
        remedy = f"{error.remedy}, or play with {argument('text', True)}"
        raise MissingExtra(error.problem, place=error.place, remedy=remedy) from error


def present(start: StartGame, screen: Screen, text: bool = False) -> None:
    """Play a game.

    screen: a window, or a film where it names a file; there its keys play, or without any the suggestions. text: type
    in the terminal instead; keys of the screen are then what is typed.
    """
    session = GameSession(start)
    if text:
        from caregrid.playing.typed import TypedGame

        lines = [screen.keys] if screen.keys else sys.stdin
        TypedGame(session, sys.stdout).play(lines, prompt=not screen.keys and sys.stdin.isatty())
        return
    from caregrid.playing.viewable_game import ViewableGame
    from caregrid.shows.headless import display

    display(ViewableGame(session), screen, [] if screen.out is None or screen.keys else _suggested_keys(start))


def _suggested_keys(start: StartGame) -> list[str]:
    """The keys that play every suggestion."""
    session, keys = GameSession(start), list[str]()
    for action in demonstration(start):
        keys += [move.key for move in session.menu() if move.action == action]
        session.take(action)
    return keys
