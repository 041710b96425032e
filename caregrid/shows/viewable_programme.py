"""A research programme whose worlds the viewer can show: from a world's name and settings to a film."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from caregrid.shows.declared_programme import require_declaration, require_known
from engine.contracts import refuse, require_instance
from engine.scene import Film, Scene, scene_fault
from engine.user_code import place_of, user_code


@dataclass(frozen=True)
class ViewableProgramme:
    """A programme of the viewer.

    film: (name of a world, settings by name) -> its film. example: a world that `film` knows.
    settings: the names of the settings that `film` takes; None where every world has settings of its own.
    """

    film: Callable[[str, dict[str, Any]], Film]
    example: str
    settings: tuple[str, ...] | None = None

    def film_of(self, world: str, settings: Mapping[str, Any]) -> Film:
        """The film of a world; BadValue for a setting that the programme does not know."""
        require_known(settings, self.settings)
        with user_code(f"{place_of(self.film)}, world '{world}'"):
            return self.film(world, dict(settings))


def accept_programme(programme: Any) -> ViewableProgramme:
    """The programme itself; ContractBroken where it is none, or where a field is of another type."""
    require_instance(programme, ViewableProgramme, "viewable programme")
    assert isinstance(programme, ViewableProgramme)
    require_declaration("film", programme.film, ("world", "settings"), programme.example, programme.settings)
    return programme


def check_programme(programme: Any) -> None:
    """Make the film of the example, and raise ContractBroken unless it is a film of Scenes, the same one each time."""
    film_of = accept_programme(programme).film_of
    films = [film_of(programme.example, {}) for _ in range(2)]
    for film in films:
        if not isinstance(film, tuple) or not film or not all(isinstance(scene, Scene) for scene in film):
            refuse(programme.film, "film", film, "a tuple of Scenes")
        if fault := next(filter(None, map(scene_fault, film)), ""):
            refuse(programme.film, "film", film, f"Scenes that can be drawn: {fault}")
    if films[0] != films[1]:
        refuse(programme.film, "film", "another film the second time", "the same film for the same world")
