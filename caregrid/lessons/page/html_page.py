"""Writes the lessons as one HTML page: everything inside it, nothing fetched."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from caregrid.lessons.lesson import PICTURE_TILE, Lesson, Variant
from renderers.drawing.layout import fitted
from renderers.drawing.picture import Painter
from renderers.drawing.quantise import indexed, shared_palette
from renderers.drawing.shapes import Image
from renderers.formats.png import encode_image

TILE, COLUMNS = 38, 6
TITLE = "Lessons about agents and those around them"
INTRODUCTION = (
    "Small worlds, solved exactly. Move the slider, press Play, and answer the question before you open the "
    "answer. Every picture on this page was made by the program; the command below each lesson makes it again."
)


def lessons_page(lessons: Sequence[Lesson]) -> str:
    """The whole page."""
    films = [_film_data(lesson) for lesson in lessons]
    links = " ".join(f'<a href="#{lesson.name}">{lesson.number}. {escape(lesson.title)}</a>' for lesson in lessons)
    sections = "\n".join(_section(lesson) for lesson in lessons)
    data = json.dumps(films, separators=(",", ":")).replace("</", "<\\/")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(TITLE)}</title>
<style>
{_part("page.css")}</style>
</head>
<body>
<header>
<h1>{escape(TITLE)}</h1>
<p>{escape(INTRODUCTION)}</p>
<nav>{links}</nav>
</header>
<main>
{sections}
</main>
<footer>Made by caregrid. This page needs no network and may be copied.</footer>
<script type="application/json" id="lessons">{data}</script>
<script>
{_part("page.js")}</script>
</body>
</html>
"""


def _section(lesson: Lesson) -> str:
    drawn = Painter(PICTURE_TILE).picture(lesson.picture())
    palette, entry = shared_palette([drawn])
    picture = _data_url(encode_image(indexed(drawn, entry), palette))
    name = escape(lesson.name)
    return f"""<section id="{name}" data-lesson="{lesson.number}">
<h2>{lesson.number}. {escape(lesson.title)}</h2>
<p class="question">{escape(lesson.question)}</p>
<div class="stage"><canvas class="film" role="img" aria-label="animation of lesson {lesson.number}"></canvas>
<div class="controls">
<button class="play" type="button">Play</button>
<input class="scrub" type="range" min="0" value="0" step="1" aria-label="step">
<output class="step"></output>
<label for="parameter-{name}">{escape(lesson.parameter)}</label>
<input class="parameter" id="parameter-{name}" type="range" min="0" value="0" step="1">
<output class="label"></output>
</div>
<p class="summary" aria-live="polite"></p>
</div>
<p>Run it yourself:</p>
<pre><code>{escape(lesson.command)}</code></pre>
<details><summary>What you should see</summary>
<p>{escape(lesson.expected)}</p>
<img class="picture" src="{picture}" alt="what the command draws">
</details>
<details><summary>Answer</summary>
<p>{escape(lesson.answer)}</p>
</details>
<p class="source">{_with_code(lesson.source)}</p>
</section>"""


def _film_data(lesson: Lesson) -> dict[str, Any]:
    """What the page's player needs: for each variant its texts, its sprite sheet and the sheet's columns."""
    variants = lesson.variants()
    painter = Painter(TILE)
    drawn = [[painter.picture(scene) for scene in variant.film] for variant in variants]
    height, width = (max(frame.shape[i] for frames in drawn for frame in frames) for i in (0, 1))
    return {
        "name": lesson.name,
        "width": width,
        "height": height,
        "variants": [
            _variant_data(variant, [fitted(frame, height, width) for frame in frames])
            for variant, frames in zip(variants, drawn, strict=True)
        ],
    }


def _variant_data(variant: Variant, frames: Sequence[Image]) -> dict[str, Any]:
    columns = min(COLUMNS, len(frames))
    palette, entry = shared_palette(frames)
    drawn = [indexed(frame, entry) for frame in frames]
    drawn += [np.zeros_like(drawn[0])] * (-len(frames) % columns)
    sheet = np.concatenate([np.concatenate(drawn[i : i + columns], axis=1) for i in range(0, len(drawn), columns)])
    return {
        "label": variant.label,
        "summary": variant.summary,
        "frames": len(frames),
        "columns": columns,
        "sheet": _data_url(encode_image(sheet, palette)),
    }


def _data_url(content: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _with_code(text: str) -> str:
    """Text with `commands` set as code."""
    pieces = [escape(piece) for piece in text.split("`")]
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


def _part(name: str) -> str:
    return files("caregrid.lessons.page").joinpath(name).read_text(encoding="utf-8")
