"""A research programme: how a world is solved, filmed and played, its lessons' answers, its benchmark; `caregrid.film`.

`caregrid/programmes/NAME/programme.py` holds the object NAME, one for each of the five: caring, extended, slots,
terminal, theory. Whatever asks for every programme loops over them: `view`, `record` and `caregrid.film` name a world
PROGRAMME/NAME, as in `caregrid view slots/teleport_move --set policy=cpy`; `play` finds a world by its name or kind;
`bench` measures the suites of a programme. A programme of a user's own is such an object in a file, and declares what
it has: a film or a solution, a game, or all of them.
"""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from caregrid.command_line.operation import check_arguments
from caregrid.results import RecordedFilm
from engine.contracts import Contract, Field, Method, is_name_tuple, is_text, refuse
from engine.errors import BadValue, argument, did_you_mean
from engine.registry import Registry
from engine.scene import Film, Scene, Strip, scene_fault
from engine.user_code import describe_place, user_code

if TYPE_CHECKING:
    from caregrid.programmes.agent_evidence import Explanation
    from caregrid.programmes.game import Game, StartGame
    from caregrid.programmes.turns import RecordedTurns
    from caregrid.results import Result


class SweepAnswer(NamedTuple):
    """What a programme's agents do at one value of a quantity; all but the numbers is their behaviour.

    Parameters
    ----------
    does : the behaviour in a few words.
    numbers : name -> a number at this value; between two break points it is a polynomial of the quantity.
    strips : what is done turn by turn; a strip is called "group: row" where several make a group.
    ways : name -> steps on a map, as `caregrid.lessons.live_world.write_steps` writes them.
    series : name -> a number after every turn.
    """

    does: str
    numbers: Mapping[str, Fraction]
    strips: tuple[Strip, ...] = ()
    ways: Mapping[str, list[dict[str, Any]]] = {}
    series: Mapping[str, list[float]] = {}

    @property
    def behaviour(self) -> tuple[Any, ...]:
        """All that stays the same from one break point to the next."""
        return self.does, self.strips, self.ways, self.series


