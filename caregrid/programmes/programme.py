"""A research programme: its worlds, how one is solved, filmed and played, its lessons' answers, its benchmark.

`caregrid/programmes/NAME/programme.py` holds the object NAME, one for each of the five: caring, extended, slots,
terminal, theory. Whatever asks for every programme loops over `PROGRAMMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from caregrid.programmes.game import StartGame
from caregrid.programmes.playable import PlayableProgramme
from caregrid.programmes.viewable import ViewableProgramme, find_programme
from engine.registry import Registry
from engine.scene import Film, Strip

if TYPE_CHECKING:
    from caregrid.results.result import Result


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


@dataclass(frozen=True)
class Programme:
    """A research programme.

    Parameters
    ----------
    worlds : the kind of its worlds, as `caregrid list` spells it.
    example : the name of one of them.
    solve : (name of a world) -> what its agents do there, with the usual settings, as a table.
    suites : the benchmarks of its methods, entries of the kind `suites`.
    film : (name of a world, settings by name) -> its film; None where the viewer solves the world anew at each key.
    film_settings : names of the settings of `film`; None where every world has settings of its own.
    game : (name of a world, settings by name, seed) -> what makes a game; None where nothing can be played.
    game_settings : names of the settings of `game`, as above.
    lesson_answers : the functions that answer the questions of a lesson's live page along a number line.
    """

    worlds: str
    example: str
    solve: Callable[[str], Result]
    suites: tuple[str, ...] = ()
    film: Callable[[str, dict[str, Any]], Film] | None = None
    film_settings: tuple[str, ...] | None = None
    game: Callable[[str, dict[str, Any], int], StartGame] | None = None
    game_settings: tuple[str, ...] | None = None
    lesson_answers: tuple[Callable[..., SweepAnswer], ...] = ()

    @property
    def viewable(self) -> ViewableProgramme | None:
        """The films of the programme, as the viewer finds them."""
        return None if self.film is None else ViewableProgramme(self.film, self.example, self.film_settings)

    @property
    def playable(self) -> PlayableProgramme | None:
        """The games of the programme, as `caregrid play` finds them."""
        if self.game is None:
            return None
        return PlayableProgramme(self.game, self.example, self.worlds, self.game_settings)


PROGRAMMES: Registry[Programme] = Registry("caregrid.programmes.*.programme", "programme", find_programme)
