"""Writes the lessons as one HTML page: everything inside it, nothing fetched.

A lesson's section has prediction, run, explanation, exercises, teacher's notes, and a worksheet to print. Its films
are sprite sheets, one PNG for each value of its parameter, with a slider and a play button in JavaScript.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from caregrid.lessons.lesson import PICTURE_TILE, Lesson, Variant
from renderers.drawing.palette import write_surfaces
from renderers.drawing.picture import Painter, fit_image
from renderers.drawing.shapes import Image
from renderers.drawing.sprites import read_svg
from renderers.formats.pictures import encode_image, index_pixels, make_shared_palette

SHEET_TILE = 56
SHEET_COLUMNS = 6


def make_film_sheets(lesson: Lesson) -> dict[str, Any]:
    """Return what the page's player needs: for each variant its texts, its sprite sheet and the sheet's columns."""
    variants = lesson.variants()
    painter = Painter(SHEET_TILE)
    drawn = [[painter.picture(scene) for scene in variant.film] for variant in variants]
    height, width = (max(frame.shape[i] for frames in drawn for frame in frames) for i in (0, 1))
    return {
        "name": lesson.name,
        "width": width,
        "height": height,
        "variants": [
            _describe_variant(variant, [fit_image(frame, height, width) for frame in frames])
            for variant, frames in zip(variants, drawn, strict=True)
        ],
    }


def write_data_url(content: bytes) -> str:
    """Return a PNG as text that a page may hold."""
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _describe_variant(variant: Variant, frames: Sequence[Image]) -> dict[str, Any]:
    columns = min(SHEET_COLUMNS, len(frames))
    palette, entry = make_shared_palette(frames)
    drawn = [index_pixels(frame, entry) for frame in frames]
    drawn += [np.zeros_like(drawn[0])] * (-len(frames) % columns)
    sheet = np.concatenate([np.concatenate(drawn[i : i + columns], axis=1) for i in range(0, len(drawn), columns)])
    return {
        "label": variant.label,
        "summary": variant.summary,
        "frames": len(frames),
        "columns": columns,
        "sheet": write_data_url(encode_image(sheet, palette)),
    }


LIVE = """<div class="live"></div>"""
FILM = """<div class="stage">
<div class="film-place" role="group" aria-label="film, scrolls sideways" tabindex="0">
<canvas class="film" role="img" aria-label="film of lesson {number}: {title}"></canvas></div>
<div class="controls">
<button class="play" type="button">Play</button>
<input class="scrub" type="range" min="0" value="0" step="1" aria-label="step">
<output class="step"></output>
<label for="parameter-{name}">{parameter}</label>
<input class="parameter" id="parameter-{name}" type="range" min="0" value="0" step="1">
<output class="label"></output>
</div>
<p class="summary" aria-live="polite"></p>
</div>"""


def write_section(lesson: Lesson) -> str:
    """Return the section of a lesson; with choices, everything after the question waits for a prediction."""
    name = escape(lesson.name)
    stage = LIVE if lesson.make_live else _write_film(lesson)
    return f"""<section id="{name}" data-lesson="{lesson.number}" aria-labelledby="title-{name}">
<h2 id="title-{name}">{lesson.number}. {escape(lesson.title)}</h2>
<p class="question">{escape(lesson.question)}</p>
{_write_prediction(lesson)}
<div class="after-prediction">
<h3 class="run">Run it</h3>
{stage}
<pre tabindex="0" aria-label="command"><code>{escape(lesson.command)}</code></pre>
<details class="explain"><summary>What you should see</summary>
<p>{escape(lesson.expected)}</p>
{_write_picture(lesson)}
</details>
<details class="explain"><summary>Explain: the answer</summary>
<p>{escape(lesson.answer)}</p>
<p class="source">{mark_code(lesson.source)}</p>
</details>
<div class="challenge"></div>
{_write_exercises(lesson)}
{_write_notes(lesson)}
</div>
</section>"""


def mark_code(text: str) -> str:
    """Text with `commands` set as code."""
    pieces = [escape(piece) for piece in text.split("`")]
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


def _write_film(lesson: Lesson) -> str:
    texts = {"name": lesson.name, "title": lesson.title, "parameter": lesson.parameter}
    return FILM.format(number=lesson.number, **{key: escape(text) for key, text in texts.items()})


def _write_prediction(lesson: Lesson) -> str:
    if not lesson.choices:
        return ""
    rows = "\n".join(
        f'<label class="choice"><input type="radio" name="predict-{escape(lesson.name)}" '
        f'data-right="{"yes" if choice.right else "no"}" data-feedback="{escape(choice.feedback)}"> '
        f"{escape(choice.text)}</label>"
        for choice in lesson.choices
    )
    return f"""<form class="predict"><fieldset><legend>Predict first</legend>
{rows}
</fieldset>
<div class="row"><button type="submit">This is my prediction</button>
<button type="button" class="skip">Show without predicting</button></div>
<p class="feedback" role="status"></p>
</form>"""


def _write_picture(lesson: Lesson) -> str:
    drawn = Painter(PICTURE_TILE).picture(lesson.picture())
    palette, entry = make_shared_palette([drawn])
    source = write_data_url(encode_image(index_pixels(drawn, entry), palette))
    return f"""<div class="picture-place" role="group" aria-label="picture, scrolls sideways" tabindex="0">