class Live(ABC):
    """What a lesson's page computes by itself. label: its name among several."""

    label: str

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the data from which the page computes (docs/live_page.md)."""


def import_later(place: str) -> Callable[..., Any]:
    """Return a function, MODULE:NAME, whose module is imported when the function is first called."""
    module, _, name = place.partition(":")

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments, **options)

    return call


@dataclass(frozen=True)
class Programme:
    """A research programme.

    Parameters
    ----------
    example : str
        The name of a world.
    worlds : str
        The kind of its worlds, as `caregrid list` spells it.
    solve : function, optional
        (name of a world, settings by name) -> what its agents do there, as a result with rows and a film.
    film : function, optional
        (name of a world, settings by name) -> its film; by default that of the solution.
    settings : tuple of str, optional
        The names of the settings of `solve` and `film`; None if every world has settings of its own.
    game : function, optional
        (name of a world, settings by name, seed) -> a function that starts the game, the same one each time.
    game_settings : tuple of str, optional
        The names of the settings of `game`, as above.
    explain : function, optional
        (recorded turns, names of hypotheses) -> what each hypothesis would have done at every decision; by default the
        programme's own hypotheses are asked.
    lesson_answers : mapping from str to function
        A quantity -> the function that answers a lesson's question at one of its values.
    suites : tuple of str
        The benchmarks of its methods, entries of the kind `suites`.
    """

    example: str
    worlds: str = ""
    solve: Callable[[str, dict[str, Any]], Result] | None = None
    film: Callable[[str, dict[str, Any]], Film] | None = None
    settings: tuple[str, ...] | None = None
    game: Callable[[str, dict[str, Any], int], StartGame] | None = None
    game_settings: tuple[str, ...] | None = None
    explain: Callable[[Sequence[RecordedTurns], Sequence[str]], Explanation] | None = None
    lesson_answers: Mapping[str, Callable[..., SweepAnswer]] = field(default_factory=dict)
    suites: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.film is None and self.solve is not None:
            object.__setattr__(self, "film", _make_film_of(self.solve))

    def make_film(self, world: str, settings: Mapping[str, Any]) -> Film:
        """Return the film of a world; raise BadValue for a setting that the programme does not declare."""
        require_declared_settings(settings, self.settings)
        assert self.film is not None
        with user_code(f"{describe_place(self.film)}, world '{world}'"):
            return self.film(world, dict(settings))

    def make_game(self, world: str, settings: Mapping[str, Any], seed: int = 0) -> StartGame:
        """Return what starts the game of a world; raise BadValue for a setting that the programme does not declare."""
        require_declared_settings(settings, self.game_settings)
        assert self.game is not None
        with user_code(f"{describe_place(self.game)}, world '{world}'"):
            return self.game(world, dict(settings), seed)


def _make_film_of(solve: Callable[[str, dict[str, Any]], Result]) -> Callable[[str, dict[str, Any]], Film]:
    @functools.wraps(solve)
    def film(world: str, settings: dict[str, Any]) -> Film:
        solved: Any = solve(world, settings)
        if not callable(getattr(solved, "film", None)):
            refuse(solve, "solve", solved, "a result with a method 'film'")
        scenes: Film = solved.film().scenes
        return scenes

    return film


def require_declared_settings(settings: Mapping[str, Any], declared: tuple[str, ...] | None) -> None:
    """BadValue for a setting that is not declared. declared: None where every world has settings of its own."""
    if declared is None:
        return
    for name in settings:
        if name not in declared:
            remedy = did_you_mean(name, declared)
            raise BadValue(f"unknown setting '{name}'", place=argument("settings", option="--set"), remedy=remedy)


def _is_settings(value: Any) -> bool:
    return value is None or (isinstance(value, tuple) and all(isinstance(name, str) for name in value))


def _make_contract(shown: str, settings: str, call: str) -> Contract[Programme]:
    """Return the contract of a programme that is shown in one way. settings: the field of its settings."""
    fields = (
        Field("example", "name a world", is_text),
        Field("worlds", "expected a name", lambda value: isinstance(value, str)),
        Field(settings, "expected a tuple of names, or None", _is_settings),
        Field("suites", "expected a tuple of names", is_name_tuple),
    )
    return Contract[Programme](
        f"{shown} programme", instance_of=Programme, fields=fields, methods=(Method(call),), place="programme"
    )


VIEWABLE = _make_contract("viewable", "settings", "film(world, settings)")
PLAYABLE = _make_contract("playable", "game_settings", "game(world, settings, seed)")


def check_viewable(programme: Any) -> None:
    """Make the film of the example, and raise ContractBroken unless it is a film of Scenes, the same one each time."""
    make_film = VIEWABLE.accept(programme).make_film
    films = [make_film(programme.example, {}) for _ in range(2)]
    for film in films:
        if not isinstance(film, tuple) or not film or not all(isinstance(scene, Scene) for scene in film):
            refuse(programme.film, "film", film, "a tuple of Scenes")
        if fault := next(filter(None, map(scene_fault, film)), ""):
            refuse(programme.film, "film", film, f"Scenes that can be drawn: {fault}")
    if films[0] != films[1]:
        refuse(programme.film, "film", "another film the second time", "the same film for the same world")


def check_playable(programme: Any) -> None:
    """Play the example by its suggestions, twice; ContractBroken unless both are one game and undoing is exact."""
    start = PLAYABLE.accept(programme).make_game(programme.example, {})
    with user_code(describe_place(programme.game)):
        _check_game(programme, start)


def _check_game(programme: Programme, start: StartGame) -> None:
    from caregrid.programmes.game import Game, GameSession, follow_suggestions

    make: Any = programme.game
    if not isinstance(start(), Game):
        refuse(make, "game", start(), "what makes a Game")
    moves = follow_suggestions(start)
    session = GameSession(start)
    before = []
    for action in moves:
        before.append(_show_all(session.game))
        session.take(action)
    if _show_all(_play_moves(start, moves)) != _show_all(session.game):
        refuse(make, "game", "another game the second time", "the same game for the same moves")
    for shown in reversed(before):
        session.take(session.menu()[-1].action)
        if _show_all(session.game) != shown:
            refuse(make, "game", "another game after undoing", "the same game for the same moves")


def _play_moves(start: StartGame, moves: list[str]) -> Game:
    from caregrid.programmes.game import GameSession

    session = GameSession(start)
    for action in moves:
        session.take(action)
    return session.game


def _show_all(game: Game) -> tuple[Any, ...]:
    """Return all that a person can see of a game."""
    return game.menu(), [game.scene(index) for index in range(len(game))], game.result()


def _find_programme(module: ModuleType) -> Any:
    """Return the programme, one of the five, in whose folder a module lies."""
    folder = module.__name__.rpartition(".")[0]
    return getattr(importlib.import_module(f"{folder}.programme"), folder.rpartition(".")[2])


PROGRAMMES: Registry[Programme] = Registry(
    "caregrid.programmes.*.programme",
    "programme",
    _find_programme,
    accept=VIEWABLE.accept,
    group="caregrid.viewable_programmes",
)
PLAYABLE_PROGRAMMES: Registry[Programme] = Registry(
    "caregrid.programmes.*.game",
    "programme",
    _find_programme,
    accept=PLAYABLE.accept,
    group="caregrid.playable_programmes",
)


def make_film(name: str, settings: Mapping[str, Any]) -> Film:
    """The film of a world PROGRAMME/NAME; UnknownName, or BadValue for settings that the programme does not declare."""
    programme, _, world = name.partition("/")
    return PROGRAMMES[programme].make_film(world, settings)


@check_arguments
def film(name: str, **settings: Any) -> RecordedFilm:
    """Film a world of a programme.

    Parameters
    ----------
    name : str
        PROGRAMME/NAME: "extended/tempting_button", "slots/teleport_move", "terminal/tamper-grid".
    **settings
        As `caregrid view` takes them with --set.

    Returns
    -------
    RecordedFilm
        A scene for each step.

    Raises
    ------
    UnknownName
        If there is no such programme or world.
    BadValue
        If a setting is unknown or out of its range.

    Examples
    --------
    >>> import caregrid
    >>> len(caregrid.film("extended/tempting_button", turns=3))
    3
    """
    return RecordedFilm(name, make_film(name, settings))


@check_arguments
def load_film(path: str | Path) -> RecordedFilm:
    """Read a film that was written as .json.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    RecordedFilm
        The film, called like the file.

    Raises
    ------
    BadFile
        If the file holds anything else.

    Examples
    --------
    >>> import caregrid
    >>> _ = caregrid.problem("garden").film().save("garden.json")
    >>> caregrid.load_film("garden.json").title
    'garden.json, 25 scenes'
    """
    from renderers.formats.json import read_film

    return RecordedFilm(str(path), read_film(path))
