"""A programme whose worlds the viewer shows: from a world's name and settings to a film; `caregrid.film`, `load_film`.

A world is named PROGRAMME/NAME, as in `caregrid view slots/teleport_move --set policy=cpy`. `ViewableProgramme`
declares the function that makes the film, an example and the names of its settings; `PlayableProgramme` declares the
same for games (`caregrid.programmes.playable`). The five programmes of caregrid declare both at once, in
`caregrid/programmes/NAME/programme.py`; programmes of a user's own and of installed packages declare either.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from caregrid.input_checks import check_arguments
from caregrid.results.film import RecordedFilm
from engine.contracts import refuse, require_instance, require_parameters
from engine.errors import BadValue, ContractBroken, argument, did_you_mean
from engine.printable import show_value
from engine.registry import Registry
from engine.scene import Film, Scene, scene_fault
from engine.user_code import describe_place, user_code


def require_declared_settings(given: Mapping[str, Any], declared: tuple[str, ...] | None) -> None:
    """BadValue for a setting that is not declared. declared: None where every world has settings of its own."""
    if declared is None:
        return
    for name in given:
        if name not in declared:
            remedy = did_you_mean(name, declared)
            raise BadValue(f"unknown setting '{name}'", place=argument("settings", option="--set"), remedy=remedy)


def require_declaration(
    field: str,
    function: Callable[..., Any],
    parameters: tuple[str, ...],
    example: str,
    declared: tuple[str, ...] | None,
) -> None:
    """ContractBroken where the function in a field, the example or the names of settings are of another type."""
    if not callable(function):
        raise ContractBroken(f"{field} is {show_value(function)}", place="programme", remedy="expected a function")
    require_parameters(function, len(parameters), f"{field}({', '.join(parameters)})")
    if not isinstance(example, str) or not example:
        raise ContractBroken(f"example is {show_value(example)}", place="programme", remedy="name a world")
    if declared is not None and not (isinstance(declared, tuple) and all(isinstance(name, str) for name in declared)):
        remedy = "expected a tuple of names, or None"
        raise ContractBroken(f"settings is {show_value(declared)}", place="programme", remedy=remedy)


@dataclass(frozen=True)
class ViewableProgramme:
    """A programme of the viewer.

    Parameters
    ----------
    film : function
        (name of a world, settings by name) -> its film.
    example : str
        The name of a world that `film` draws.
    settings : tuple of str, optional
        The names of the settings of `film`; None if every world has settings of its own.
    """

    film: Callable[[str, dict[str, Any]], Film]
    example: str
    settings: tuple[str, ...] | None = None

    def film_of(self, world: str, settings: Mapping[str, Any]) -> Film:
        """The film of a world; BadValue for a setting that the programme does not know."""
        require_declared_settings(settings, self.settings)
        with user_code(f"{describe_place(self.film)}, world '{world}'"):
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


def find_programme(module: ModuleType) -> Any:
    """Return the programme, one of the five, in whose folder a module lies."""
    folder = module.__name__.rpartition(".")[0]
    return getattr(importlib.import_module(f"{folder}.programme"), folder.rpartition(".")[2])


VIEWABLE_PROGRAMMES: Registry[ViewableProgramme] = Registry(
    "caregrid.programmes.*.film",
    "programme",
    lambda module: find_programme(module).viewable,
    accept=accept_programme,
    group="caregrid.viewable_programmes",
)


def make_film(name: str, settings: Mapping[str, Any]) -> Film:
    """The film of a world PROGRAMME/NAME; UnknownName, or BadValue for settings that the programme does not know."""
    programme, _, world = name.partition("/")
    return VIEWABLE_PROGRAMMES[programme].film_of(world, settings)


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
    """
    from renderers.formats.json import read_film

    return RecordedFilm(str(path), read_film(path))
