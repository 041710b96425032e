"""A film as JSON, which replays without the world that made it; what a scene leaves out is as in the one before.

    {"caregrid_film": 1, "scenes": [{"floor": [...], "marks": [...], ...}, {"marks": [...], "caption": "..."}, ...]}

Scenes become JSON values and come back by the type hints of `engine.scene`: what is not of the type is refused. A
named tuple (marks, bars, ticks, nodes, edges) is the list of its fields, trailing defaults left out; a data class
(overlays, charts, panels) is an object with its class in lower case as "kind"; bytes are text in base 64. Sizes are
bounded, numbers are finite, panels are nested a few levels at most. Everything is checked before a scene is made.
"""

from __future__ import annotations

import base64
import dataclasses
import json as standard_json
import math
import types
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.errors import BadFile, BadValue
from engine.files import read_text
from engine.plain_values import make_python_value
from engine.scene import Film, Scene, frame_pixels
from renderers.film import FilmFormat, RenderedFilm

MOST_ITEMS = 1_000_000
MOST_ROWS = 2_000
MOST_LETTERS = 10_000
MOST_ENCODED = 32 * 1024 * 1024
DEEPEST = 4
LARGEST_INTEGER = 10**9
Value = TypeVar("Value")
_KINDS = {str: "text", int: "integer", float: "number", bool: "truth value", bytes: "text of bytes"}


class SchemaMismatch(ValueError):
    """A value that is not of the type it should be of."""


