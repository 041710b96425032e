"""A game: what a person in an agent's place sees and may do, and the moves so far. No display is needed.

A game is made, then moves are taken; equal moves make equal games. So `GameSession` takes a move back by making the
game again without it. Chance is drawn from a seed: the nth move takes the same numbers whatever came before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import BadValue, CaregridError, UnknownName
from engine.scene import Scene

if TYPE_CHECKING:
    from caregrid.programmes.turns import RecordedTurns
    from craftworld.identification.behaviour import Behaviour

Facts = tuple[tuple[str, str], ...]
NOTHING = "none"
ARROWS = ("up", "down", "left", "right")
MOVE_KEYS = "1234567890bceijklmnprtvxyz"  # the letters that neither the viewer nor the terminal uses


class Move(NamedTuple):
    """An entry of the menu.

    key: what is pressed. action: what `Game.take` is given. text: a few words. available: whether it can be taken now.
    effect: its outcome, where that is known. written: the sign by which records write it; it may be typed too.
    """

    key: str
    action: str
    text: str
    available: bool = True
    effect: str = ""
    written: str = ""


class Game(ABC):
    """A game under way.

    Parameters
    ----------
    title : of the window.
    about : what the world is.
    goal : who the player is, and what counts.
    """

    title: str
    about: str
    goal: str

    @abstractmethod
    def menu(self) -> tuple[Move, ...]:
        """Return the moves, always in one order; none once the game is over."""

    @abstractmethod
    def take(self, action: str) -> str:
        """Take a move of the menu that is available, and return in one line what happened."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of scenes: the start, each move, and, once the game is over, what comes afterwards."""

    @abstractmethod
    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """Draw scene `index`, from 0 to `len(self) - 1`, with one overlay."""

    @abstractmethod
    def result(self) -> Facts:
        """Return what the player and exact agents get, as (label, text); also while the game goes on."""

    def describe_player(self) -> Facts:
        """Return what the player played like, as (label, text), for the end of a game that somebody played."""
        return ()

    @abstractmethod
    def suggestion(self) -> str | None:
        """Return the move that an exact agent would take now; None if the game is over or no agent can say."""

    def behaviour(self) -> Behaviour | RecordedTurns:
        """Return what was played as data that `caregrid identify` reads; BadValue where it cannot be written down."""
        raise BadValue("this game cannot be recorded", place="play", remedy="play without a record")

    @property
    def present(self) -> int:
        """The number of the scene that shows the present."""
        return len(self) - 1

    def overlays(self) -> Sequence[str]:
        """Return the overlays that `scene` can draw, the default first."""
        return (NOTHING,)

    def inspect(self, index: int, cell: tuple[int, int]) -> Facts:
        """Return further facts about a cell (row, column) of a scene, as (label, text)."""
        return ()

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """Return the move that a click on a cell of the present scene stands for; None if there is none."""
        return None


StartGame = Callable[[], Game]


def assign_keys(actions: Iterable[str]) -> dict[str, str]:
    """Action -> key: arrows for moves in four directions; a key that the action is called; digits, then letters."""
    names = list(actions)
    own = {name for name in names if name in ARROWS or name in MOVE_KEYS}
    others = iter([key for key in MOVE_KEYS if key not in own])
    return {name: name if name in own else next(others, name) for name in names}


def find_direction(origin: tuple[int, int], cell: tuple[int, int]) -> str | None:
    """Return the direction in which a cell lies next to a place, both (row, column); None where it does not."""
    steps = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}
    return steps.get((cell[0] - origin[0], cell[1] - origin[1]))


def follow_suggestions(start: StartGame) -> list[str]:
    """Play a game by its suggestions, and return the moves."""
    game = start()
    moves = list[str]()
    while (action := game.suggestion()) is not None:
        game.take(action)
        moves.append(action)
    return moves


UNDO_KEY, UNDO = "u", "take the last move back"


class GameSession:
    """start: makes the game. game: as it is now. taken: the moves. message: what the last one did, in one line.

    suggested: whether an exact agent makes the moves, and nobody asks what it played like.
    """

    def __init__(self, start: StartGame, suggested: bool = False) -> None:
        self._start = start
        self.suggested = suggested
        self.game = start()
        self.taken = list[str]()
        self.message = ""
        self._result: Facts | None = None

    @property
    def over(self) -> bool:
        """Whether no move can follow."""
        return not self.game.menu()

    def menu(self) -> tuple[Move, ...]:
        """Return the moves of the game, and the one that takes the last one back."""
        return (*self.game.menu(), Move(UNDO_KEY, UNDO, UNDO, bool(self.taken)))

    def result(self) -> Facts:
        """Return the result of the present game; it is computed once for each state of the game."""
        if self._result is None:
            self._result = (*self.game.result(), *(() if self.suggested else self.game.describe_player()))
        return self._result

    def take(self, action: str) -> None:
        """Take a move; UnknownName or BadValue, and no change, if the menu lacks it or it is not available."""
        menu = {move.action: move for move in self.menu()}
        if action not in menu:
            raise UnknownName("move", action, menu)
        if not menu[action].available:
            possible = ", ".join(move.action for move in menu.values() if move.available) or "leave"
            raise BadValue(f"'{action}' cannot be taken now", place="play", remedy=f"choose from {possible}")
        self._result = None
        if action == UNDO:
            self._replay(self.taken[:-1])
            self.message = "the last move is taken back"
            return
        try:
            self.message = self.game.take(action)
        except CaregridError:
            self._replay(self.taken)
            raise
        self.taken.append(action)

    def _replay(self, moves: list[str]) -> None:
        """Start the game again and take these moves."""
        self.game = self._start()
        self.taken = list(moves)
        for action in moves:
            self.game.take(action)
