"""A film as JSON, which replays without the world that made it; what a scene leaves out is as in the one before.

    {"caregrid_film": 1, "scenes": [{"floor": [...], "marks": [...], ...}, {"marks": [...], "caption": "..."}, ...]}

Marks, bars, ticks, nodes and edges are lists of their fields; overlays, charts and panels are objects whose "kind" is
their class in lower case. `read` checks everything before a scene is made.
"""

from __future__ import annotations

import dataclasses
import json as standard_json
from pathlib import Path
from typing import Any, NoReturn

from engine.errors import BadFile, BadValue
from engine.files import read_text
from engine.scene import Film, Scene, frame_pixels
from renderers.film_format import FilmFormat, RenderedFilm
from renderers.schema import SchemaMismatch, from_json_value, to_json_value

VERSION = 1
MOST_BYTES = 256 * 1024 * 1024
MOST_FILM_SCENES = 1_000_000
SIGNATURE = "caregrid_film"


def encode(film: RenderedFilm) -> bytes:
    """UTF-8 JSON."""
    scenes, before = [], Scene()
    for scene in film.scenes:
        scenes.append(_changes(before, scene))
        before = scene
    document = {SIGNATURE: VERSION, "scenes": scenes}
    try:
        text = standard_json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise BadValue("a number that is not finite", place="film", remedy="leave its cell or bar out") from error
    return (text + "\n").encode()


def read(path: str | Path) -> Film:
    """The film in a JSON file. Raises BadFile, in one line, for anything but a whole film of sensible size."""
    remedy = "name a film written by 'caregrid record --out FILM.json'"
    return parse(read_text(path, MOST_BYTES, what="the film", remedy=remedy), str(path))


def parse(text: str, place: str = "film") -> Film:
    """The film in a JSON text; BadFile as in `read`."""
    try:
        document = standard_json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadFile("not a film: it is not JSON", place=place, remedy="record it again") from error
    if not isinstance(document, dict) or SIGNATURE not in document:
        raise BadFile("not a film of caregrid", place=place, remedy="record one with 'caregrid record'")
    if document[SIGNATURE] != VERSION or set(document) != {SIGNATURE, "scenes"}:
        raise BadFile(f"its version is not {VERSION}", place=place, remedy="record it again")
    changes = document["scenes"]
    if not isinstance(changes, list) or not 0 < len(changes) <= MOST_FILM_SCENES:
        problem = f"a film needs 1 to {MOST_FILM_SCENES} scenes"
        raise BadFile(problem, place=place, remedy="record it again")
    scenes, before = [], Scene()
    for i, change in enumerate(changes):
        try:
            before = dataclasses.replace(before, **_fields(change))
            _check_floor(before)
        except SchemaMismatch as error:
            raise BadFile(f"scene {i}: {error}", place=place, remedy="record it again") from error
        scenes.append(before)
    return tuple(scenes)


def _changes(before: Scene, scene: Scene) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(Scene)]
    changed = [name for name in names if getattr(scene, name) != getattr(before, name)]
    return {name: to_json_value(getattr(scene, name)) for name in changed}


def _fields(change: Any) -> dict[str, Any]:
    if not isinstance(change, dict):
        raise SchemaMismatch("not an object of fields")
    scene = from_json_value(Scene, {"kind": "scene", **change})
    return {name: getattr(scene, name) for name in change}


def _check_floor(scene: Scene) -> None:
    """What types cannot say: rows equally long, marks on the floor, frames of their size."""
    width = len(scene.floor[0]) if scene.floor else 0
    if any(len(row) != width for row in scene.floor):
        raise SchemaMismatch("rows of the floor differ in length")
    for mark in scene.marks:
        if not (0 <= mark.row < len(scene.floor) and 0 <= mark.column < width):
            raise SchemaMismatch(f"'{mark.name}' stands at row {mark.row}, column {mark.column}, off the floor")
    if scene.frame is not None:
        try:
            frame_pixels(scene.frame)
        except BadValue as error:
            raise SchemaMismatch(error.problem) from error
    for panel in scene.panels:
        _check_floor(panel)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


json = FilmFormat(encode)
