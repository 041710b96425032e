"""A game in the viewer: keys, buttons and clicks take moves, the time line shows what has happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from caregrid.playing.session import GameSession
from engine.scene import Scene
from renderers.viewer.viewable import Button, Readings, Viewable, cell_contents

TAKE = "take "  # before the name of a move, so that no move is called like a command of the player


class ViewableGame(Viewable):
    """Grows by a scene with every move; the result stands beside the scenes once the game is over."""

    def __init__(self, session: GameSession) -> None:
        self._session, self.title = session, session.game.title

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
        """Those of the game."""
        return self._session.game.overlays()

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene with the goal at the start, what the last move did and the next ones would, the result at the end."""
        game = self._session.game
        scene, readings = game.scene(index, overlay), list[tuple[str, str]]()
        if not self._session.taken:
            readings += [("the world", " ".join(game.about.partition("\n\n")[0].split())), ("your goal", game.goal)]
        if index == game.present:
            readings += [("your move", self._session.message)] if self._session.message else []
            readings += [(move.text, move.effect) for move in game.menu() if move.effect]
        result = self._session.result() if self._session.over else ()
        return replace(scene, readings=(*readings, *result, *scene.readings))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and what the game adds."""
        game = self._session.game
        return (*cell_contents(game.scene(index, game.overlays()[0]), cell), *game.inspect(index, cell))

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """A click on a cell that a move leads to takes it, others inspect the cell."""
        action = None if panel or self._session.over else self._session.game.move_to(cell)
        return None if action is None else self.execute(f"{TAKE}{action}", index)

    def execute(self, command: str, index: int) -> int:
        """Take a move, or the last one back; returns the present scene."""
        self._session.take(command.removeprefix(TAKE))
        return self._session.game.present