<img class="picture" src="{source}" alt="{escape(lesson.title)} {escape(lesson.expected)}"></div>"""


def _write_exercises(lesson: Lesson) -> str:
    if not lesson.exercises:
        return ""
    items = "\n".join(f'<li>{mark_code(exercise)}<div class="write-here"></div></li>' for exercise in lesson.exercises)
    return f"""<h3>Exercises</h3>
<ol class="exercises">
{items}
</ol>
<button type="button" class="print" data-prints="worksheet">Print the worksheet</button>"""


def _write_notes(lesson: Lesson) -> str:
    if not lesson.plan:
        return ""
    rows = []
    begun = 0
    for phase in lesson.plan:
        rows.append(
            f"<tr><th scope='row'>{begun} to {begun + phase.minutes}</th><td>{escape(phase.activity)}</td></tr>"
        )
        begun += phase.minutes
    return f"""<details class="notes"><summary>Teacher's notes: {begun} minutes</summary>
<table><thead><tr><th scope="col">minute</th><th scope="col">what the class does</th></tr></thead>
<tbody>
{chr(10).join(rows)}
</tbody></table>
{_write_key(lesson)}
<button type="button" class="print" data-prints="teachers-notes">Print the teacher's notes</button>
</details>"""


def _write_key(lesson: Lesson) -> str:
    if not lesson.key:
        return ""
    items = "\n".join(f"<li>{mark_code(answer)}</li>" for answer in lesson.key)
    return f'<h3>Answers to the exercises</h3>\n<ol class="key">\n{items}\n</ol>'


TITLE = "Lessons about agents and those around them"
INTRODUCTION = (
    "Small worlds, solved exactly. Predict first, then move the slider and look at what changes, then read why. All "
    "numbers are computed, in the page or by the program; the command in each lesson computes them again."
)
STYLES = ("page.css", "live.css", "print.css")
SCRIPTS = (
    "elements", "address", "work", "sprites", "drag", "heap", "map", "compose", "shortest_path", "envelope", "solve",
    "axis", "care", "number_line", "board", "curves", "changed", "price", "regions", "why", "editing", "editor",
    "identify", "record", "walk", "games",
    "live", "strips", "chart", "sweep", "copy_game", "film", "challenge", "quiz", "opening", "projector", "start",
)  # fmt: skip


def write_page(lessons: Sequence[Lesson]) -> str:
    """Return the whole page."""
    return join_parts([make_part(lesson) for lesson in lessons])


class Part(NamedTuple):
    """A lesson's share of a page: its link, its section, and the JSON that the page computes with."""

    link: str
    section: str
    data: str


def make_part(lesson: Lesson) -> Part:
    """Solve what a lesson shows: most of what a page costs."""
    link = f'<li><a href="#{lesson.name}">{lesson.number}. {escape(lesson.title)}</a></li>'
    data = json.dumps(_describe_lesson(lesson), separators=(",", ":"), allow_nan=False)
    return Part(link, write_section(lesson), data.replace("</", "<" + chr(92) + "/"))


def join_parts(parts: Sequence[Part]) -> str:
    """Return the page of some lessons."""
    links = " ".join(part.link for part in parts)
    sections = "\n".join(part.section for part in parts)
    data = ",".join(part.data for part in parts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(TITLE)}</title>
<style>
:root {{ {write_surfaces(False)} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {write_surfaces(True)} }} }}
{"".join(_read_part(name) for name in STYLES)}</style>
</head>
<body>
{read_svg().replace("<svg ", '<svg class="atlas" aria-hidden="true" ', 1)}
<header>
<div class="opening"><div class="opening-board"></div><div class="opening-side"><h1>{escape(TITLE)}</h1></div></div>
<p>{escape(INTRODUCTION)}</p>
<nav aria-label="lessons"><ol>{links}</ol></nav>
</header>
<main>
{sections}
</main>
<footer>Made by caregrid. This page needs no network and may be copied.</footer>
<script type="application/json" id="lessons">[{data}]</script>
<script>
{"".join(_read_part("scripts", f"{name}.js") for name in SCRIPTS)}</script>
</body>
</html>
"""


def _describe_lesson(lesson: Lesson) -> dict[str, Any]:
    """Return what the page computes with: live worlds, or films."""
    live = lesson.live()
    if not live:
        return make_film_sheets(lesson)
    challenge = None if lesson.challenge is None else lesson.challenge._asdict()
    worlds = [{"label": world.label, "world": world.describe()} for world in live]
    return {"name": lesson.name, "challenge": challenge, "worlds": worlds}


def _read_part(*names: str) -> str:
    return files("caregrid.lessons.page").joinpath(*names).read_text(encoding="utf-8")
