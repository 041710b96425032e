"""A game under way and the moves taken in it, so that the last one can be taken back."""

from __future__ import annotations

from caregrid.playing.game import Facts, Move, StartGame
from engine.errors import BadValue, CaregridError, UnknownName

UNDO_KEY, UNDO = "u", "take the last move back"


class GameSession:
    """start: makes the game. game: as it is now. taken: the moves. message: what the last one did, in one line."""

    def __init__(self, start: StartGame) -> None:
        self._start = start
        self.game, self.taken, self.message = start(), list[str](), ""
        self._result: Facts | None = None

    @property
    def over(self) -> bool:
        """Whether no move can follow."""
        return not self.game.menu()

    def menu(self) -> tuple[Move, ...]:
        """The moves of the game, and the one that takes the last one back."""
        return (*self.game.menu(), Move(UNDO_KEY, UNDO, UNDO, bool(self.taken)))

    def result(self) -> Facts:
        """The result of the game as it is now, worked out once."""
        if self._result is None:
            self._result = self.game.result()
        return self._result

    def take(self, action: str) -> None:
        """Take a move. Raises UnknownName or BadValue, and changes nothing, for one that there is not, or not now."""
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
        """The game again, with these moves."""
        self.game, self.taken = self._start(), list(moves)
        for action in moves:
            self.game.take(action)
