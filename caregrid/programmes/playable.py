"""A research programme whose worlds can be played: from a world's name and settings to what starts a game.

`caregrid.programmes.play` finds the programme of a world by the world's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from caregrid.programmes.game import Game, GameSession, StartGame, follow_suggestions
from caregrid.programmes.viewable import find_programme, require_declaration, require_declared_settings
from engine.contracts import refuse, require_instance
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.registry import Registry
from engine.user_code import describe_place, user_code


@dataclass(frozen=True)
class PlayableProgramme:
    """A programme to play.

    Parameters
    ----------
    game : function
        (name of a world, settings by name, seed) -> a function that starts the game, the same one each time.
    example : str
        The name of a world that `game` plays.
    kind : str
        The kind of its worlds, as `caregrid list` spells it.
    settings : tuple of str, optional
        The names of the settings of `game`; None if every world has settings of its own.
    """

    game: Callable[[str, dict[str, Any], int], StartGame]
    example: str
    kind: str = ""
    settings: tuple[str, ...] | None = None

    def start(self, world: str, settings: Mapping[str, Any], seed: int = 0) -> StartGame:
        """What makes the game of a world; BadValue for a setting that the programme does not know."""
        require_declared_settings(settings, self.settings)
        with user_code(f"{describe_place(self.game)}, world '{world}'"):
            return self.game(world, dict(settings), seed)


def accept_playable(programme: Any) -> PlayableProgramme:
    """The programme itself; ContractBroken where it is none, or where a field is of another type."""
    require_instance(programme, PlayableProgramme, "playable programme")
    assert isinstance(programme, PlayableProgramme)
    parameters = ("world", "settings", "seed")
    require_declaration("game", programme.game, parameters, programme.example, programme.settings)
    if not isinstance(programme.kind, str):
        raise ContractBroken(f"kind is {show_value(programme.kind)}", place="programme", remedy="expected a name")
    return programme


def check_playable(programme: Any) -> None:
    """Play the example by its suggestions, twice; ContractBroken unless both are one game and undoing is exact."""
    start = accept_playable(programme).start(programme.example, {})
    with user_code(describe_place(programme.game)):
        _check_game(programme, start)


def _check_game(programme: PlayableProgramme, start: StartGame) -> None:
    if not isinstance(start(), Game):
        refuse(programme.game, "game", start(), "what makes a Game")
    moves = follow_suggestions(start)
    session = GameSession(start)
    before = []
    for action in moves:
        before.append(_state(session.game))
        session.take(action)
    if _state(_play_moves(start, moves)) != _state(session.game):
        refuse(programme.game, "game", "another game the second time", "the same game for the same moves")
    for state in reversed(before):
        session.take(session.menu()[-1].action)
        if _state(session.game) != state:
            refuse(programme.game, "game", "another game after undoing", "the same game for the same moves")


def _play_moves(start: StartGame, moves: list[str]) -> Game:
    session = GameSession(start)
    for action in moves:
        session.take(action)
    return session.game


def _state(game: Game) -> tuple[Any, ...]:
    """All that a person can see of a game."""
    return game.menu(), [game.scene(index) for index in range(len(game))], game.result()


PLAYABLE_PROGRAMMES: Registry[PlayableProgramme] = Registry(
    "caregrid.programmes.*.game",
    "programme",
    lambda module: find_programme(module).playable,
    accept=accept_playable,
    group="caregrid.playable_programmes",
)
