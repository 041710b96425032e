"""Writes the lessons as one HTML page: everything inside it, nothing fetched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from caregrid.lessons.classroom import Live
from caregrid.lessons.lesson import Lesson
from caregrid.lessons.live.live_world import live_world
from caregrid.lessons.page.film_sheets import film_sheets
from caregrid.lessons.page.section import lesson_section
from caregrid.lessons.sweeps.copy_game import CopyGame, copy_game_data
from caregrid.lessons.sweeps.live_sweep import LiveSweep
from caregrid.lessons.sweeps.sweep_data import sweep_data

TITLE = "Lessons about agents and those around them"
INTRODUCTION = (
    "Small worlds, solved exactly. Predict first, then move the slider and look at what changes, then read why. All "
    "numbers are computed, in the page or by the program; the command in each lesson computes them again."
)
STYLES = ("page.css", "live.css", "print.css")
SCRIPTS = (
    "elements", "heap", "map", "compose", "shortest_path", "envelope", "solve", "axis", "care", "number_line", "board",
    "curves", "changed", "regions", "why", "editing", "editor", "walk", "live", "strips", "chart",
    "sweep", "copy_game", "film", "quiz", "start",
)  # fmt: skip


def lessons_page(lessons: Sequence[Lesson]) -> str:
    """The whole page."""
    data = json.dumps([_data(lesson) for lesson in lessons], separators=(",", ":"), allow_nan=False)
    links = " ".join(
        f'<li><a href="#{lesson.name}">{lesson.number}. {escape(lesson.title)}</a></li>' for lesson in lessons
    )
    sections = "\n".join(lesson_section(lesson) for lesson in lessons)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(TITLE)}</title>
<style>
{"".join(_part(name) for name in STYLES)}</style>
</head>
<body>
<header>
<h1>{escape(TITLE)}</h1>
<p>{escape(INTRODUCTION)}</p>
<nav aria-label="lessons"><ol>{links}</ol></nav>
</header>
<main>
{sections}
</main>
<footer>Made by caregrid. This page needs no network and may be copied.</footer>
<script type="application/json" id="lessons">{data.replace("</", "<" + chr(92) + "/")}</script>
<script>
{"".join(_part("scripts", f"{name}.js") for name in SCRIPTS)}</script>
</body>
</html>
"""


def _data(lesson: Lesson) -> dict[str, Any]:
    """What the page computes with: live worlds, or films."""
    live = lesson.live()
    if not live:
        return film_sheets(lesson)
    return {"name": lesson.name, "worlds": [{"label": each.label, "world": _world(each)} for each in live]}


def _world(live: Live) -> dict[str, Any]:
    if isinstance(live, LiveSweep):
        return sweep_data(live)
    if isinstance(live, CopyGame):
        return copy_game_data(live)
    return live_world(live.problem, live.make, live.axes)


def _part(*names: str) -> str:
    return files("caregrid.lessons.page").joinpath(*names).read_text(encoding="utf-8")
