"""Lessons as documents: a page, a worksheet, a picture and a notebook each, written from the lessons themselves."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from caregrid.lessons.lesson import PICTURE_TILE, Lesson
from caregrid.lessons.notebooks import notebook
from engine.files import all_or_none, output_directory, write_atomically
from renderers.film import save_film


def write_documents(folder: Path, lessons: Sequence[Lesson]) -> list[str]:
    """Write README.md and, for each lesson, .md, .png, .ipynb and a worksheet; returns the names of the files."""
    texts = {"README.md": contents(lessons)}
    pictures = {}
    for lesson in lessons:  # before anything is written: cells of notebooks write files of their own
        stem = lesson.stem
        texts[f"{stem}.md"], texts[f"{stem}.ipynb"] = markdown(lesson), notebook(lesson, stem)
        if lesson.exercises:
            texts[f"{stem}-worksheet.md"] = worksheet(lesson)
        pictures[f"{stem}.png"] = lesson.picture()
    with all_or_none():
        output_directory(folder)
        for name, picture in pictures.items():
            save_film(folder / name, (picture,), tile=PICTURE_TILE)
        for name, text in texts.items():
            write_atomically(folder / name, text)
    return sorted([*texts, *pictures])


def contents(lessons: Sequence[Lesson]) -> str:
    """The page that leads to the lessons."""
    rows = [f"{lesson.number}. [{lesson.title}]({lesson.stem}.md) ({_beside(lesson)})" for lesson in lessons]
    return "\n".join(
        [
            "# Lessons",
            "",
            "Each takes 45 minutes: predict, run, explain. `caregrid demo N` shows a lesson on the screen, `caregrid",
            "demo all --out DIR` writes them all as one live page for a browser, which needs no network. The pages",
            "here, with worksheets to print, teacher's notes and notebooks, are written by `caregrid demo docs --out",
            "DIR`. A lesson of your own is a text file: caregrid's documentation says how to write one, and what the",
            "live page shows.",
            "",
            *rows,
            "",
        ]
    )


def _beside(lesson: Lesson) -> str:
    stem = lesson.stem
    sheet = f"[worksheet]({stem}-worksheet.md), " if lesson.exercises else ""
    return f"{sheet}[notebook]({stem}.ipynb)"


def markdown(lesson: Lesson) -> str:
    """A lesson as a page; the picture is the one that its command makes."""
    stem, trust = lesson.stem, " --trust" if lesson.trusted else ""
    shown = f"caregrid demo {shlex.quote(lesson.called or str(lesson.number))}{trust}"
    return f"""# {lesson.number}. {lesson.title}

{lesson.question}
{_choices(lesson)}
## Run it

```bash
{lesson.command}
```

## What you should see

![{lesson.title}]({stem}.png)

{lesson.expected}

<details><summary>Answer</summary>

{lesson.answer}
{_feedback(lesson)}
</details>
{_exercises(lesson)}{_plan(lesson)}
{lesson.source} On the screen: `{shown}`; as a notebook: [{stem}.ipynb]({stem}.ipynb).
"""


def worksheet(lesson: Lesson) -> str:
    """Question, choices and exercises with room to write, without answers."""
    room = "\n\n" + "\n\n".join(["_" * 60] * 4) + "\n"
    tasks = [f"## {number}\n\n{each}{room}" for number, each in enumerate(lesson.exercises, start=1)]
    boxes = "\n".join(f"- [ ] {choice.text}" for choice in lesson.choices)
    return "\n".join(
        [f"# {lesson.number}. {lesson.title}", "", lesson.question, "", "My prediction:", "", boxes, "", *tasks]
    )


def _choices(lesson: Lesson) -> str:
    if not lesson.choices:
        return ""
    return "\nPredict first:\n\n" + "\n".join(f"- {choice.text}" for choice in lesson.choices) + "\n"


def _feedback(lesson: Lesson) -> str:
    lines = [
        f"- {choice.text} *{'Yes' if choice.right else 'Not quite'}.* {choice.feedback}" for choice in lesson.choices
    ]
    return "\n" + "\n".join(lines) + "\n" if lines else ""


def _exercises(lesson: Lesson) -> str:
    lines = [f"{number}. {each}" for number, each in enumerate(lesson.exercises, start=1)]
    return "\n## Exercises\n\n" + "\n".join(lines) + "\n" if lines else ""


def _plan(lesson: Lesson) -> str:
    lines, begun = [], 0
    for phase in lesson.plan:
        lines.append(f"| {begun} to {begun + phase.minutes} | {phase.activity} |")
        begun += phase.minutes
    return (
        "\n## Teacher's notes\n\n| minute | what the class does |\n| --- | --- |\n" + "\n".join(lines) + "\n"
        if lines
        else ""
    )
