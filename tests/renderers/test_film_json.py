"""Recorded films: what is written is read back, and nothing else is believed."""

import json as plain_json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadFile, BadValue
from engine.scene import Arrows, Bar, Bars, Edge, Film, Graph, Heat, Mark, Node, Scene, Strip, Tick
from engine.scene import Path as Way
from renderers.film import render, save_film
from renderers.formats import json as film_json

words = st.text(max_size=8)
numbers = st.floats(-1e6, 1e6)
inside = st.integers(0, 1)
marks = st.builds(Mark, inside, inside, words, words, words, st.booleans())
overlays = st.one_of(
    st.builds(Heat, words, st.lists(st.tuples(inside, inside, numbers), max_size=3).map(tuple)),
    st.builds(Arrows, words, st.lists(st.tuples(inside, inside, words), max_size=3).map(tuple)),
    st.builds(Way, words, st.lists(st.tuples(inside, inside), max_size=3).map(tuple), words),
)
charts = st.one_of(
    st.builds(Bars, words, st.lists(st.builds(Bar, words, numbers, words, words), max_size=2).map(tuple), numbers),
    st.builds(Strip, words, st.lists(st.builds(Tick, words, words), max_size=2).map(tuple), st.none() | inside),
    st.builds(
        Graph,
        words,
        st.lists(st.builds(Node, words, numbers, numbers, words, words, words, st.booleans()), max_size=2).map(tuple),
        st.lists(st.builds(Edge, words, words, words, words), max_size=2).map(tuple),
    ),
)
flat = st.builds(
    Scene,
    floor=st.just(("# ", "  ")),
    marks=st.lists(marks, max_size=3).map(tuple),
    overlays=st.lists(overlays, max_size=2).map(tuple),
    caption=words,
    readings=st.lists(st.tuples(words, words), max_size=2).map(tuple),
    charts=st.lists(charts, max_size=2).map(tuple),
)
scenes = st.builds(Scene, caption=words, panels=st.lists(flat, max_size=2).map(tuple), columns=inside) | flat


def text(film: Film) -> str:
    return film_json.encode_json(render(film)).decode()


@settings(max_examples=60, deadline=None)
@given(st.lists(scenes, min_size=1, max_size=4).map(tuple))
def test_what_is_written_is_read_back(film: Film) -> None:
    assert film_json.parse_film(text(film)) == film


def test_a_film_replays_from_its_file(film: Film, tmp_path: Path) -> None:
    save_film(tmp_path / "film.json", film)
    assert film_json.read_film(tmp_path / "film.json") == film


def test_what_stays_the_same_is_written_once(film: Film) -> None:
    assert text(film).count('"floor"') == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_truncated_film_is_refused(data: st.DataObject) -> None:
    whole = text((Scene((" ",), (Mark(0, 0, "A", "agent"),)),))
    cut = data.draw(st.integers(0, len(whole) - 3))
    with pytest.raises(BadFile):
        film_json.parse_film(whole[:cut])


def wrapped(scene: object) -> str:
    return plain_json.dumps({"caregrid_film": 1, "scenes": [scene]})


FOREIGN = {
    "empty": "",
    "no object": "[1, 2]",
    "someone else's": '{"frames": []}',
    "another version": '{"caregrid_film": 2, "scenes": [{}]}',
    "more than a film": '{"caregrid_film": 1, "scenes": [{}], "code": 1}',
    "no scenes": '{"caregrid_film": 1, "scenes": []}',
    "scenes of another kind": '{"caregrid_film": 1, "scenes": {}}',
    "a scene of another kind": wrapped("x"),
    "an unknown field": wrapped({"floors": []}),
    "floor of numbers": wrapped({"floor": [1]}),
    "ragged floor": wrapped({"floor": ["##", "#"]}),
    "a mark off the floor": wrapped({"floor": ["#"], "marks": [[0, 5, "A", "a"]]}),
    "a mark of too few fields": wrapped({"floor": ["#"], "marks": [[0, 0]]}),
    "a mark of too many fields": wrapped({"floor": ["#"], "marks": [[0, 0, "A", "a", "object", False, 1]]}),
    "a half cell": wrapped({"floor": ["#"], "marks": [[0.5, 0, "A", "a"]]}),
    "truth for a number": wrapped({"floor": ["#"], "marks": [[True, 0, "A", "a"]]}),
    "an unknown overlay": wrapped({"overlays": [{"kind": "fog"}]}),
    "an overlay without cells": wrapped({"overlays": [{"kind": "heat", "name": "v"}]}),
    "a heat that is not a number": wrapped({"overlays": [{"kind": "heat", "name": "v", "cells": [[0, 0, math.nan]]}]}),
    "an endless heat": wrapped({"overlays": [{"kind": "heat", "name": "v", "cells": [[0, 0, 10**400]]}]}),
    "panels without end": wrapped(
        {"panels": [{"kind": "scene", "panels": [{"kind": "scene", "panels": [{"kind": "scene", "panels": [
            {"kind": "scene", "panels": [{"kind": "scene"}]}]}]}]}]}
    ),
    "a huge floor": wrapped({"floor": ["#" * 3000]}),
    "a huge text": wrapped({"caption": "x" * 20_000}),
    "a huge number of columns": wrapped({"columns": 10**12}),
    "deep brackets": "[" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN.keys())
def test_foreign_films_are_refused_in_one_line(content: str) -> None:
    with pytest.raises(BadFile) as refused:
        film_json.parse_film(content, "film.json")
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("film.json: ")


def test_numbers_that_are_not_finite_are_not_written() -> None:
    with pytest.raises(BadValue, match="not finite"):
        text((Scene((" ",), (), (Heat("v", ((0, 0, math.inf),)),)),))


def test_files_that_are_no_text_or_too_large_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "film.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="UTF-8"):
        film_json.read_film(tmp_path / "film.json")
    monkeypatch.setattr(film_json, "MOST_BYTES", 2)
    with pytest.raises(BadFile, match="2 are the most"):
        film_json.read_film(tmp_path / "film.json")
    for absent, reason in (
        (tmp_path / "none.json", "film file not found"),
        (tmp_path, "cannot read the film: it is a"),
    ):
        with pytest.raises(BadFile, match=reason):
            film_json.read_film(absent)