def to_json_value(value: Any) -> Any:
    """Return a scene or a part of one as lists, objects, numbers and strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if getattr(value, field.name) != field.default]
        data = {name: to_json_value(getattr(value, name)) for name in names}
        return {"kind": type(value).__name__.lower(), **data}
    if isinstance(value, tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return make_python_value(value)


def from_json_value(kind: type[Value], data: Any, depth: int = 0) -> Value:
    """Return the value of a type that a plain one describes. Raises SchemaMismatch, saying what is wrong."""
    value: Value = _read_value(kind, data, depth)
    return value


def _read_value(kind: Any, data: Any, depth: int) -> Any:
    if kind in _KINDS:
        return _read_simple(kind, data)
    if dataclasses.is_dataclass(kind):
        return _read_object(kind, data, depth)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _read_named(kind, data, depth)
    if get_origin(kind) is tuple:
        return _read_sequence(get_args(kind), data, depth)
    if get_origin(kind) in (Union, types.UnionType):
        return _read_choice(get_args(kind), data, depth)
    raise SchemaMismatch(f"a film holds no {kind}")


def _read_simple(kind: type, data: Any) -> Any:
    if kind is bytes:
        return _read_bytes(data)
    if (
        kind is float
        and isinstance(data, int | float)
        and not isinstance(data, bool)
        and abs(data) < 1e300
        and math.isfinite(data)
    ):
        return float(data)
    if kind is float or type(data) is not kind:
        raise SchemaMismatch(f"{_describe_value(data)} where a {_KINDS[kind]} belongs")
    if isinstance(data, str) and len(data) > MOST_LETTERS:
        raise SchemaMismatch(f"a text of {len(data)} letters")
    if isinstance(data, int) and abs(data) > LARGEST_INTEGER:
        raise SchemaMismatch("an integer beyond all bounds")
    return data


def _read_bytes(data: Any) -> bytes:
    """Bytes that were written in base 64."""
    if not isinstance(data, str) or len(data) > MOST_ENCODED:
        raise SchemaMismatch(f"{_describe_value(data)} where a text of bytes belongs")
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise SchemaMismatch("a text that is not in base 64") from error


def _read_object(kind: Any, data: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise SchemaMismatch(f"panels nested more than {DEEPEST} deep")
    if not isinstance(data, dict):
        raise SchemaMismatch(f"{_describe_value(data)} where an object belongs")
    hints = _read_hints(kind)
    unknown = sorted(set(data) - set(hints) - {"kind"})
    if unknown:
        raise SchemaMismatch(f"unknown field '{unknown[0][:40]}' of a {kind.__name__.lower()}")
    values = {name: _read_value(hints[name], data[name], depth + 1) for name in data if name != "kind"}
    if "floor" in values and (len(values["floor"]) > MOST_ROWS or any(len(row) > MOST_ROWS for row in values["floor"])):
        raise SchemaMismatch(f"a floor of more than {MOST_ROWS} rows or columns")
    try:
        return kind(**values)
    except TypeError as error:
        raise SchemaMismatch(f"a {kind.__name__.lower()} lacks a field") from error


def _read_named(kind: Any, data: Any, depth: int) -> Any:
    hints = list(_read_hints(kind).values())
    least = len(hints) - len(kind._field_defaults)
    if not isinstance(data, list) or not least <= len(data) <= len(hints):
        raise SchemaMismatch(f"{_describe_value(data)} where the fields of a {kind.__name__.lower()} belong")
    return kind(*(_read_value(hint, item, depth) for hint, item in zip(hints, data, strict=False)))


def _read_sequence(parts: tuple[Any, ...], data: Any, depth: int) -> Any:
    if not isinstance(data, list) or len(data) > MOST_ITEMS:
        raise SchemaMismatch(f"{_describe_value(data)} where a list of at most {MOST_ITEMS} items belongs")
    if parts[-1] is Ellipsis:
        return tuple(_read_value(parts[0], item, depth) for item in data)
    if len(data) != len(parts):
        raise SchemaMismatch(f"a list of {len(data)} items where {len(parts)} belong")
    return tuple(_read_value(part, item, depth) for part, item in zip(parts, data, strict=True))


def _read_choice(kinds: tuple[Any, ...], data: Any, depth: int) -> Any:
    """Return one of several classes, distinguished by "kind"; or a value that may be missing."""
    if types.NoneType in kinds:
        rest = [kind for kind in kinds if kind is not types.NoneType]
        return None if data is None else _read_value(rest[0], data, depth)
    named = {kind.__name__.lower(): kind for kind in kinds}
    word = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(word, str) or word not in named:
        raise SchemaMismatch(f"{_describe_value(data)} where a kind of {', '.join(named)} belongs")
    return _read_value(named[word], data, depth)


@cache
def _read_hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _describe_value(data: Any) -> str:
    if isinstance(data, dict):
        return "an object"
    return f"a list of {len(data)}" if isinstance(data, list) else repr(data)[:40]


VERSION = 1
MOST_BYTES = 256 * 1024 * 1024
MOST_FILM_SCENES = 1_000_000
SIGNATURE = "caregrid_film"


def encode_json(film: RenderedFilm) -> bytes:
    """UTF-8 JSON."""
    scenes = []
    before = Scene()
    for scene in film.scenes:
        scenes.append(_find_changes(before, scene))
        before = scene
    document = {SIGNATURE: VERSION, "scenes": scenes}
    try:
        text = standard_json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise BadValue("a number that is not finite", place="film", remedy="leave its cell or bar out") from error
    return (text + "\n").encode()


def read_film(path: str | Path) -> Film:
    """Return the film in a JSON file. Raises BadFile, in one line, for anything but a whole film of sensible size."""
    remedy = "name a film written by 'caregrid record --out FILM.json'"
    return parse_film(read_text(path, MOST_BYTES, what="the film", remedy=remedy), str(path))


def parse_film(text: str, place: str = "film") -> Film:
    """Return the film in a JSON text; BadFile as in `read_film`."""
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
    scenes = []
    before = Scene()
    for i, change in enumerate(changes):
        try:
            before = dataclasses.replace(before, **_list_fields(change))
            _check_floor(before)
        except SchemaMismatch as error:
            raise BadFile(f"scene {i}: {error}", place=place, remedy="record it again") from error
        scenes.append(before)
    return tuple(scenes)


def _find_changes(before: Scene, scene: Scene) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(Scene)]
    changed = [name for name in names if getattr(scene, name) != getattr(before, name)]
    return {name: to_json_value(getattr(scene, name)) for name in changed}


def _list_fields(change: Any) -> dict[str, Any]:
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


json = FilmFormat(encode_json)
