"""Lessons as documents: a Markdown page, a picture and a notebook each, written from the lessons themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caregrid.lessons.lesson import PICTURE_TILE, Lesson
from engine.files import write_atomically
from renderers.film import save_film

STEM = "{lesson.number}-{lesson.name}"


def write_documents(folder: Path, lessons: Sequence[Lesson]) -> list[str]:
    """Write README.md and, for each lesson, .md, .png and .ipynb; returns the names of the files."""
    texts = {"README.md": contents(lessons)}
    for lesson in lessons:
        stem = STEM.format(lesson=lesson)
        texts[f"{stem}.md"], texts[f"{stem}.ipynb"] = markdown(lesson), notebook(lesson)
        save_film(folder / f"{stem}.png", (lesson.picture(),), tile=PICTURE_TILE)
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return sorted([*texts, *(f"{STEM.format(lesson=lesson)}.png" for lesson in lessons)])


def contents(lessons: Sequence[Lesson]) -> str:
    """The page that leads to the lessons."""
    rows = [
        f"{lesson.number}. [{lesson.title}]({STEM.format(lesson=lesson)}.md) "
        f"([notebook]({STEM.format(lesson=lesson)}.ipynb))"
        for lesson in lessons
    ]
    return "\n".join(
        [
            "# Lessons",
            "",
            "Each has a question, one command, a picture of what one should see, and an answer. `caregrid demo N`",
            "shows a lesson on the screen, `caregrid demo all --out DIR` writes them all as one page for a browser,",
            "which needs no network. The pages here are written by `caregrid demo docs --out docs/lessons`.",
            "",
            *rows,
            "",
        ]
    )


def markdown(lesson: Lesson) -> str:
    """A lesson as a page; the picture is the one that its command makes."""
    stem = STEM.format(lesson=lesson)
    return f"""# {lesson.number}. {lesson.title}

{lesson.question}

## Run it

```bash
{lesson.command}
```

## What you should see

![{lesson.title}]({stem}.png)

{lesson.expected}

<details><summary>Answer</summary>

{lesson.answer}

</details>

{lesson.source} On the screen: `caregrid demo {lesson.number}`; as a notebook: [{stem}.ipynb]({stem}.ipynb).
"""


def notebook(lesson: Lesson) -> str:
    """A lesson as a notebook with two sliders: the lesson's parameter, and the step."""
    cells = [
        _words(f"# {lesson.number}. {lesson.title}\n\n{lesson.question}"),
        _code(
            f"""from IPython.display import Image, display
from ipywidgets import IntSlider, SelectionSlider, interact

from caregrid.lessons import find_lesson
from renderers.formats.png import encode_image
from renderers.drawing.picture import Painter

lesson = find_lesson({lesson.name!r})
variants = {{variant.label: variant for variant in lesson.variants()}}
painter = Painter(30)


def show(label, step):
    variant = variants[label]
    print(variant.summary)
    display(Image(encode_image(painter.picture(variant.film[min(step, len(variant.film) - 1)]))))


longest = max(len(variant.film) for variant in variants.values())
interact(
    show,
    label=SelectionSlider(options=list(variants), description={lesson.parameter!r}),
    step=IntSlider(min=0, max=longest - 1),
);"""
        ),
        _words(f"## What you should see\n\n{lesson.expected}"),
        _code("display(Image(encode_image(painter.picture(lesson.picture()))))"),
        _words(f"## Answer\n\n{lesson.answer}\n\n{lesson.source}"),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{lesson.name}-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    source = text.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
