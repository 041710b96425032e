"""`caregrid.film`: the film of a world of any programme, and films that were written before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from caregrid.api.checked import checked
from caregrid.api.results.film import RecordedFilm


@checked
def film(name: str, **settings: Any) -> RecordedFilm:
    """A film of another programme's world: "extended/tempting_button", "slots/teleport_move", "terminal/tamper-grid".

    settings: as `caregrid view` takes them with --set. Raises UnknownName, or BadValue for a setting that is unknown.
    """
    from caregrid.shows.programmes import film_named

    return RecordedFilm(name, film_named(name, settings))


@checked
def load_film(path: str | Path) -> RecordedFilm:
    """A film that was written as .json; BadFile for anything else."""
    from renderers.formats.json import read

    return RecordedFilm(str(path), read(path))
